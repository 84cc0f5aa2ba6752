package gemini_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/nettest"
	"minigem/llm"
	"minigem/llm/gemini"
)

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestOptionsFor(t *testing.T) {
	t.Parallel()
	type vars = map[string]string
	tests := []struct {
		name string
		env  vars
		want gemini.Options
	}{
		{"nothing", vars{}, gemini.Options{}},
		{"key", vars{"GEMINI_API_KEY": "k", "GOOGLE_API_KEY": "g"}, gemini.Options{Auth: gemini.AuthAPIKey, APIKey: "k"}},
		{"version", vars{"GEMINI_API_KEY": "k", "GOOGLE_GENAI_API_VERSION": "v1"}, gemini.Options{Auth: gemini.AuthAPIKey, APIKey: "k", APIVersion: "v1"}},
		{"bearer", vars{"GEMINI_API_KEY": "k", "GEMINI_API_KEY_AUTH_MECHANISM": "bearer"}, gemini.Options{Auth: gemini.AuthAPIKey, APIKey: "k", Bearer: true}},
		{"gateway", vars{"GOOGLE_GEMINI_BASE_URL": "http://x", "GEMINI_API_KEY": "k"}, gemini.Options{Auth: gemini.AuthGateway, APIKey: "k", BaseURL: "http://x"}},
		{"gateway without a key", vars{"GOOGLE_GEMINI_BASE_URL": "http://x"}, gemini.Options{Auth: gemini.AuthGateway, BaseURL: "http://x"}},
		{"Vertex AI", vars{"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "l", "GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": "http://x"},
			gemini.Options{Auth: gemini.AuthVertex, Project: "p", Location: "l"}},
		{"Vertex AI with a key", vars{"GOOGLE_GENAI_USE_VERTEXAI": "1", "GOOGLE_API_KEY": "g", "GOOGLE_VERTEX_BASE_URL": "http://v"}, gemini.Options{Auth: gemini.AuthVertex, APIKey: "g", BaseURL: "http://v"}},
		{"Google", vars{"GOOGLE_GENAI_USE_GCA": "true", "GEMINI_API_KEY": "k"}, gemini.Options{Auth: gemini.AuthGoogle, APIKey: "k"}},
		// headers
		{"headers", vars{"GEMINI_CLI_CUSTOM_HEADERS": "x-a: 1, X-B:two words , X-C: http://h:1/"}, gemini.Options{Headers: http.Header{"X-A": {"1"}, "X-B": {"two words"}, "X-C": {"http://h:1/"}}}},
		{"commas in values", vars{"GEMINI_CLI_CUSTOM_HEADERS": "X-A: 1,2, three X-B, X-C: 4,"}, gemini.Options{Headers: http.Header{"X-A": {"1,2, three X-B"}, "X-C": {"4"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := gemini.OptionsFor(gemini.AuthFromEnv(env(tt.env)), env(tt.env))
			require.NoError(t, err)
			assert.Equal(t, tt.want, o)
		})
	}
}

func TestOptionsErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, value, want string }{
		{"GEMINI_API_KEY_AUTH_MECHANISM", "basic", `reading GEMINI_API_KEY_AUTH_MECHANISM: "basic" is neither`},
		{"GEMINI_CLI_CUSTOM_HEADERS", "secret", `reading GEMINI_CLI_CUSTOM_HEADERS: the beginning is not of the form "Name: value"`},
		{"GEMINI_CLI_CUSTOM_HEADERS", "X-A: secret\nX-B: c", "the value of X-A has a character that no header may have"},
	}
	for _, tt := range tests {
		_, err := gemini.OptionsFor(gemini.AuthNone, env(map[string]string{tt.name: tt.value}))
		require.ErrorContains(t, err, tt.want)
		assert.NotContains(t, err.Error(), "secret")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		o    gemini.Options
		want string // empty if valid
	}{
		{"nothing", gemini.Options{}, "no way of signing in"},
		{"key", gemini.Options{Auth: gemini.AuthAPIKey, APIKey: "k"}, ""},
		{"no key", gemini.Options{Auth: gemini.AuthAPIKey}, "there is no Gemini API key"},
		{"Vertex AI", gemini.Options{Auth: gemini.AuthVertex, Project: "p", Location: "l"}, ""},
		{"Vertex AI with a key", gemini.Options{Auth: gemini.AuthVertex, APIKey: "k"}, ""},
		{"Vertex AI without a location", gemini.Options{Auth: gemini.AuthVertex, Project: "p"}, "Vertex AI lacks"},
		{"gateway", gemini.Options{Auth: gemini.AuthGateway, BaseURL: "http://x"}, ""},
		{"gateway nowhere", gemini.Options{Auth: gemini.AuthGateway}, "the gateway has no address"},
		{"Google", gemini.Options{Auth: gemini.AuthGoogle}, `signing in by "oauth-personal" is not supported`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.o.Check()
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			e := asError(t, err)
			assert.Equal(t, llm.ErrAuth, e.Kind)
			assert.Contains(t, e.Message, tt.want)
			assert.NotEmpty(t, e.Hint)
		})
	}
}

// credentials writes a service account whose tokens come from the given server.
func credentials(t *testing.T, tokenURL string) (path string) {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	data, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "a@b", "private_key_id": "1", "token_uri": tokenURL,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "adc.json")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// Google's library finds its credentials by variables of the process. Only this test
// sets them, so it cannot run in parallel.
func TestVertexWithDefaultCredentials(t *testing.T) {
	var paths, auths, payers []string
	refuse := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path != "/token":
			paths, auths = append(paths, r.URL.Path), append(auths, r.Header.Get("Authorization"))
			payers = append(payers, r.Header.Get("X-Goog-User-Project"))
			fmt.Fprint(w, okBody)
		case refuse:
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		default:
			fmt.Fprint(w, `{"access_token":"tok","token_type":"Bearer","expires_in":3600}`)
		}
	}))
	t.Cleanup(server.Close)
	c := gemini.New(gemini.Options{Auth: gemini.AuthVertex, Project: "p", Location: "l", BaseURL: server.URL, MaxAttempts: 1})

	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none"))
	_, err := c.Generate(t.Context(), ask("x"))
	assert.Equal(t, "no Google credentials were found for Vertex AI", asError(t, err).Message)

	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", credentials(t, server.URL+"/token"))
	t.Setenv("GOOGLE_CLOUD_QUOTA_PROJECT", "payer")
	_, err = c.Generate(t.Context(), ask("x"))
	assert.Contains(t, asError(t, err).Message, "Google gave no access token: ", "the client is set up anew after a failure")
	assert.Equal(t, llm.ErrAuth, asError(t, err).Kind)

	refuse = false
	_, err = c.Generate(t.Context(), ask("x"))
	require.NoError(t, err)
	assert.Equal(t, []string{"/v1beta1/projects/p/locations/l/publishers/google/models/gemini-3-flash:generateContent"}, paths)
	assert.Equal(t, []string{"Bearer tok"}, auths)
	assert.Equal(t, []string{"payer"}, payers)

	gone := "http://" + nettest.Refusing(t)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", credentials(t, gone+"/token"))
	c = gemini.New(gemini.Options{Auth: gemini.AuthVertex, Project: "p", Location: "l", BaseURL: gone, MaxAttempts: 1})
	_, err = c.Generate(t.Context(), ask("x"))
	assert.Equal(t, llm.ErrOffline, asError(t, err).Kind)
}

//go:build unix

package e2e

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
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/internal/waittest"
	"minigem/llm/script"
)

// vertex is a fake Vertex AI that accepts its own tokens and pastedKey.
type vertex struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string // path and credentials of each request
}

func startVertex(t *testing.T, entries ...script.Entry) *vertex {
	model := fakemodel.New(fakemodel.Options{Entries: entries, NonStrict: true, Strict: true})
	v := &vertex{}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"access_token":"a-token","token_type":"Bearer","expires_in":3600}`)
			return
		}
		shown := r.Header.Get("Authorization") + r.Header.Get("X-Goog-Api-Key")
		v.mu.Lock()
		v.seen = append(v.seen, r.URL.Path+" "+shown)
		v.mu.Unlock()
		if shown != "Bearer a-token" && shown != pastedKey {
			http.Error(w, `{"error": {"code": 401, "message": "Who are you?", "status": "UNAUTHENTICATED"}}`, http.StatusUnauthorized)
			return
		}
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(v.Close)
	return v
}

func (v *vertex) requests() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.seen
}

// account writes a file with a service account whose tokens come from tokenURL.
func (h home) account(t *testing.T, tokenURL string) string {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	data, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "a@b", "private_key_id": "1", "token_uri": tokenURL,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	require.NoError(t, err)
	path := filepath.Join(h.dir, "account.json")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

const ofProject = "/v1beta1/projects/my-project/locations/global/publishers/google/models/"

// TestVertex: Vertex AI works with a key and with an account, and refuses other keys.
func TestVertex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, variable, prefix, shown, stderr string
		exit                                  int
	}{
		{"a key", "GOOGLE_API_KEY=" + pastedKey, "/v1beta1/publishers/google/models/", pastedKey, "", 0},
		{"an account", "GOOGLE_CLOUD_PROJECT=my-project", ofProject, "Bearer a-token", "", 0},
		{"another key", "GOOGLE_API_KEY=another", "/v1beta1/publishers/google/models/", "another", "Who are you?", 41},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := startVertex(t, textAnswer("By Vertex AI."))
			h := newHome(t, nil)
			out := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-p", "Hi"}, Env: []string{
				"GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_VERTEX_BASE_URL=" + server.URL, "GOOGLE_CLOUD_LOCATION=global",
				"GOOGLE_APPLICATION_CREDENTIALS=" + h.account(t, server.URL+"/token"), c.variable,
			}})
			assert.Equal(t, c.exit, out.Code, out.Stderr)
			assert.Contains(t, out.Stderr, c.stderr)
			assert.Equal(t, c.exit == 0, strings.Contains(out.Stdout, "By Vertex AI."))
			assert.Equal(t, []string{c.prefix + "gemini-2.5-flash:streamGenerateContent " + c.shown}, server.requests())
		})
	}
}

// TestVertexSignIn: a user who chooses Vertex AI in the chat is asked for the project and
// the location. Both are tested, saved, and used at the next start.
func TestVertexSignIn(t *testing.T) {
	t.Parallel()
	server := startVertex(t, script.Counted(1), textAnswer("By Vertex AI."), textAnswer("By it again."))
	h := newHome(t, nil)
	env := []string{"GOOGLE_VERTEX_BASE_URL=" + server.URL, "GOOGLE_APPLICATION_CREDENTIALS=" + h.account(t, server.URL+"/token")}
	c := h.startChat(t, env)
	c.waitFor(whichWay)
	c.keys("2" + keyEnter)
	c.waitFor("Project of Google Cloud")
	c.keys("my project" + keyEnter)
	c.waitFor("Location (Enter: global):")
	c.keys(keyEnter)
	c.waitFor("a project and a location are words")
	c.below("are words", "Project of Google Cloud")
	c.keys("my-project" + keyEnter)
	c.below("are words", "Location (Enter: global):")
	c.keys(keyEnter)
	c.waitFor("It works.", "Kept in ~/.gemini/.env, for all folders.")
	c.say("Hi")
	c.waitFor("By Vertex AI.")
	c.quit()
	assert.Equal(t, "GOOGLE_CLOUD_PROJECT=my-project\nGOOGLE_CLOUD_LOCATION=global\n", h.read(t, "../.gemini/.env"))
	c = h.startChat(t, env)
	c.say("Again")
	c.waitFor("By it again.")
	c.quit()
	for _, r := range server.requests() {
		assert.True(t, strings.HasPrefix(r, ofProject) && strings.HasSuffix(r, " Bearer a-token"), r)
	}
	assert.Len(t, server.requests(), 3)
}

// TestKeychain: a key is stored in the system's keychain and in no file, and is found
// there at the next start. The keychain is GNOME's, on a private bus.
func TestKeychain(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"dbus-daemon", "dbus-send", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s, which a keychain needs", program)
		}
	}
	h := newHome(t, nil)
	bus := "DBUS_SESSION_BUS_ADDRESS=unix:path=" + h.dir + "/bus"
	start := func(stdin, name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Stdin, cmd.Env = strings.NewReader(stdin), append(os.Environ(), "HOME="+h.dir, "XDG_RUNTIME_DIR="+h.dir, bus)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
	start("", "dbus-daemon", "--session", "--nofork", "--address=unix:path="+h.dir+"/bus")
	waittest.Until(t, func() bool { _, err := os.Stat(filepath.Join(h.dir, "bus")); return err == nil })
	start("a password", "gnome-keyring-daemon", "--unlock", "--components=secrets", "--foreground")
	waittest.Until(t, func() bool {
		cmd := exec.Command("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
			"org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets")
		cmd.Env = append(os.Environ(), bus)
		said, _ := cmd.Output()
		return strings.Contains(string(said), "boolean true")
	})
	h.write(t, "../.gemini/settings.json", `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`)
	server := keyedAPI(t, script.Counted(1), textAnswer("Hello."), textAnswer("Again."))
	env := []string{"GOOGLE_GEMINI_BASE_URL=" + server.URL, bus}
	c := h.startChat(t, env)
	c.waitFor(whichWay)
	c.keys("1" + keyEnter)
	c.waitFor(pasteKey)
	c.keys(pastedKey + keyEnter)
	c.waitFor("Where is it kept?")
	c.keys("1" + keyEnter)
	c.waitFor("Kept in the keychain")
	c.say("Hi")
	c.waitFor("Hello.")
	c.quit()
	assert.Empty(t, h.holding(t, pastedKey))
	assert.NoFileExists(t, filepath.Join(h.dir, ".gemini", "gemini-credentials.json"))
	c = h.startChat(t, env)
	c.say("Is it there?")
	c.waitFor("Again.")
	c.quit()
}

package oauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/mcp"
	"minigem/internal/mcp/oauth"
	"minigem/internal/mcp/oauth/oauthtest"
)

func newStore(t *testing.T) oauth.Store {
	return oauth.Store{Path: filepath.Join(t.TempDir(), "below", oauth.FileName)}
}

// open does what a browser would.
func open(t *testing.T, address string) string {
	t.Helper()
	res, err := http.Get(address)
	require.NoError(t, err)
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(page)
}

func signIn(t *testing.T, store oauth.Store, s *oauthtest.Server) error {
	t.Helper()
	return store.SignIn(t.Context(), oauth.Server{Name: "docs", URL: s.MCP()}, func(address string) { go open(t, address) })
}

func entries(t *testing.T, store oauth.Store) (out []map[string]any) {
	t.Helper()
	data, err := os.ReadFile(store.Path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

func connect(t *testing.T, store oauth.Store, url string) (*mcp.Session, error) {
	t.Helper()
	session, err := mcp.Connect(t.Context(), mcp.Server{Name: "docs", URL: url, Transport: mcp.TransportHTTP, Tokens: store.Source("docs", url)})
	if err == nil {
		t.Cleanup(session.Close)
	}
	return session, err
}

// TestSignIn checks that a server which requires a sign-in can be used once the user
// has signed in, and that the token is in Gemini CLI's file.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s, store := oauthtest.New(t), newStore(t)
	_, err := connect(t, store, s.MCP())
	require.ErrorContains(t, err, "Unauthorized: sign in by minigem mcp auth docs")
	page := make(chan string, 1)
	require.NoError(t, store.SignIn(t.Context(), oauth.Server{Name: "docs", URL: s.MCP()}, func(address string) {
		go func() { page <- open(t, address) }()
	}))
	assert.Contains(t, <-page, "You are signed in.")
	session, err := connect(t, store, s.MCP())
	require.NoError(t, err)
	require.Len(t, session.Tools(), 2)

	info, err := os.Stat(store.Path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	kept := entries(t, store)
	require.Len(t, kept, 1)
	assert.Equal(t, map[string]any{"serverName": "docs", "clientId": "client-1", "tokenUrl": s.URL + "/token", "mcpServerUrl": s.MCP()},
		map[string]any{"serverName": kept[0]["serverName"], "clientId": kept[0]["clientId"], "tokenUrl": kept[0]["tokenUrl"], "mcpServerUrl": kept[0]["mcpServerUrl"]})
	token := kept[0]["token"].(map[string]any)
	assert.True(t, s.Accepts(token["accessToken"].(string)))
	assert.Equal(t, "read", token["scope"])
	assert.Equal(t, "none", s.Clients[0]["token_endpoint_auth_method"])
}

// TestTokensStayWhereTheyBelong checks that a token is sent only to the address it was
// issued for, over a private connection.
func TestTokensStayWhereTheyBelong(t *testing.T) {
	t.Parallel()
	s, store := oauthtest.New(t), newStore(t)
	require.NoError(t, signIn(t, store, s))
	for name, source := range map[string]*oauth.Source{
		"another server's name": store.Source("other", s.MCP()),
		"another path":          store.Source("docs", s.URL+"/other"),
		"another server":        store.Source("docs", "https://example.com/mcp"),
		"no store":              oauth.Store{}.Source("docs", s.MCP()),
	} {
		tok, err := source.Token()
		require.NoError(t, err, name)
		assert.Nil(t, tok, name)
	}
	data, err := os.ReadFile(store.Path)
	require.NoError(t, err)
	for _, url := range []string{"http://example.com/mcp", "http://x.localhost/mcp"} {
		require.NoError(t, os.WriteFile(store.Path, []byte(strings.ReplaceAll(string(data), s.MCP(), url)), 0o600))
		tok, err := store.Source("docs", url).Token()
		require.NoError(t, err)
		assert.Nil(t, tok, "%s: not encrypted", url)
	}
}

// expire makes the tokens in the file expire.
func expire(t *testing.T, store oauth.Store) {
	t.Helper()
	all := entries(t, store)
	for _, e := range all {
		e["token"].(map[string]any)["expiresAt"] = 1000
	}
	data, err := json.Marshal(append(all, map[string]any{"serverName": "other", "token": map[string]any{"accessToken": "x"}, "unknown": "kept"}))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(store.Path, data, 0o600))
}

// TestRenewal checks that concurrent requests renew an expired token once, that the new
// one is kept, and that other entries stay as they are.
func TestRenewal(t *testing.T) {
	t.Parallel()
	s, store := oauthtest.New(t), newStore(t)
	require.NoError(t, signIn(t, store, s))
	expire(t, store)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			tok, err := store.Source("docs", s.MCP()).Token()
			if assert.NoError(t, err) {
				assert.True(t, s.Accepts(tok.AccessToken))
			}
		})
	}
	all.Wait()
	assert.Equal(t, 1, s.Renewed())
	kept := entries(t, store)
	require.Len(t, kept, 2)
	assert.Equal(t, "kept", kept[0]["unknown"])
	assert.Equal(t, "read", kept[1]["token"].(map[string]any)["scope"])
}

// TestRenewalThatFails checks that a refused token is forgotten and the user is told
// what to do, and that a broken server changes nothing.
func TestRenewalThatFails(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		400: "the sign-in at the MCP server docs has expired: minigem mcp auth docs signs in again",
		500: "renewing the sign-in at the MCP server docs: ",
	} {
		s, store := oauthtest.New(t), newStore(t)
		require.NoError(t, signIn(t, store, s))
		expire(t, store)
		s.Grant = status
		_, err := connect(t, store, s.MCP())
		require.ErrorContains(t, err, want)
		assert.Len(t, entries(t, store), map[int]int{400: 1, 500: 2}[status])
	}
}

// TestSignInThatFails checks that the user learns why.
func TestSignInThatFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*oauthtest.Server, *oauth.Server)
		want   string
	}{
		"refused":            {func(s *oauthtest.Server, _ *oauth.Server) { s.Refuse = "not\x1b[31m\nyou" }, "it was refused: not you"},
		"a file":             {func(s *oauthtest.Server, _ *oauth.Server) { s.Authorize = "file:///etc/passwd" }, "file:"},
		"a script":           {func(s *oauthtest.Server, _ *oauth.Server) { s.Authorize = "javascript:alert(1)" }, "javascript"},
		"no sign-in":         {func(s *oauthtest.Server, o *oauth.Server) { o.URL = s.URL + "/none" }, "it does not ask for a sign-in: it answers with HTTP status 404"},
		"not encrypted":      {func(_ *oauthtest.Server, o *oauth.Server) { o.URL = "http://example.com/mcp" }, "its URL must begin with https://"},
		"redirect elsewhere": {func(_ *oauthtest.Server, o *oauth.Server) { o.RedirectURI = "http://example.com:80/x" }, "it must be http://localhost:PORT/oauth/callback"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, store := oauthtest.New(t), newStore(t)
			server := oauth.Server{Name: "docs", URL: s.MCP()}
			tt.change(s, &server)
			err := store.SignIn(t.Context(), server, func(address string) { go open(t, address) })
			require.ErrorContains(t, err, "signing in at the MCP server docs: ")
			require.ErrorContains(t, err, tt.want)
			assert.NoFileExists(t, store.Path)
		})
	}
}

// TestSomebodyElsesCallback checks that a request without the state of the sign-in can
// neither end it nor inject a code.
func TestSomebodyElsesCallback(t *testing.T) {
	t.Parallel()
	s, store := oauthtest.New(t), newStore(t)
	require.NoError(t, store.SignIn(t.Context(), oauth.Server{Name: "docs", URL: s.MCP()}, func(address string) {
		go func() {
			_, back, _ := strings.Cut(address, "redirect_uri=")
			back, _, _ = strings.Cut(back, "&")
			back = strings.NewReplacer("%3A", ":", "%2F", "/").Replace(back)
			for _, query := range []string{"?error=access_denied", "?code=mine&state=x", "?state=", ""} {
				assert.Contains(t, open(t, back+query), "404")
			}
			open(t, address)
		}()
	}))
}

// TestSignInIsInterrupted checks that a sign-in ends with its context.
func TestSignInIsInterrupted(t *testing.T) {
	t.Parallel()
	s, store := oauthtest.New(t), newStore(t)
	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	err := store.SignIn(ctx, oauth.Server{Name: "docs", URL: s.MCP()}, func(string) { cancel(interrupted) })
	require.ErrorIs(t, err, interrupted)
}

// TestBrokenFile checks that a broken file is reported and not overwritten. Until it is
// fixed no sign-in is used, but servers that need none can be reached.
func TestBrokenFile(t *testing.T) {
	t.Parallel()
	s, store := oauthtest.New(t), newStore(t)
	require.NoError(t, os.MkdirAll(filepath.Dir(store.Path), 0o700))
	require.NoError(t, os.WriteFile(store.Path, []byte(`{"a": `), 0o600))
	tok, err := store.Source("docs", s.MCP()).Token()
	require.NoError(t, err)
	assert.Nil(t, tok)
	require.ErrorContains(t, store.Check(), store.Path)
	require.ErrorContains(t, signIn(t, store, s), "correct it, or remove it and sign in again")
	data, err := os.ReadFile(store.Path)
	require.NoError(t, err)
	assert.Equal(t, `{"a": `, string(data))
}

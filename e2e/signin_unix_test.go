//go:build unix

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/internal/nettest"
	"minigem/llm/script"
)

const pastedKey = "AIzaSy-not-a-real-key-0123456789abcdef"

// holding returns the files below the home that contain text.
func (h home) holding(t *testing.T, text string) (found []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			name, _ := filepath.Rel(h.dir, path)
			found = append(found, name)
		}
		return err
	}))
	return found
}

// keyedAPI returns a fake API that accepts only one key.
func keyedAPI(t *testing.T, entries ...script.Entry) api {
	t.Helper()
	s := fakemodel.New(fakemodel.Options{Entries: entries, NonStrict: true, Strict: true, Key: pastedKey})
	url, stop, err := s.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(stop)
	return api{s, url}
}

func paste(text string) string { return "\x1b[200~" + text + "\x1b[201~" }

const (
	whichWay = "Which way? [1]"
	pasteKey = "goes back):"
)

// below waits until text is below the last occurrence of after.
func (c *chat) below(after, text string) {
	c.t.Helper()
	c.waitUntil(text+" below "+after, func(screen string) bool {
		i := strings.LastIndex(screen, after)
		return i >= 0 && strings.Contains(screen[i:], text)
	})
}

// TestSignIn: a user without a key pastes one into the chat. It is tested, saved and used,
// and it is not visible on the screen or in any file except the one that stores it.
func TestSignIn(t *testing.T) {
	t.Parallel()
	server := keyedAPI(t, script.Counted(1), textAnswer("You said: "+pastedKey), textAnswer("Again."))
	h := newHome(t, nil)
	h.write(t, "../.gemini/.env", "# mine\nOTHER=1\n")
	h.write(t, "../.gemini/settings.json", `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`)
	env := []string{"GOOGLE_GEMINI_BASE_URL=" + server.URL}
	c := h.startChat(t, env)
	c.waitFor("No model is configured yet", "there is no Gemini API key", whichWay)
	c.keys("1" + keyEnter)
	c.waitFor(pasteKey)
	c.keys(keyEnter) // an empty line goes back
	c.below(pasteKey, whichWay)
	c.keys("1" + keyEnter)
	c.below(whichWay, pasteKey)
	c.keys(keyCtrlC)
	c.below(pasteKey, whichWay)
	c.keys("1" + keyEnter)
	c.below(whichWay, pasteKey)
	_, err := c.window.WriteString(paste("two words\n"))
	require.NoError(t, err)
	c.below(whichWay, "(hidden: 10 characters)")
	c.keys(keyEnter)
	c.waitFor("a key is a single word")
	c.below("a key is a single word", pasteKey)
	c.keys("a-bad-key-that-nobody-has" + keyEnter)
	c.waitFor("API key not valid")
	c.below("API key not valid", pasteKey)
	assert.NoFileExists(t, filepath.Join(h.dir, ".gemini", "gemini-credentials.json"))
	_, err = c.window.WriteString(paste("export GEMINI_API_KEY=\"" + pastedKey + "\"\n"))
	require.NoError(t, err)
	c.below("not valid", "(hidden:")
	c.keys(keyEnter)
	c.waitFor("It works.", "Kept in ~/.gemini/.env, for all folders.")
	c.say("What was it?")
	c.waitFor("You said: ")
	c.quit()
	assert.Equal(t, "# mine\nOTHER=1\nGEMINI_API_KEY="+pastedKey+"\n", h.read(t, "../.gemini/.env"))
	info, err := os.Stat(filepath.Join(h.dir, ".gemini", ".env"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	assert.Equal(t, []string{".gemini/.env"}, h.holding(t, pastedKey))
	assert.Empty(t, h.holding(t, "a-bad-key"))
	before, _, _ := strings.Cut(c.raw.String(), "You said")
	assert.NotContains(t, before, pastedKey[:8])
	assert.NotContains(t, before, "a-bad-key")

	// From then on the key is used, even in a folder that has its own variables.
	h.write(t, ".env", "PROJECT_VARIABLE=1\n")
	c = h.startChat(t, append(env, "GEMINI_CLI_TRUST_WORKSPACE=true"))
	c.say("And now?")
	c.waitFor("Again.")
	c.quit()
	assert.Empty(t, server.problems())
}

// TestSignInElsewhere: a keychain that exists but stores nothing, a missing network, and
// leaving.
func TestSignInElsewhere(t *testing.T) {
	t.Parallel()
	settings := `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`
	t.Run("keychain", func(t *testing.T) {
		t.Parallel()
		server := keyedAPI(t, script.Counted(1), textAnswer("Hello."), textAnswer("You said: "+pastedKey))
		h := newHome(t, nil)
		h.write(t, "../.gemini/settings.json", settings)
		env := []string{"GOOGLE_GEMINI_BASE_URL=" + server.URL, "DBUS_SESSION_BUS_ADDRESS=unix:path=" + h.dir + "/nowhere"}
		c := h.startChat(t, env)
		c.waitFor(whichWay)
		c.keys("1" + keyEnter)
		c.waitFor(pasteKey)
		c.keys(pastedKey + keyEnter)
		c.waitFor("Where is it kept?")
		c.keys("1" + keyEnter)
		c.waitFor("the keychain did not accept it", "Kept in ~/.gemini/gemini-credentials.json")
		c.say("Hi")
		c.waitFor("Hello.")
		c.quit()
		assert.Empty(t, h.holding(t, pastedKey), "that file is enciphered")
		c = h.startChat(t, env)
		c.say("Again")
		c.waitFor("You said: ")
		c.quit()
		assert.Empty(t, h.holding(t, pastedKey), "it is masked in transcripts")
		// It is not sent to an address that the project sets.
		h.write(t, ".env", "GOOGLE_GEMINI_BASE_URL="+server.URL+"/elsewhere\n")
		c = h.startChat(t, append(env[1:], "GEMINI_CLI_TRUST_WORKSPACE=true"))
		c.waitFor("there is no Gemini API key", whichWay)
		c.keys(keyEscape)
		assert.Equal(t, 41, c.exit())
	})
	t.Run("no network", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, nil)
		h.write(t, "../.gemini/settings.json", settings)
		c := h.startChat(t, []string{"GOOGLE_GEMINI_BASE_URL=http://" + nettest.Refusing(t)})
		c.waitFor(whichWay)
		c.keys("1" + keyEnter)
		c.waitFor(pasteKey)
		c.keys(pastedKey + keyEnter)
		c.waitFor("It could not be tried", "Keep it anyway?")
		c.keys("n" + keyEnter)
		c.below("Keep it anyway", whichWay)
		assert.Empty(t, h.holding(t, pastedKey))
		c.keys("1" + keyEnter)
		c.below("Keep it anyway", pasteKey)
		c.keys(pastedKey + keyEnter)
		c.below(pasteKey, "Keep it anyway?")
		c.keys("y" + keyEnter)
		c.waitReady()
		c.quit()
		assert.Equal(t, []string{".gemini/.env"}, h.holding(t, pastedKey))
	})
	t.Run("leaving", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, nil)
		c := h.startChat(t, nil)
		c.waitFor("no way of signing in", whichWay)
		c.keys(keyCtrlC)
		c.waitFor("or the line GEMINI_API_KEY=... into ~/.gemini/.env", "minigem demo")
		assert.Equal(t, 41, c.exit())
	})
}

// TestSignInServer: the user's own server is asked for its models, and the user for a key
// if the server requires one. The demo returns to the choice.
func TestSignInServer(t *testing.T) {
	t.Parallel()
	s := fakemodel.New(fakemodel.Options{Turns: []fakemodel.Turn{{Entry: textAnswer("By my own server.")}}, Strict: true, Key: pastedKey})
	url, stop, err := s.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(stop)
	h := newHome(t, nil)
	c := h.startChat(t, []string{"GOOGLE_APPLICATION_CREDENTIALS=" + h.dir + "/nowhere.json"})
	c.waitFor(whichWay)
	c.keys("2" + keyEnter)
	c.waitFor("Project of Google Cloud")
	c.keys("my-project" + keyEnter)
	c.waitFor("Location (Enter: global):")
	c.keys(keyEnter)
	c.waitFor("no Google credentials were found", "gcloud auth application-default login")
	c.below("gcloud auth", "Project of Google Cloud")
	c.keys(keyEnter)
	c.below("gcloud auth", whichWay)
	assert.NoFileExists(t, filepath.Join(h.dir, ".gemini", ".env"))
	c.keys("4" + keyEnter)
	c.waitFor("What to try next:")
	c.below("What to try next:", whichWay)
	c.keys("3" + keyEnter)
	c.waitFor("Address of the server")
	c.keys("http://" + nettest.Refusing(t) + keyEnter)
	c.waitFor("cannot be reached")
	c.below("cannot be reached", whichWay)
	c.keys("3" + keyEnter)
	c.below("cannot be reached", "Address of the server")
	c.keys(strings.TrimPrefix(url, "http://") + "/v1" + keyEnter)
	c.waitFor("Key of the server")
	c.keys("wrong" + keyEnter)
	c.waitFor("the key was refused")
	c.below("the key was refused", pasteKey)
	c.keys(pastedKey + keyEnter)
	c.waitFor("1. fake-model", "Which model?")
	c.keys("1" + keyEnter)
	c.say("Hi")
	c.waitFor("By my own server.")
	c.quit()
	assert.Equal(t, "OPENAI_API_KEY="+pastedKey+"\nOPENAI_BASE_URL="+url+"/v1\n", h.read(t, "../.gemini/.env"))
	assert.Contains(t, h.read(t, "../.gemini/settings.json"), `"openai/fake-model"`)
	assert.Equal(t, []string{".gemini/.env"}, h.holding(t, pastedKey))
	assert.NotContains(t, c.raw.String(), pastedKey[:8])
}

//go:build unix

package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateScreens = flag.Bool("update-screens", false, "write the golden screens of the chat anew")

// resize changes the size of the window.
func (c *chat) resize(columns, rows int) {
	c.t.Helper()
	c.mu.Lock()
	c.screen.Resize(columns, rows)
	c.mu.Unlock()
	require.NoError(c.t, pty.Setsize(c.window, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}))
}

var unstable = regexp.MustCompile(`\d+ ms|\d+\.\d s|minigem \S+|[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|\(\d+ s,`)

// took matches the duration of a call, which is only shown if it was long.
var took = regexp.MustCompile(`(?m)  \d+\.\d s$`)

// stable returns a screen without what differs from run to run.
func stable(text string) string {
	return unstable.ReplaceAllString(took.ReplaceAllString(text, ""), "*")
}

const longAnswer = `say "# Plan\n\nFirst **this**, which is a sentence that does not fit into a narrow window, then 漢字.\n\n- one\n- two\n\n` + "```go\\nfunc main() {}\\n```\\n\\n" + `| a | b |\n|---|---|\n| 漢字 | x |\n"`

func TestChatScreens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		columns, rows int
		answers       []string
		keys          string // typed at the permission prompt; empty if there is none
		last          string // the last text on the screen
	}{
		{"answer", 80, 30, []string{longAnswer}, "", "漢字 │ x"},
		{"answer-40x10", 40, 10, []string{longAnswer}, "", "漢字 │ x"},
		{"edit-approved", 80, 30, []string{editNotes, "say Changed."}, "y" + keyEnter, "Changed."},
		{"edit-refused", 80, 30, []string{editNotes, "say As you wish."}, "n not today" + keyEnter, "As you wish."},
		{"command-40x10", 40, 10, []string{`call run_shell_command {"command": "touch 'a b' && echo ok"}`, "say Touched."}, "1" + keyEnter, "Touched."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{"notes.txt": "hello\n"})
			chat := h.startChat(t, nil, h.answersFile(t, c.answers...)...)
			chat.waitReady()
			chat.resize(c.columns, c.rows)
			chat.keys("/clear" + keyEnter)
			chat.waitFor("A new session")
			chat.say("Go")
			if c.keys != "" {
				chat.waitFor("Allow", "[1]")
				chat.keys(c.keys)
			}
			chat.waitFor(c.last)
			chat.waitUntil("a prompt", func(text string) bool {
				return statusLine.MatchString(text) && strings.HasSuffix(prompt(text), strings.TrimRight(ready[:min(len(ready), c.columns-3)], " "))
			})
			chat.goldenAfter(c.name, "> Go")
		})
	}
}

// goldenAfter compares the screen from text on, or all of it if text has scrolled away.
func (c *chat) goldenAfter(name, text string) {
	c.t.Helper()
	got := c.text()
	if i := strings.Index(got, text); i >= 0 {
		got = got[i:]
	}
	got = stable(got) + "\n"
	path := filepath.Join("testdata", "screens", name+".txt")
	if *updateScreens {
		require.NoError(c.t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(c.t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(c.t, err)
	assert.Equal(c.t, string(want), got)
}

// TestChatResumes: a session can be resumed inside the chat and with --resume.
func TestChatResumes(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {` +
		noteHook("SessionStart", "start.json") + "," + noteHook("SessionEnd", "end.json") + `}}`})
	first := h.startChat(t, nil, trusted(h.answersFile(t, "say The first answer."))...)
	first.say("The first question")
	first.waitFor("The first answer.")
	first.say("/chat save tulip")
	first.waitFor("Conversation saved")
	first.quit()

	entries := textAnswers(t, "The second answer.", 1)
	server := startFakeAPI(t, entries)
	second := h.startChat(t, server.env(), "-m", "gemini-2.5-flash", "--skip-trust")
	second.say("/resume")
	second.waitFor("The first question  just now, 2 messages, ", "in ~/project?", "[1]")
	second.keys(keyEnter)
	second.waitFor("The first answer.", "The conversation goes on.")
	second.say("The second question")
	second.waitFor("The second answer.")
	second.quit()
	assert.Contains(t, string(server.Log()[0].Body), "The first answer.")
	assert.Empty(t, server.problems())
	assert.Contains(t, h.read(t, "start.json"), `"source":"resume"`)
	assert.Contains(t, h.read(t, "end.json"), `"reason":"other"`)

	third := h.startChat(t, nil, trusted(h.answersFile(t, "say Never."))...)
	third.say("/chat resume tulip")
	third.waitFor("> The first question", "The first answer.")
	third.say("/rewind 1 conversation")
	third.waitFor("Forgotten, from here on: > The first question", "To undo this: /restore")
	third.say("/export it.md")
	third.waitFor("the conversation is still empty")
	third.say("/resume what nobody said")
	third.waitFor("no earlier session of this folder has")
	third.say("/resume SECOND quest")
	third.waitFor("[1]")
	third.keys(keyEnter)
	third.waitFor("> The second question", "The second answer.", "The conversation goes on.")
	third.quit()

	fourth := h.startChat(t, nil, trusted(append(h.answersFile(t, "say Never."), "-r", "latest"))...)
	fourth.waitFor("/help lists commands", "> The second question", "The second answer.", "The conversation goes on.")
	fourth.quit()
}

// TestChatContextOfSessionStart: the model reads what SessionStart hooks add once, right
// after the preamble.
func TestChatContextOfSessionStart(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		"hook.sh":               "#!/bin/sh\ncat >/dev/null\necho '{\"hookSpecificOutput\": {\"additionalContext\": \"tulips are blue\"}}'\n",
		".gemini/settings.json": `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "./hook.sh"}]}]}}`,
	})
	server := startFakeAPI(t, textAnswers(t, "I see.", 2))
	c := h.startChat(t, server.env(), "-m", "gemini-2.5-flash", "--skip-trust")
	for range 2 {
		c.say("Which colour?")
		c.waitFor("I see.")
		c.waitReady()
	}
	c.quit()
	for _, r := range server.Log() {
		body := string(r.Body)
		assert.Equal(t, 1, strings.Count(body, "tulips are blue"))
		assert.Less(t, strings.Index(body, "tulips are blue"), strings.Index(body, "Which colour?"))
	}
	assert.Empty(t, server.problems())
}

// TestChatCustomCommands: the user's own commands are prompts, with and without a
// terminal.
func TestChatCustomCommands(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		"notes.txt":                       "hello\n",
		".gemini/commands/ask/notes.toml": "description = \"Ask about notes\"\nprompt = \"About {{args}}: @{notes.txt} !{touch made; echo printed}\"\n",
	})
	server := startFakeAPI(t, textAnswers(t, "I see.", 1))
	c := h.startChat(t, server.env(), "-m", "gemini-2.5-flash", "--skip-trust")
	c.say("/help")
	c.waitFor("Ask about notes")
	c.say("/ask:notes my day")
	c.waitFor("Allow", "touch made", "[1]")
	c.keys(keyEnter)
	c.waitFor("I see.")
	c.quit()
	body := string(server.Log()[0].Body)
	assert.Contains(t, body, "About my day: hello")
	assert.Contains(t, body, "printed")
	assert.FileExists(t, filepath.Join(h.workspace, "made"))
	assert.Empty(t, server.problems())

	for _, prompt := range []string{"/ask:notes x", "/help", "/hlep"} { // nothing can allow the first one
		out := h.run(t, run{Args: append(h.answersFile(t, "say Never."), "--skip-trust", "-p", prompt)})
		assert.Equal(t, 42, out.Code, prompt)
		assert.Empty(t, out.Stdout, prompt)
	}
	out := h.run(t, run{Args: append(h.answersFile(t, "say Sent."), "--skip-trust", "--yolo", "-p", "/ask:notes x")})
	assert.Equal(t, 0, out.Code, out.Stderr)
	assert.Equal(t, "Sent.\n", out.Stdout)
}

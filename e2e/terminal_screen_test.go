//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"minigem/internal/waittest"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// This makes the emulator cut lines when its window becomes narrower, as xterm does.
const cuttingTerminal = "XTERM_VERSION=XTerm(1)"

// golden waits until the screen equals a golden file. Text before the last occurrence of
// from is ignored.
func (c *chat) golden(name, from string) {
	c.t.Helper()
	path := filepath.Join("testdata", "screens", name+".txt")
	seen := func(text string) string {
		if i := strings.LastIndex(text, from); i >= 0 {
			text = text[i:]
		}
		return stable(text) + "\n"
	}
	if *updateScreens {
		time.Sleep(time.Second) // for people who look at the result
		require.NoError(c.t, os.WriteFile(path, []byte(seen(c.text())), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(c.t, err)
	for ctx := waittest.Context(c.t); seen(c.text()) != string(want) && ctx.Err() == nil; {
		time.Sleep(10 * time.Millisecond) // nothing else shows what is asserted below
	}
	assert.Equal(c.t, string(want), seen(c.text()), name)
}

// TestChatResized: at the prompt with a long line, in the middle of a stream, and in a
// question. The terminal cuts earlier text, but current and later text is right.
func TestChatResized(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		"notes.txt": "hello\n",
		".gemini/settings.json": `{"ui": {"hideFooter": true}, "hooks": {"AfterModel": [{"hooks": [{"type": "command", "name": "slow",
			"command": "grep -q 'Second' && { touch waiting; while [ ! -e go ]; do sleep 0.01; done; }; true"}]}]}}`,
	})
	words := strings.Repeat("words that fill the window and more ", 4)
	c := h.startChat(t, []string{cuttingTerminal}, trusted(h.answersFile(t,
		`say "First paragraph.\n\n"`+"\n"+`say "Second `+words+`\n\n"`,
		editNotes, "say Changed."))...)
	sizes := func(name, from string) {
		t.Helper()
		c.resize(60, 20)
		c.golden(name+"-60x20", from)
		c.resize(100, 40)
		c.golden(name+"-100x40", from)
		c.resize(120, 30)
	}
	c.waitReady()
	c.resize(120, 30)
	c.keys("Go on and say it: " + words)
	c.waitFor("more words")
	sizes("resized-prompt", "> Go on")
	c.keys(keyEnter)
	waitFor(t, h.workspace+"/waiting")
	c.waitFor("slow")
	sizes("resized-stream", "First paragraph")
	h.write(t, "go", "")
	c.golden("resized-stream-end", "Second")
	c.say("Change it")
	c.waitFor("[1]")
	sizes("resized-question", "? Confirm")
	c.keys("\x1b[B\x1b[B\x1b[B")
	c.waitFor("[4]")
	c.resize(60, 20)
	c.keys(keyEnter)
	c.golden("resized-question-end", "Allow this")
	assert.Equal(t, "hello\n", h.read(t, "notes.txt"))
	c.quit()
}

// TestChatSmall: windows of every size, and terminals with few features.
func TestChatSmall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		columns, rows int
		env           []string
		mark          string
	}{
		{"80x24", 80, 24, nil, "●"},
		{"40x10", 40, 10, nil, "●"},
		{"20x10", 20, 10, nil, "●"},
		{"dumb", 80, 24, []string{"TERM=dumb"}, "●"},
		{"no-color", 80, 24, []string{"NO_COLOR=1"}, "●"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{"notes.txt": "hello\n"})
			chat := h.startChat(t, append(c.env, cuttingTerminal), h.answersFile(t, longAnswer, editNotes, "say Changed.")...)
			chat.waitFor("/help lists commands", "\n>")
			chat.resize(c.columns, c.rows)
			chat.keys("Tell me all about it, will you?" + keyEnter)
			chat.waitFor("漢字 │ x")
			chat.golden("small-answer-"+c.name, "> Tell me")
			chat.keys("Change it" + keyEnter)
			chat.waitFor("[1]")
			chat.golden("small-question-"+c.name, "> Change it")
			chat.keys("n because of reasons that are long" + keyEnter)
			chat.waitFor("Changed.")
			chat.golden("small-refused-"+c.name, "Allow")
			chat.keys("/quit" + keyEnter)
			assert.Equal(t, 0, chat.exit())
		})
	}
}

// TestChatNeedsATerminal on both sides: with a pipe on one of them, minigem does not start
// a chat and leaves the other one unchanged.
func TestChatNeedsATerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	out := h.run(t, run{Args: h.answersFile(t, "say Hello."), Stdin: "Hi"})
	assert.Equal(t, outcome{Stdout: "Hello.\n"}, outcome{Code: out.Code, Stdout: out.Stdout, Stderr: out.Stderr})
	out = h.run(t, run{Args: h.answersFile(t, "say Hello.")})
	assert.Equal(t, 42, out.Code)
	assert.NotContains(t, out.Stdout+out.Stderr, "\x1b")
}

// TestChatNeedsAScreen: if input is a terminal but output is a pipe, a prompt is answered,
// and without a prompt there is an error.
func TestChatNeedsAScreen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prompt, stdout, stderr string
		code                   int
	}{
		{"Hi", "Hello.\n", "", 0},
		{"", "", "minigem: there is no prompt: give one with -p, as an argument, or on standard input\n", 42},
	} {
		h := newHome(t, nil)
		args := h.answersFile(t, "say Hello.")
		if c.prompt != "" {
			args = append(args, c.prompt)
		}
		keyboard, tty, err := pty.Open()
		require.NoError(t, err)
		cmd, stdout, stderr := h.command(t, run{Args: args, Env: []string{"TERM=xterm-256color"}})
		cmd.Stdin = tty
		_ = cmd.Run()
		assert.Equal(t, c.code, cmd.ProcessState.ExitCode())
		assert.Equal(t, c.stdout, stdout.String())
		assert.Equal(t, c.stderr, stderr.String())
		require.NoError(t, tty.Close())
		require.NoError(t, keyboard.Close())
	}
}

//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestChatAlerts: the terminal is notified once when the chat waits for the user and when
// the work is done, unless it has the focus (cli/utils/terminalNotifications.ts).
func TestChatAlerts(t *testing.T) {
	t.Parallel()
	const osc9 = "\x1b]9;minigem | is done | Go\a"
	for _, c := range []struct {
		name     string
		settings string
		env      []string
		focus    string // what the terminal reports
		want     []string
		never    []string
	}{
		{"off", `{}`, nil, "", nil, []string{"\x1b]9;", "\x1b]777;", "\a", "\x1b[?1004h"}},
		{"bell", `{"general": {"enableNotifications": true, "notificationMethod": "bell"}}`, nil, "", []string{"\a", "\x1b[?1004h", "\x1b[?1004l"}, []string{"\x1b]9;"}},
		{"osc9", `{"general": {"enableNotifications": true, "notificationMethod": "osc9"}}`, nil, "", []string{osc9, "\x1b]9;minigem | Tool Confirm"}, nil},
		{"osc777", `{"general": {"enableNotifications": true}}`, nil, "", []string{"\x1b]777;notify;minigem;is done | Go\a"}, nil},
		{"in tmux", `{"general": {"enableNotifications": true, "notificationMethod": "osc9"}}`, []string{"TMUX=/tmp/tmux"}, "", []string{"\x1bPtmux;\x1b\x1b]9;minigem | is done | Go\a\x1b\\"}, nil},
		{"focused", `{"general": {"enableNotifications": true, "notificationMethod": "osc9"}}`, nil, "\x1b[I", nil, []string{"\x1b]9;"}},
		{"not focused any more", `{"general": {"enableNotifications": true, "notificationMethod": "osc9"}}`, nil, "\x1b[I\x1b[O", []string{osc9}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{"../.gemini/settings.json": c.settings})
			chat := h.startChat(t, c.env, h.answersFile(t, `call run_shell_command {"command": "touch one"}`, "say Done.")...)
			chat.waitReady()
			chat.keys(c.focus)
			chat.say("Go")
			chat.waitFor("[1]")
			chat.keys(keyEnter)
			chat.waitFor("Done.")
			chat.quit()
			chat.mu.Lock()
			defer chat.mu.Unlock()
			raw := chat.raw.String()
			for _, want := range c.want {
				assert.Contains(t, raw, want)
			}
			for _, never := range c.never {
				assert.NotContains(t, raw, never)
			}
			if c.name == "bell" {
				assert.Equal(t, 2, strings.Count(raw, "\a"), "once for the question, once for the end")
			}
		})
	}
}

// TestChatIsNotFooledByNames: the names of files, arguments, models and sessions, and text
// that errors repeat, are inert.
func TestChatIsNotFooledByNames(t *testing.T) {
	t.Parallel()
	const evil = "a\x1b]0;owned\x07\x1b[2J\u009b2J\u202eb\u2066c"
	h := newHome(t, map[string]string{
		"notes.txt": "hello\n",
		".gemini/settings.json": `{"hooks": {"BeforeTool": [{"matcher": "write_file", "hooks": [{"type": "command", "name": "na\u001b[2Jme\u202e",
			"command": "echo 'why\u001b]0;owned\u0007 \u202eno' >&2; exit 2"}]}]}}`,
	})
	quoted := `a\u001b]0;owned\u0007\u001b[2J\u009b2J\u202eb\u2066c`
	c := h.startChat(t, nil, trusted(h.answersFile(t,
		`call write_file {"file_path": "`+quoted+`.txt", "content": "x"}`,
		`call replace {"file_path": "notes.txt", "instruction": "greet", "old_string": "hello", "new_string": "`+quoted+`"}`,
		`call run_shell_command {"command": "echo `+quoted+`", "description": "`+quoted+`"}`,
		`call no_such_tool`+" "+`{"x": "`+quoted+`"}`,
		"say Done."))...)
	c.say("Go")
	c.waitFor("Confirm Edit", "<U+001B>", "<U+202E>", "[1]")
	c.keys("n no" + keyEnter)
	c.waitFor("$ echo a<U+001B>]0;owned<U+0007>")
	c.keys("n no" + keyEnter)
	c.waitFor("Done.")
	for _, line := range []string{"/model set x\u202ey", "/chat save a\u202eb", "/nosuch\u2066", "/hooks list", "/resume a\u202eb"} {
		c.waitReady()
		c.keys(line)
		c.waitFor("> " + strings.NewReplacer("\u202e", "", "\u2066", "").Replace(line))
		c.keys(keyEnter)
	}
	c.waitReady()
	c.quit()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, forbidden := range []string{"\x1b]", "\x1b[2J", "\u009b", "\u202e", "\u2066"} {
		assert.NotContains(t, strings.Replace(c.raw.String(), askBackground, "", 1), forbidden)
	}
	out := h.run(t, run{Args: []string{"hooks", "list"}})
	listed := h.run(t, run{Args: []string{"--list-sessions"}})
	bad := h.run(t, run{Args: []string{"--resume", evil, "-p", "x"}})
	for _, text := range []string{out.Stdout + out.Stderr, listed.Stdout + listed.Stderr, bad.Stdout + bad.Stderr} {
		for _, forbidden := range []string{"\x1b", "\u009b", "\u202e", "\x07"} {
			assert.NotContains(t, text, forbidden)
		}
	}
}

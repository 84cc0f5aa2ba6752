//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestChatRewindsPastACompression: the prompts before /compress are still available with
// their files, in the chat, after leaving it, and to the subcommand. Rewinding restores
// the conversation, and what was rewound can be restored.
func TestChatRewindsPastACompression(t *testing.T) {
	t.Parallel()
	short := "whole\nsay <state_snapshot>short</state_snapshot>"
	h := newHome(t, map[string]string{"notes.txt": "hello\n"})
	h.write(t, "../.gemini/settings.json", `{"ui": {"hideFooter": true}}`)
	answers := trusted(h.answersFile(t, editNotes, "say Changed.", "say A long answer. "+numbers(0, 400), "say Another one. "+numbers(400, 800), short, short,
		makeFile, "say Made.", "say Fourth."))
	c := h.startChat(t, nil, append(answers, "--yolo")...)
	c.saySees("Change it", "Changed.")
	c.saySees("One", "A long answer.")
	c.saySees("Two", "Another one.")
	c.saySees("/compress", "Chat history compressed")
	c.saySees("Make it", "Made.")
	listed := "1. Make it  1 file +2 -0, just now\n  2. Two  just now\n  3. One  just now\n  4. Change it  1 file +1 -1, just now\n"
	c.saySees("/rewind", listed)
	c.keys(keyEscape)
	c.saySees("/rewind 3 conversation", "Forgotten, from here on: > One")
	c.saySees("/rewind", "● 1. Change it  1 file +1 -1")
	c.keys(keyEscape)
	all := c.waitReady()
	undo := all[strings.LastIndex(all, "To undo this: ")+len("To undo this: "):]
	undo, _, _ = strings.Cut(undo, "\n")
	c.saySees("/chat share before.md", "Written")
	shared := h.read(t, "before.md")
	assert.Contains(t, shared, "Change it")
	assert.NotContains(t, shared, "state_snapshot")
	assert.NotContains(t, shared, "A long answer")
	c.saySees(undo+" conversation", "The conversation goes on.")
	c.saySees("/rewind", listed)
	c.keys(keyEscape)
	c.quit()

	// After the chat, from the file.
	o := h.run(t, run{Args: []string{"sessions", "rewind", "latest", "4"}})
	assert.Equal(t, 0, o.Code, o.Stderr)
	assert.Equal(t, "hello\n", h.read(t, "notes.txt"))
	assert.NoFileExists(t, h.workspace+"/new.txt")
	o = h.run(t, run{Args: []string{"sessions", "rewind", "latest"}})
	assert.Contains(t, o.Stdout+o.Stderr, "no saved sessions", "nothing was said before it")
}

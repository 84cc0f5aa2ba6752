//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/protocol"
)

// TestHookFaultsInTheChat is TestHookFaults for the events that need a user: Notification,
// before a permission prompt, and the events around /compress. None of them can prevent
// anything, even with a deny.
func TestHookFaultsInTheChat(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	if testing.Short() {
		t.Skip("many chats")
	}
	for _, f := range hookFaults {
		for _, deny := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/deny=%t", f.name, deny), func(t *testing.T) {
				t.Parallel()
				f.meetInTheChat(t, deny)
			})
		}
	}
}

func (f hookFault) meetInTheChat(t *testing.T, deny bool) {
	group := []any{map[string]any{"hooks": []any{
		map[string]any{"type": "command", "name": "faulty", "command": f.script(deny), "timeout": f.limits()[0].Milliseconds()},
	}}}
	settings, err := json.Marshal(map[string]any{"hooks": map[protocol.Event]any{protocol.Notification: group, protocol.PreCompress: group, protocol.PostCompact: group}})
	require.NoError(t, err)
	h := newHome(t, map[string]string{"../.gemini/settings.json": string(settings)})
	c := h.startChat(t, nil, trusted(h.answersFile(t,
		`call write_file {"file_path": "a.txt", "content": "x"}`, "say A long answer. "+numbers(0, 400), "say Another one. "+numbers(400, 800),
		"whole\nsay <state_snapshot>short</state_snapshot>", "whole\nsay <state_snapshot>short</state_snapshot>"))...)
	c.say("One")
	c.waitFor("Allow", "1. ")
	c.keys("1" + keyEnter)
	c.waitFor("A long answer.")
	assert.Equal(t, "x", h.read(t, "a.txt"))
	c.say("Two")
	c.waitFor("Another one.")
	c.say("/compress")
	text := c.waitFor("Chat history compressed")
	if !f.quiet {
		assert.Contains(t, text, `hook "faulty" for PreCompress failed: `)
		assert.Contains(t, text, `hook "faulty" for PostCompact failed: `)
	}
	c.quit()
	for _, file := range transcriptsIn(h.dir) {
		assert.NoError(t, checkTranscript(file))
	}
	assertNoOrphans(t, h.dir)
}

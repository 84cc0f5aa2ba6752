//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestChatClearKeepsTheContextOfSessionStart: after /clear, the model first reads what the
// SessionStart hook adds.
func TestChatClearKeepsTheContextOfSessionStart(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {` + noteHook("BeforeModel", "requests.json") + `,
		"SessionStart": [{"matcher": "clear", "hooks": [{"type": "command",
			"command": "echo '{\"hookSpecificOutput\": {\"additionalContext\": \"rules after clear\"}}'"}]}]}}`})
	c := h.startChat(t, nil, trusted(h.answersFile(t, "say First answer.", "say Second answer."))...)
	c.say("One")
	c.waitFor("First answer.")
	assert.NotContains(t, h.read(t, "requests.json"), "rules after clear")
	c.say("/clear")
	c.waitUntil("an empty screen", func(text string) bool { return !strings.Contains(text, "First answer.") })
	c.say("Two")
	c.waitFor("Second answer.")
	c.quit()
	requests := h.read(t, "requests.json")
	assert.Equal(t, 1, strings.Count(requests, "<hook_context>rules after clear</hook_context>"), requests)
	assert.NotContains(t, requests, "First answer.", "the cleared session is gone")
}

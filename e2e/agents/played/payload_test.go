package played

import (
	"testing"

	"github.com/stretchr/testify/assert"

	tables "minigem/hooks/agents"
)

// TestPayloadsKeepTheirOrder: a hook that reads its payload as text finds the fields in
// the order in which the agent writes them.
func TestPayloadsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	gemini, err := tables.Find("gemini")
	assert.NoError(t, err)
	v := tables.Values{Own: map[string]any{}, Base: map[string]any{
		"session_id": "s", "transcript": "t", "cwd": "/w", "now": "n", "tool": "run_shell_command", "input": map[string]any{"command": "a < b"},
	}}
	template := gemini.Play.Payloads["BeforeTool"]
	assert.Equal(t, `{"session_id":"s","transcript_path":"t","cwd":"/w","hook_event_name":"BeforeTool","timestamp":"n",`+
		`"tool_name":"run_shell_command","tool_input":{"command":"a < b"}}`, string(tables.InOrder(template, v.Payload(template))))
	assert.Equal(t, `{}`, string(tables.InOrder(tables.Template(""), v.Payload(""))))
}

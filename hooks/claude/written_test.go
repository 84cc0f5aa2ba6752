package claude_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/claude"
	"minigem/hooks/jsonc"
)

// TestWritten checks which agent the hooks are for, also if all events have the same
// name in both.
func TestWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"PreToolUse": []}`: true,
		`{"BeforeTool": []}`: false,
		`{"SessionStart": [{"hooks": [{"type": "command", "command": "./x"}]}]}`:                                       false,
		`{"SessionStart": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x"}]}]}`:                   true,
		`{"SubagentStop": [{"hooks": [{"type": "command", "command": "bash", "args": ["${CLAUDE_PLUGIN_ROOT}/x"]}]}]}`: true,
		`{"Notification": [{"matcher": "idle_prompt", "hooks": []}]}`:                                                  true,
		`{"Notification": [{"matcher": "Idle", "hooks": []}]}`:                                                         false,
		`{"SessionStart": [{"hooks": [{"command": "${CLAUDE_PLUGIN_ROOT}/x"}]}], "BeforeTool": []}`:                    false,
		`null`: false,
	} {
		doc, err := jsonc.Parse("x", []byte(text))
		require.NoError(t, err)
		assert.Equal(t, want, claude.Written(doc.Root()), text)
	}
}

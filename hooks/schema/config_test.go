package schema_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/hooks/schema"
)

// TestConfigurationAgreesWithTheLoader checks that the schema refuses exactly those
// entries that the loader reports.
func TestConfigurationAgreesWithTheLoader(t *testing.T) {
	t.Parallel()
	resolved, err := schema.Configuration().Resolve(nil)
	require.NoError(t, err)
	for _, c := range []struct {
		entry string
		valid bool
	}{
		{`{"type": "command", "command": "./x", "name": "n", "description": "d", "timeout": 5000, "env": {"A": "b"}, "onError": "block", "dialect": "claude", "if": "Bash(git *)"}`, true},
		{`{"type": "command", "command": "x", "args": ["a"], "statusMessage": "s", "async": true, "once": true}`, true},
		{`{"type": "http", "url": "https://h.example/x", "headers": {"A": "$B"}, "allowedEnvVars": ["B"], "once": true}`, true},
		{`{"type": "prompt", "prompt": "ok?", "model": "flash", "statusMessage": "s"}`, true},
		{`{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": "${tool_input.b}"}, "timeout": 5000}`, true},
		{`{"type": "command", "command": "x", "_remark": 1, "//": "x", "$schema": "y"}`, true},
		{`{"command": "x"}`, false},
		{`{"type": "Command", "command": "x"}`, false},
		{`{"type": "agent", "prompt": "x"}`, false},
		{`{"type": "command"}`, false},
		{`{"type": "command", "command": "x", "url": "https://h.example"}`, false},
		{`{"type": "command", "command": "x", "timeOut": 5}`, false},
		{`{"type": "command", "command": "x", "timeout": -1}`, false},
		{`{"type": "command", "command": "x", "onError": "stop"}`, false},
		{`{"type": "command", "command": "x", "dialect": "codex"}`, false},
		{`{"type": "command", "command": "x", "async": "yes"}`, false},
		{`{"type": "command", "command": "x", "args": "a"}`, false},
		{`{"type": "http"}`, false},
		{`{"type": "http", "url": 5}`, false},
		{`{"type": "http", "url": "https://h.example", "allowedEnvVars": "B"}`, false},
		{`{"type": "prompt"}`, false},
		{`{"type": "mcp_tool", "server": "s"}`, false},
		{`{"type": "mcp_tool", "server": "s", "tool": "t", "input": "x"}`, false},
		{`{"type": "prompt", "prompt": "x", "command": "x"}`, false},
	} {
		text := fmt.Sprintf(`{"BeforeTool": [{"hooks": [%s]}]}`, c.entry)
		var v any
		require.NoError(t, json.Unmarshal([]byte(text), &v))
		assert.Equal(t, c.valid, resolved.Validate(v) == nil, "schema: %s: %v", c.entry, resolved.Validate(v))
		section, err := config.LoadSettings(hooks.LayerUser, "/f", []byte(`{"hooks": `+text+`}`))
		require.NoError(t, err)
		assert.Equal(t, c.valid, len(section.Problems) == 0, "loader: %s: %v", c.entry, section.Problems)
	}
	for _, e := range protocol.Events {
		assert.Contains(t, schema.Configuration().Properties, string(e))
	}
}

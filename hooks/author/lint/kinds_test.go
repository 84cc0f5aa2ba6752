package lint_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/lint"
)

// TestKindsAndEventsThatAreRight checks that correct hooks of every kind, and of the
// events that Gemini CLI lacks, get only notes.
func TestKindsAndEventsThatAreRight(t *testing.T) {
	t.Parallel()
	for _, h := range []struct{ event, matcher, fields string }{
		{"BeforeTool", "^(write_file)$", `"type": "http", "url": "https://hooks.example/guard", "onError": "block", "headers": {"Authorization": "Bearer $TOKEN"}, "allowedEnvVars": ["TOKEN"]`},
		{"AfterModel", "", `"type": "http", "url": "http://127.0.0.1:8080/chunk"`},
		{"BeforeTool", "Bash", `"type": "prompt", "prompt": "Is this fine? $ARGUMENTS", "dialect": "claude"`},
		{"BeforeTool", "Write|Edit", `"type": "mcp_tool", "server": "judge", "tool": "look", "input": {"path": "${tool_input.file_path}"}, "dialect": "claude", "if": "Edit(src/**)"`},
		{"AfterTool", "", `"type": "command", "command": "true", "async": true, "statusMessage": "Formatting"`},
		{"SessionStart", "", `"type": "command", "command": "true", "once": true`},
		{"SessionStart", "compact", `"type": "command", "command": "./say.sh"`},
		{"SessionStart", "startup|compact", `"type": "command", "command": "./say.sh", "dialect": "claude"`},
		{"PostCompact", "auto", `"type": "command", "command": "./say.sh"`},
		{"StopFailure", "rate_limit|overloaded", `"type": "command", "command": "./say.sh", "dialect": "claude"`},
		{"StopFailure", "cancelled", `"type": "command", "command": "./say.sh"`},
		{"Notification", "idle_prompt", `"type": "command", "command": "./say.sh", "dialect": "claude"`},
		{"PermissionRequest", "^(run_shell_command)$", `"type": "command", "command": "./ask.sh"`},
		{"PostToolUseFailure", "Bash", `"type": "command", "command": "./say.sh", "dialect": "claude"`},
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "say.sh"), []byte("#!/usr/bin/env bash\ncat >/dev/null\necho '{\"systemMessage\": \"look\"}'\n"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "ask.sh"), []byte("#!/usr/bin/env bash\nif grep -q 'rm -rf'; then echo 'not that' >&2; exit 2; fi\n"), 0o755))
		settings := `{"hooks": {"` + h.event + `": [{"matcher": "` + h.matcher + `", "hooks": [{"name": "h", ` + h.fields + `}]}]}}`
		for _, found := range lint.Run(load(t, dir, settings, hooks.LayerProject).input) {
			assert.Equal(t, lint.Note, found.Severity, "%s: %s %s", settings, found.Code, found.Message)
		}
	}
}

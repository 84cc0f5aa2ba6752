package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMCPHooks: with a hook of type mcp_tool, the tool's result is the answer, its failure
// is one too, and a denied call does not happen.
func TestMCPHooks(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	command, _ := json.Marshal(exe)
	for _, c := range []struct {
		name, hook string
		ran        bool
		says       string // part of stderr
	}{
		{"a denial", `"server": "srv", "tool": "judge", "input": {"of": "${tool_input.command}!", "say": "deny"}`, false, "no touch ran!"},
		{"a yes", `"server": "srv", "tool": "judge", "input": {"of": "x", "say": "allow"}`, true, ""},
		{"words", `"server": "srv", "tool": "lookup", "input": {"name": "HOME"}`, true, "HOME is "},
		{"an error of the tool", `"server": "srv", "tool": "lookup", "input": {"name": "NO_SUCH"}`, true, "there is no NO_SUCH"},
		{"an error that blocks", `"server": "srv", "tool": "lookup", "input": {"name": "NO_SUCH"}, "onError": "block"`, false, "there is no NO_SUCH"},
		{"wrong arguments", `"server": "srv", "tool": "lookup", "onError": "block"`, false, "do not fit the tool"},
		{"no such tool", `"server": "srv", "tool": "look", "onError": "block"`, false, `the MCP server srv offers no tool "look"`},
		{"no such server", `"server": "x", "tool": "lookup", "onError": "block"`, false, `no MCP server is called "x"`},
		{"a server that does not start", `"server": "bad", "tool": "lookup", "onError": "block"`, false, "/no/such/program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{".gemini/settings.json": fmt.Sprintf(
				`{"mcpServers": {"bad": {"command": "/no/such/program"}, "srv": {"command": %s, "args": ["-x"], "env": {%q: "judge"}}},
				"hooks": {"BeforeTool": [{"matcher": "^run_shell_command$", "hooks": [{"type": "mcp_tool", %s}]}]}}`, command, mcpServerMode, c.hook)})
			o := h.run(t, run{Args: append(h.answersFile(t, `call run_shell_command {"command": "touch ran"}`, "say Done."), "--skip-trust", "--yolo", "-p", "go")})
			assert.Zero(t, o.Code, o.Stderr)
			_, err := os.Stat(filepath.Join(h.workspace, "ran"))
			assert.Equal(t, c.ran, err == nil, o.Stderr)
			assert.Contains(t, o.Stderr+o.Stdout, c.says)
		})
	}
}

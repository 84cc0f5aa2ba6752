//go:build unix

package toolcall_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
	"minigem/tools/workspace"
)

// TestTheVerdictReachesTheSandbox: a command that runs unasked because it only
// reads is started as one that may write nothing, and no other is.
func TestTheVerdictReachesTheSandbox(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		mode policy.Mode
		want []bool // of each start; none: it does not run
	}{
		{"pwd", policy.ModeDefault, []bool{true}},
		{"pwd && cat a", policy.ModeDefault, []bool{true}},
		{"touch new", policy.ModeDefault, nil},
		{"git version", policy.ModeDefault, []bool{false}}, // a rule allows it
		{"pwd && git version", policy.ModeDefault, []bool{false}},
		{"pwd", policy.ModeYolo, []bool{false}},
		{"touch new", policy.ModeYolo, []bool{false}},
	} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
		ws, err := workspace.New(dir)
		require.NoError(t, err)
		var started []bool
		shell := builtin.RunShellCommand(ws, builtin.ShellOptions{
			Confine: func(onlyReads bool, argv []string, _ *os.ProcAttr) ([]string, error) {
				started = append(started, onlyReads)
				return argv, nil
			},
		})
		rules, err := policy.New(policy.Options{Mode: c.mode, Interactive: true, InWorkspace: ws.Writable,
			Rules: []policy.Rule{{Tools: []string{"run_shell_command"}, Prefixes: []string{"git"}, Decision: policy.Allow, Priority: 3100}}})
		require.NoError(t, err)
		r := toolcall.Runner{Registry: tools.NewRegistry(shell), Policy: rules}
		results, verdict := r.Run(t.Context(), []llm.ToolCall{{ID: "1", Name: "run_shell_command", Args: map[string]any{"command": c.line}}}, func(string) bool { return true })
		assert.False(t, verdict.Denied())
		assert.Equal(t, c.want, started, "%s in %s: %+v", c.line, c.mode, results)
	}
}

package slash_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
	"minigem/internal/slash"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
	"minigem/tools/workspace"
)

// TestShellOfCustomCommands checks that a command in a prompt runs like the model's:
// only if the policy or the user allows it, and confined.
func TestShellOfCustomCommands(t *testing.T) {
	t.Parallel()
	ws, err := workspace.New(t.TempDir())
	require.NoError(t, err)
	rules, err := policy.New(policy.Options{Interactive: true})
	require.NoError(t, err)
	var confined []string
	shell := slash.Shell{
		Tool: builtin.RunShellCommand(ws, builtin.ShellOptions{
			Env: os.Environ,
			Confine: func(argv []string, _ *os.ProcAttr) ([]string, error) {
				confined = argv
				return argv, nil
			},
			Sandbox: true,
		}), Policy: rules,
	}
	_, err = shell.Run(t.Context(), "echo ran >x")
	require.ErrorContains(t, err, "the policy does not let this command run: echo ran >x")
	for outcome, fault := range map[policy.Outcome]string{
		policy.ProceedOnce: "", policy.Cancel: "the command was not allowed, and nothing was sent"} {
		confined = nil
		shell.Ask = func(_ context.Context, q toolcall.Question) toolcall.Answer {
			assert.Equal(t, "run_shell_command", q.Call.Name)
			return toolcall.Answer{Outcome: outcome}
		}
		text, err := shell.Run(t.Context(), "echo ran | tee x; exit 3")
		if fault != "" {
			require.EqualError(t, err, fault)
			assert.Nil(t, confined)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, "ran\n[Shell command 'echo ran | tee x; exit 3' exited with code 3]", text)
		assert.NotEmpty(t, confined)
	}
}

// TestShellOfCustomCommandsReadsConfined checks that a command that runs without a
// question because it only reads cannot write here either.
func TestShellOfCustomCommandsReadsConfined(t *testing.T) {
	t.Parallel()
	if err := confine.Supported(); err != nil {
		t.Skip(err)
	}
	ws, err := workspace.New(t.TempDir())
	require.NoError(t, err)
	rules, err := policy.New(policy.Options{Interactive: true, Refused: func(path string, r workspace.Reach) string {
		return ws.Refused(path, r, workspace.Ignore{})
	}})
	require.NoError(t, err)
	shell := slash.Shell{Tool: builtin.RunShellCommand(ws, builtin.ShellOptions{Env: os.Environ}), Policy: rules}
	_, err = shell.Run(t.Context(), `awk 'BEGIN { print "x" > "new" }'`)
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(ws.Dirs()[0], "new"))
}

//go:build unix

package toolcall_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/confine"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
	"minigem/tools/workspace"
)

// consent answers each question with "once".
type consent struct{}

func (consent) Approve(context.Context, toolcall.Question) toolcall.Answer {
	return toolcall.Answer{Outcome: policy.ProceedOnce}
}

// TestTheVerdictReachesTheSandbox checks that the sandbox confines every command except
// those that run without asking because they only read, which have separate rules.
func TestTheVerdictReachesTheSandbox(t *testing.T) {
	t.Parallel()
	if err := confine.Supported(); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		line string
		mode policy.Mode
		all  bool // every command runs in the sandbox
		want int  // number of starts in the sandbox
		asks bool // a hook has the user asked, who says yes
	}{
		{"pwd", policy.ModeDefault, true, 0, false},
		{"pwd && cat a", policy.ModeDefault, true, 0, false},
		{"touch new", policy.ModeDefault, true, 0, false},
		{"git version", policy.ModeDefault, true, 1, false}, // a rule allows it
		{"pwd && git version", policy.ModeDefault, true, 1, false},
		{"pwd", policy.ModeYolo, true, 1, false},
		{"touch new", policy.ModeYolo, true, 1, false},
		{"pwd", policy.ModeDefault, false, 0, false},
		{"git version", policy.ModeDefault, false, 0, false},
		{"bash --version", policy.ModeDefault, false, 1, false}, // a rule allows it in the sandbox
		{"pwd && bash --version", policy.ModeDefault, false, 1, false},
		{"bash --version", policy.ModeYolo, false, 1, false},
		{"touch new", policy.ModeYolo, false, 0, false},
		{"git version", policy.ModeDefault, false, 0, true},
		{"bash --version", policy.ModeDefault, false, 1, true},
	} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
		ws, err := workspace.New(dir)
		require.NoError(t, err)
		started := 0
		shell := builtin.RunShellCommand(ws, builtin.ShellOptions{
			Confine: func(argv []string, _ *os.ProcAttr) ([]string, error) {
				started++
				return argv, nil
			},
			Sandbox: c.all,
		})
		rules, err := policy.New(policy.Options{Mode: c.mode, Interactive: true, InWorkspace: ws.Writable,
			Refused: func(path string, r workspace.Reach) string { return ws.Refused(path, r, workspace.Ignore{}) },
			Rules: []policy.Rule{
				{Tools: []string{"run_shell_command"}, Prefixes: []string{"git"}, Decision: policy.Allow, Priority: 3100},
				{Tools: []string{"run_shell_command"}, Prefixes: []string{"bash --version"}, Decision: policy.Allow, Priority: 3100,
					Sandbox: true},
			}})
		require.NoError(t, err)
		r := toolcall.Runner{Registry: tools.NewRegistry(shell), Policy: rules}
		if c.asks {
			r.Approver = consent{}
			r.Hooks = &hooks.Engine{
				Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Name: "asks"}}},
				Runner: hooks.Functions{ByName: map[string]hooks.Function{
					"asks": hooks.Func(func(protocol.BeforeToolInput) protocol.Output {
						return protocol.Output{Decision: protocol.Ask}
					}),
				}},
			}
		}
		results, verdict := r.Run(
			t.Context(), []llm.ToolCall{{ID: "1", Name: "run_shell_command", Args: map[string]any{"command": c.line}}},
			func(string) bool { return true })
		assert.False(t, verdict.Denied())
		text := results[0].Response["output"]
		assert.Equal(t, c.line == "touch new" && c.mode == policy.ModeDefault,
			!strings.Contains(fmt.Sprint(text), "Process Group PGID"), "%s ran: %v", c.line, text)
		assert.Equal(t, c.want, started, "%s in %s, asked %v: %+v", c.line, c.mode, c.asks, results)
	}
}

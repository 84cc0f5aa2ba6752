package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/workspace"
)

// TestOnlyReadsNeedsNoRule checks OnlyReads: a rule or yolo mode allows
// more than reading.
func TestOnlyReadsNeedsNoRule(t *testing.T) {
	t.Parallel()
	touch, _ := policy.FromLists(policy.Lists{Allowed: []string{"run_shell_command(touch)"}})
	for _, c := range []struct {
		mode  policy.Mode
		rules []policy.Rule
		line  string
		reads bool
	}{
		{policy.ModeDefault, nil, "pwd", true},
		{policy.ModeDefault, nil, "pwd && sort a", true},
		{policy.ModeDefault, nil, "pwd && touch a", false},
		{policy.ModeDefault, touch, "touch a", false},
		{policy.ModeYolo, nil, "pwd", false},
	} {
		e, err := policy.New(
			policy.Options{Mode: c.mode, Interactive: true, Rules: c.rules, InWorkspace: func(string) bool { return true },
				Refused: func(string, workspace.Reach) string { return "" }})
		require.NoError(t, err)
		v := e.Check(policy.Call{Tool: "run_shell_command", Args: map[string]any{"command": c.line},
			Intent: tools.Intent{Exec: &tools.ExecIntent{Command: c.line, Dir: t.TempDir()}}})
		assert.Equal(t, c.reads, v.OnlyReads, "%s in %s: %+v", c.line, c.mode, v)
	}
}

package terminal

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// TestPermissions: the choices of each kind of call, in the contract's order.
func TestPermissions(t *testing.T) {
	t.Parallel()
	edit := tools.Intent{Edit: &tools.EditIntent{FileName: "a.txt"}}
	for _, c := range []struct {
		name     string
		q        toolcall.Question
		onceOnly bool
		want     []policy.Outcome
	}{
		{"edit", toolcall.Question{Intent: edit, Modifiable: true}, false,
			[]policy.Outcome{policy.ProceedOnce, policy.ProceedAlways, policy.Cancel}},
		{"command", toolcall.Question{Intent: tools.Intent{Exec: &tools.ExecIntent{Command: "npm test"}}}, false,
			[]policy.Outcome{policy.ProceedOnce, policy.ProceedAlways, policy.Cancel}},
		{"command that cannot be remembered", toolcall.Question{Intent: tools.Intent{Exec: &tools.ExecIntent{Command: "$(x)"}}}, false,
			[]policy.Outcome{policy.ProceedOnce, policy.Cancel}},
		{"MCP", toolcall.Question{Intent: tools.Intent{MCP: &tools.MCPOrigin{Server: "s", Tool: "t"}}}, false,
			[]policy.Outcome{policy.ProceedOnce, policy.ProceedAlwaysTool, policy.ProceedAlwaysServer, policy.Cancel}},
		{"nothing may last", toolcall.Question{Intent: edit}, true,
			[]policy.Outcome{policy.ProceedOnce, policy.Cancel}},
	} {
		a := &Approver{View: NewView(&Terminal{}, true), OnceOnly: c.onceOnly}
		var got []policy.Outcome
		for _, p := range a.permissions(c.q) {
			got = append(got, p.outcome)
		}
		assert.Equal(t, c.want, got, c.name)
	}
}

// What is asked about is shown in full, and what would be hidden is made
// visible.
func TestVisible(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "ls<U+001B>[2K<U+000D>rm <U+202E>x\n\ty", visible("ls\x1b[2K\rrm \u202ex\n\ty"))
}

package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/internal/waittest"
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

// TestQuestionsCleanUp: of a question about a call one line stays; where the
// window is too low to show what it is about, that was printed, and stays.
func TestQuestionsCleanUp(t *testing.T) {
	t.Parallel()
	short := &tools.ExecIntent{Command: "touch a"}
	long := &tools.ExecIntent{Command: "touch a" + strings.Repeat("\n# line", 30)}
	for _, c := range []struct {
		name, keys string
		intent     *tools.ExecIntent
		outcome    policy.Outcome
		want       string
		printed    bool
	}{
		{"yes", "y\r", short, policy.ProceedOnce, "Allow execution of: 'touch a'? Yes, allow once\n", false},
		{"the marked one", "\x1b[B\r", short, policy.ProceedAlways, "Allow execution of: 'touch a'? Allow touch for this session\n", false},
		{"no, and why", "n not now\r", short, policy.Cancel, "Allow execution of: 'touch a'? No: not now\n", false},
		{"escape", "\x03", short, policy.Cancel, "Allow execution of: 'touch a'? Cancelled\n", false},
		{"what does not fit", "y\r", long, policy.ProceedOnce, "Yes, allow once\n", true},
	} {
		s := newScene(style{plain: true}, 60)
		s.spin.hidden = true
		a := &Approver{View: s.View}
		answered := make(chan toolcall.Answer)
		go func() {
			answered <- a.Approve(t.Context(), toolcall.Question{Intent: tools.Intent{Title: "Confirm Shell Command", Exec: c.intent}})
		}()
		waittest.Until(t, func() bool {
			s.screen.mu.Lock()
			defer s.screen.mu.Unlock()
			return strings.Contains(s.out.String(), "[1] ")
		})
		s.screen.mu.Lock()
		assert.Contains(t, s.out.String(), "$ touch a", c.name)
		s.screen.mu.Unlock()
		s.keys.receive([]byte(c.keys))
		answer := <-answered
		assert.Equal(t, c.outcome, answer.Outcome, c.name)
		out := s.out.String()
		assert.Equal(t, c.printed, strings.HasPrefix(out, "? Confirm Shell Command\n"), c.name)
		last := out[strings.LastIndex(out, "\x1b[J")+len("\x1b[J"):]
		assert.True(t, strings.HasSuffix(last, c.want), "%s: %q", c.name, last)
		assert.NotContains(t, last, "1. Yes", c.name)
	}
}

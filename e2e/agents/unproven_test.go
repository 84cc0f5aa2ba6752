package agents

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/e2e/testbed"
)

// TestWhatACellProves: a case without a judged assertion has not passed, and an agent
// without a judged case fails the run.
func TestWhatACellProves(t *testing.T) {
	t.Parallel()
	judged, unasked := testbed.Check{Command: "fired", Passed: true}, testbed.Check{Command: "stdout", Unasked: "not seen"}
	whole := testbed.Check{Passed: true, Vacuous: "the case asserts nothing"}
	for _, c := range []struct {
		checks []testbed.Check
		want   State
		why    string
	}{
		{[]testbed.Check{judged, unasked}, Pass, ""},
		{[]testbed.Check{unasked}, Cannot, "none of its assertions can be judged: not seen"},
		{[]testbed.Check{whole}, Cannot, "none of its assertions can be judged"},
		{nil, Cannot, "none of its assertions can be judged"},
	} {
		cell := &Cell{}
		cell.judge(testbed.Result{Checks: c.checks})
		assert.Equal(t, c.want, cell.State)
		assert.Equal(t, c.why, cell.Why)
	}
	for state, want := range map[State]int{Pass: testbed.ExitPassed, Known: testbed.ExitPassed, Fail: testbed.ExitFailed,
		Cannot: testbed.ExitFailed, NotRun: testbed.ExitFailed} {
		m := &Matrix{Cases: []string{"a", "b"}, Columns: []Column{{Name: "minigem"}, {Name: "x", Other: true}},
			Cells: map[string]map[string]*Cell{
				"a": {"minigem": {State: Pass}, "x": {State: state}}, "b": {"minigem": {State: Pass}, "x": {State: Cannot}},
			}}
		assert.Equal(t, want, m.ExitCode(), state)
		m.Columns, m.Cells["a"]["minigem"].State, m.Cells["b"]["minigem"].State = m.Columns[:1], state, Cannot // --on minigem
		assert.Equal(t, want, m.ExitCode(), "%s on minigem alone", state)
	}
}

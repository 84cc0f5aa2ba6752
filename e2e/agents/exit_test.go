package agents

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/e2e/testbed"
)

// TestExitOfAMatrix: a broken case counts more than one that fails. Another agent on which
// nothing could be judged is a failure, and minigem itself is not another agent.
func TestExitOfAMatrix(t *testing.T) {
	t.Parallel()
	broken := Cell{Result: testbed.Result{Broken: errors.New("no")}}
	for name, c := range map[string]struct {
		own, other Cell
		want       int
	}{
		"both pass":             {Cell{State: Pass}, Cell{State: Pass}, testbed.ExitPassed},
		"one fails":             {Cell{State: Pass}, Cell{State: Fail}, testbed.ExitFailed},
		"minigem fails":         {Cell{State: Fail}, Cell{State: Pass}, testbed.ExitFailed},
		"broken":                {broken, Cell{State: Pass}, testbed.ExitBroken},
		"broken, and one fails": {Cell{State: Fail}, broken, testbed.ExitBroken},
		"cannot":                {Cell{State: Pass}, Cell{State: Cannot}, testbed.ExitFailed},
		"not run":               {Cell{State: Pass}, Cell{State: NotRun}, testbed.ExitFailed},
		"minigem cannot":        {Cell{State: Cannot}, Cell{State: Pass}, testbed.ExitPassed},
	} {
		m := Matrix{Cases: []string{"a"}, Columns: []Column{{Name: "minigem"}, {Name: "fake", Other: true}},
			Cells: map[string]map[string]*Cell{"a": {"minigem": &c.own, "fake": &c.other}}}
		assert.Equal(t, c.want, m.ExitCode(), name)
	}
}

package dialect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// predict is what the tables say of a case, in the form in which it was observed.
func predict(a *Agent, c Case) Observation {
	switch {
	case c.Matcher != "":
		shell, _ := a.Tool("shell")
		if fires, _ := a.Fires(c.Matcher, shell.Hook); fires {
			return Observation{Effect: "fired"}
		}
		return Observation{Effect: "not-fired"}
	case c.Mode == "default" && (c.Stdout == "" || a.Approves == nil || !a.Approves.Is):
		return Observation{Effect: string(Refused)}
	}
	e := a.Read(c.Answer(a))
	o := Observation{Effect: string(e.Kind), Ran: e.Ran}
	switch e.Kind {
	case Asked: // nobody is there to be asked
		o.Effect = string(Refused)
	case Retry:
		if c.Times == 0 {
			o.Retries, o.Endless = a.Stop.Retries, a.Stop.Endless
		}
	}
	for _, marker := range markers {
		if strings.Contains(e.Reason+"\n"+e.Told, marker) && !(marker == "R-NEWPROMPT" && !strings.Contains(e.Told, marker)) {
			o.Model = append(o.Model, marker)
		}
	}
	return o
}

var markers = []string{
	"R-APPROVE", "R-ASK", "R-BLOCK", "R-CONTEXT", "R-COP", "R-CUR-A", "R-DENY", "R-ERR", "R-JSON", "R-NEWOUT", "R-NEWPROMPT", "R-PD", "R-STDERR",
	"R-STDOUT", "R-STOP", "R-SYS", "R-TEXT",
}

// TestConformance: the rules of each agent give what the agent itself gave, for
// every answer that was tried on it.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, id := range IDs() {
		observed := Observed()[id]
		if observed == nil {
			continue
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			a, err := Find(id)
			require.NoError(t, err)
			agree := 0
			for _, name := range Names() {
				want, ran := observed[name]
				if !ran {
					continue
				}
				if want.Endless {
					want.Retries = 0
				}
				slices.Sort(want.Model)
				got := predict(a, Corpus()[name])
				if fmt.Sprint(want) != fmt.Sprint(got) {
					t.Errorf("%s: %s gave %+v, the rules say %+v", name, a.Title(), want, got)
					continue
				}
				agree++
			}
			t.Logf("%s: %d of %d answers", a.Title(), agree, len(observed))
			assert.Equal(t, len(observed), agree)
		})
	}
}

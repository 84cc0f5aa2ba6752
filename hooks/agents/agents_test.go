package agents

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConformance checks that each agent's rules predict what the agent itself did, for
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
				got := a.Predict(Corpus()[name])
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

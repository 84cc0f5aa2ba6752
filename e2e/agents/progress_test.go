package agents

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTimeLeftNeverGrows: a slow cell does not increase the announced remaining time.
func TestTimeLeftNeverGrows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &progress{all: 9}
		last, told := time.Hour, 0
		for _, took := range []time.Duration{time.Second, 5 * time.Second, time.Second, time.Minute, time.Second, time.Second} {
			time.Sleep(took)
			p.done++
			said, ok := strings.CutSuffix(strings.TrimPrefix(p.left(&Cell{Agent: "claude"}), ", "), " left")
			if !ok {
				continue
			}
			left, err := time.ParseDuration(said)
			require.NoError(t, err)
			assert.LessOrEqual(t, left, last)
			last, told = left, told+1
		}
		assert.Equal(t, 2, told)
	})
}

// TestProgressIsForTerminals: a log gets no line for each cell.
func TestProgressIsForTerminals(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	for _, width := range []int{0, 80} {
		p := &progress{w: &log, width: width, all: 2, cases: 2, byAgent: map[string]int{}}
		p.tell(&Cell{Agent: "claude", Case: "a", State: Pass})
		p.end()
		assert.Equal(t, width > 0, log.Len() > 0)
	}
}

package chat

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"minigem/hooks"
)

// TestHookTrouble checks that failures and slow events are counted from one prompt to
// the next, and those of skipped hooks and late reports are not.
func TestHookTrouble(t *testing.T) {
	t.Parallel()
	var h hookTrouble
	assert.Empty(t, h.String())
	h.note(hooks.Report{Runs: []hooks.Run{{Failed: "no"}, {}, {Skipped: "it does not match", Failed: "no"}}})
	assert.Equal(t, "1 hook failed", h.String())
	h.note(hooks.Report{Duration: slowHook + time.Nanosecond, Runs: []hooks.Run{{Failed: "no"}}})
	h.note(hooks.Report{Duration: time.Hour, Late: true})
	assert.Equal(t, "2 hooks failed, 1 slow hook", h.String())
	h.clear()
	assert.Empty(t, h.String())
}

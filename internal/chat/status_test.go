package chat

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"minigem/agent/event"
	"minigem/compress"
	"minigem/hooks"
	"minigem/llm"
)

// TestContextLeft checks that the share of the context that is left is of the limit that
// the server says, once it was asked.
func TestContextLeft(t *testing.T) {
	t.Parallel()
	c := &compress.Compressor{History: noHistory{}, ModelName: "local/model", Ask: func(context.Context) int { return 4_000 }}
	var s statusLine
	assert.Empty(t, s.size(c))
	s.Emit(event.RoundFinished{Usage: &llm.Usage{Total: 3_000}})
	assert.Equal(t, []string{"98% context left", "3000 tokens"}, s.size(c))
	c.Fit(t.Context(), 3_000)
	assert.Equal(t, []string{"25% context left", "3000 tokens"}, s.size(c))
}

type noHistory struct{ compress.History }

func (noHistory) Messages() []llm.Message { return nil }

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
	assert.Equal(t, "2 hooks failed, 1 event with slow hooks", h.String())
	h.clear()
	assert.Empty(t, h.String())
}

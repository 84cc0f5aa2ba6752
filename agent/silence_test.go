package agent

import (
	"context"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
)

// pausing is a model that waits before each chunk.
type pausing []time.Duration

func (p pausing) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for i, d := range p {
			time.Sleep(d)
			c := text("x")
			if i == len(p)-1 {
				c = done(c)
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// A model that sends nothing is reported once per timeout, also before its answer
// begins. The time of hooks does not count.
func TestSilentModelIsReported(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for _, c := range []struct {
		name   string
		pauses pausing
		hook   time.Duration
		told   []time.Duration // since the start
	}{
		{"never", pausing{14 * s, 14 * s, 14 * s}, 0, nil},
		{"before it begins", pausing{60 * s, s}, 0, []time.Duration{15 * s}},
		{"once", pausing{s, 60 * s, s}, 0, []time.Duration{16 * s}},
		{"twice", pausing{s, 20 * s, s, 20 * s}, 0, []time.Duration{16 * s, 37 * s}},
		{"slow hooks", pausing{s, s, s}, 20 * s, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench()
				b.Model = c.pauses
				b.hooks.afterModel = func(chunk llm.Chunk) hooks.AfterModelOutcome {
					time.Sleep(c.hook)
					return hooks.AfterModelOutcome{Chunk: chunk}
				}
				start := time.Now()
				var mu sync.Mutex // a notice comes from another goroutine
				var told []time.Duration
				b.Sink = event.SinkFunc(func(e event.Event) {
					mu.Lock()
					defer mu.Unlock()
					if n, ok := e.(event.Notice); ok {
						assert.Equal(t, event.Notice{Severity: "warning", Text: "The model has been silent for 15 s; still waiting. ^C ends it."}, n)
						told = append(told, time.Since(start))
					}
				})
				assert.Equal(t, Answered, b.run(t, "hi").Ending)
				mu.Lock()
				defer mu.Unlock()
				assert.Equal(t, c.told, told)
			})
		})
	}
}

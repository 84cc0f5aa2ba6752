package agent_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/e2e/costtest"
	"minigem/internal/output"
	"minigem/internal/thorough"
	"minigem/llm"
)

// allocated returns the bytes that f allocates.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// chunked is a model whose answer has this many chunks.
type chunked int

// Stream implements llm.Model.
func (n chunked) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for i := range int(n) {
			if !yield(llm.Chunk{Parts: []llm.Part{llm.Text{Text: fmt.Sprintf("%d is word %d of the answer; ", i*7919, i)}}}, nil) {
				return
			}
		}
		yield(llm.Chunk{FinishReason: "STOP"}, nil)
	}
}

// sinks are the outputs of a run without a terminal.
var sinks = map[string]func() event.Sink{
	"text":        func() event.Sink { return &output.Text{Out: io.Discard, Err: io.Discard} },
	"whole text":  func() event.Sink { return &output.Text{Out: io.Discard, Err: io.Discard, Whole: true} },
	"json":        func() event.Sink { return &output.JSON{Out: io.Discard, Err: io.Discard, Stats: &output.Stats{}} },
	"stream-json": func() event.Sink { return &output.StreamJSON{Out: io.Discard, Stats: &output.Stats{}} },
}

// cost returns how many bytes an answer with this many chunks allocates.
func cost(t *testing.T, chunks int, sink event.Sink) float64 {
	a := &agent.Agent{Model: chunked(chunks), History: &agent.Memory{}, Sink: sink, Config: agent.Config{Model: "m"}}
	return allocated(func() { assert.Equal(t, agent.Answered, a.Run(t.Context(), agent.Prompt{Text: "hi"}).Ending) })
}

// TestAChunkCostsTheSameInALongAnswer checks, for each format, that ten times the
// chunks allocate ten times as much. Not parallel: it counts what the process
// allocates.
func TestAChunkCostsTheSameInALongAnswer(t *testing.T) {
	for name, sink := range sinks {
		cost(t, 10, sink())
		a, b := cost(t, 1_000, sink())/1_000, cost(t, 10_000, sink())/10_000
		t.Logf("%s: %.0f and %.0f bytes a chunk", name, a, b)
		assert.Less(t, b, 1.5*a, name)
	}
}

// TestTextCostsNoMoreThanStreamJSON compares the formats for 40,000 chunks in one run.
func TestTextCostsNoMoreThanStreamJSON(t *testing.T) {
	chunks := 40_000
	if thorough.Race {
		chunks = 4_000
	}
	stream := cost(t, chunks, sinks["stream-json"]())
	for _, name := range []string{"text", "whole text", "json"} {
		got := cost(t, chunks, sinks[name]())
		t.Logf("%s: %.2f of stream-json", name, got/stream)
		assert.LessOrEqual(t, got, 1.1*stream, name)
	}
}

// TestARoundCostsTheSameInALongSession runs with the session on disk, the compressor
// checking the history, and a hook at each event. Not parallel: it counts what the
// process allocates.
func TestARoundCostsTheSameInALongSession(t *testing.T) {
	for _, hooked := range []bool{false, true} {
		t.Run(fmt.Sprint("rounds, hooks=", hooked), func(t *testing.T) {
			costtest.Linear(t, func(n int) {
				l := newLongRun(t, 0, hooked)
				l.Config.MaxRounds = n
				assert.Equal(t, agent.MaxRounds, l.Run(t.Context(), agent.Prompt{Text: "go on"}).Ending)
			}, []int{10, 100, 1_000, 10_000}[:thorough.Times(3, 4)]...)
		})
		t.Run(fmt.Sprint("turns, hooks=", hooked), func(t *testing.T) {
			costtest.Linear(t, func(n int) {
				l := newLongRun(t, 0, hooked)
				l.Model = chunked(1)
				for i := range n {
					assert.Equal(t, agent.Answered, l.Run(t.Context(), agent.Prompt{Text: fmt.Sprint("question ", i)}).Ending)
				}
			}, []int{10, 100, 1_000, 10_000}[:thorough.Times(3, 4)]...)
		})
	}
}

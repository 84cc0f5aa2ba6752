package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"minigem/agent"
	"minigem/compress"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/session"
)

const roundsOfRun = 100

// BenchmarkRound measures the cost of a round after many others: a history in a session
// on disk, the compressor's check of the history, the hook engine without hooks or with
// one at each event, a model that asks for a call, and its result. It does not include
// the model's own work and marshalling the request for the wire. marshal-µs, for
// comparison, is the time of json.Marshal for the same request. docs/PERFORMANCE.md has
// numbers.
//
//	go test -run '^$' -bench Round ./agent/
func BenchmarkRound(b *testing.B) {
	for _, hooked := range []bool{false, true} {
		for _, rounds := range []int{10, 1000, 10_000} {
			b.Run(fmt.Sprintf("hooks=%t/history=%d", hooked, rounds), func(b *testing.B) {
				l := newLongRun(b, rounds, hooked)
				l.warm(b)
				for b.Loop() {
					res := l.Run(b.Context(), agent.Prompt{Text: "go on"})
					require.Equal(b, agent.MaxRounds, res.Ending)
					b.StopTimer()
					l.warm(b)
					b.StartTimer()
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N)/roundsOfRun, "µs/round")
				start := time.Now()
				body, err := json.Marshal(l.last)
				require.NoError(b, err)
				b.ReportMetric(time.Since(start).Seconds()*1e6, "marshal-µs")
				b.ReportMetric(float64(len(body))/1024, "KiB")
			})
		}
	}
}

// longRun is an Agent with a history of rounds, and a model that never finishes.
type longRun struct {
	*agent.Agent
	length int         // of the history before each run
	last   llm.Request // the last request to the model
	calls  int
}

func newLongRun(tb testing.TB, rounds int, hooked bool) *longRun {
	dir := tb.TempDir()
	project, err := session.OpenProject(dir, dir)
	require.NoError(tb, err)
	s, err := session.Start(session.Options{Project: project, Preamble: func() string { return "<session_context>here</session_context>" }})
	require.NoError(tb, err)
	tb.Cleanup(func() { s.End(context.Background(), "exit") })
	l := &longRun{}
	s.Append(llm.UserText("begin"))
	for range rounds {
		c := l.call()
		s.Append(llm.Message{Role: llm.RoleModel, Parts: []llm.Part{llm.Text{Text: "I look."}, c}})
		s.Append(llm.Message{Role: llm.RoleUser, Parts: []llm.Part{answer(c)}})
	}
	s.Append(llm.ModelText("Done."))
	l.length = len(s.Messages())
	engine := &hooks.Engine{Runner: silent{}}
	if hooked {
		for _, ev := range protocol.Events {
			engine.Config.Hooks = append(engine.Config.Hooks, hooks.Hook{Event: ev, Command: "true"})
		}
	}
	l.Agent = &agent.Agent{
		Model: l, History: s, Hooks: engine, Tools: answering{}, Sink: s,
		Compressor: &compress.Compressor{History: s, Preamble: s.Preamble, Limit: 1 << 40},
		Config:     agent.Config{Model: "gemini-2.5-flash", MaxRounds: roundsOfRun, Preamble: s.Preamble},
	}
	return l
}

// warm restores the history and makes one round, so that the one-time cost of a new
// history is not measured.
func (l *longRun) warm(b *testing.B) {
	l.History.Rollback(l.length)
	l.Config.MaxRounds = 1
	l.Run(b.Context(), agent.Prompt{Text: "go on"})
	l.Config.MaxRounds = roundsOfRun
}

func (l *longRun) call() llm.ToolCall {
	l.calls++
	id := fmt.Sprint("read_file__c", l.calls)
	return llm.ToolCall{ID: id, Name: "read_file", Args: map[string]any{"file_path": fmt.Sprintf("src/file%d.go", l.calls)}}
}

// Stream implements llm.Model.
func (l *longRun) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	l.last = req
	return func(yield func(llm.Chunk, error) bool) {
		yield(llm.Chunk{Parts: []llm.Part{llm.Text{Text: "I look."}, l.call()}, FinishReason: "STOP"}, nil)
	}
}

func answer(c llm.ToolCall) llm.ToolResult {
	return llm.ToolResult{ID: c.ID, Name: c.Name, Response: map[string]any{"output": strings.Repeat("a line of the file\n", 20)}}
}

type answering struct{}

func (answering) Specs() []llm.ToolSpec { return nil }

func (answering) Run(_ context.Context, calls []llm.ToolCall, _ func(string) bool) ([]llm.ToolResult, hooks.Verdict) {
	out := make([]llm.ToolResult, len(calls))
	for i, c := range calls {
		out[i] = answer(c)
	}
	return out, hooks.Verdict{}
}

// silent is a Runner of hooks that let everything pass.
type silent struct{}

func (silent) Run(context.Context, hooks.Hook, hooks.Payload, []string) hooks.Exit {
	return hooks.Exit{}
}

package session

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/e2e/costtest"
	"minigem/internal/thorough"
	"minigem/llm"
)

// TestSessionsCostTheSamePerRound checks that a round and each of its calls allocate
// the same in a long session as in a short one, and so do its records when the session
// is listed and resumed.
func TestSessionsCostTheSamePerRound(t *testing.T) { // not parallel: it counts what the process allocates
	fill := func(t *testing.T, rounds, calls int) Options {
		o := options(t)
		s := begin(t, o)
		for i := range rounds {
			s.Append(llm.UserText(fmt.Sprint("question ", i)))
			m := llm.Message{Role: llm.RoleModel, Parts: []llm.Part{llm.Text{Text: "I look."}}}
			results := llm.Message{Role: llm.RoleUser}
			for n := range calls {
				id := fmt.Sprint(i, "-", n)
				m.Parts, results.Parts = append(m.Parts, call(id)), append(results.Parts, result(id, "out"))
			}
			s.Append(m)
			for n := range calls {
				s.Emit(event.ToolFinished{Record: event.ToolRecord{Call: m.Parts[n+1].(llm.ToolCall), Status: event.ToolSuccess,
					Result: results.Parts[n].(llm.ToolResult)}})
			}
			s.Append(results)
			assert.Len(t, s.Messages(), 1+3*(i+1))
		}
		s.End(context.Background(), "exit")
		return o
	}
	for name, do := range map[string]func(t *testing.T, n int){
		"rounds": func(t *testing.T, n int) { fill(t, n, 1) },
		"calls":  func(t *testing.T, n int) { fill(t, 1, n) },
	} {
		t.Run(name, func(t *testing.T) {
			costtest.Linear(t, func(n int) { do(t, n) }, []int{10, 100, 1_000, 10_000}[:thorough.Times(3, 4)]...)
		})
	}
	t.Run("list and resume", func(t *testing.T) {
		filled := map[int]Options{}
		sizes := []int{10, 100, 1_000, 10_000}[:thorough.Times(3, 4)]
		for _, n := range sizes {
			filled[n] = fill(t, n, 1)
		}
		costtest.Linear(t, func(n int) {
			infos, err := List(filled[n].Project)
			require.NoError(t, err)
			assert.Len(t, infos, 1)
			s, err := Resume(filled[n], Latest)
			require.NoError(t, err)
			assert.Len(t, s.Messages(), 1+3*n)
			s.End(context.Background(), "exit")
		}, sizes...)
	})
}

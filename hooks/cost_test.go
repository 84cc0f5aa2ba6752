package hooks_test

import (
	"fmt"
	"testing"

	"minigem/e2e/costtest"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// TestHooksCostTheSameInALongSession checks that the payloads of chunks and rounds
// share the conversation that they contain.
func TestHooksCostTheSameInALongSession(t *testing.T) { // not parallel: it counts what the process allocates
	newEngine := func() *hooks.Engine {
		e := &hooks.Engine{Runner: quiet{}, Report: func(hooks.Report) {}, ReportIdle: true}
		for _, ev := range protocol.Events {
			e.Config.Hooks = append(e.Config.Hooks, hooks.Hook{Event: ev, Command: "a"},
				hooks.Hook{Event: ev, Command: "b", Sequential: true})
		}
		return e
	}
	t.Run("chunks", func(t *testing.T) {
		costtest.Linear(t, func(n int) {
			e, req := newEngine(), hooks.NewModelRequest(longRequest(10))
			for i := range n {
				e.AfterModel(t.Context(), req, llm.Chunk{Parts: []llm.Part{llm.Text{Text: fmt.Sprintf("%d is a word; ", i)}}})
			}
		}, 10, 100, 1_000, 10_000)
	})
	t.Run("rounds", func(t *testing.T) {
		costtest.Linear(t, func(n int) {
			e := newEngine()
			var req *hooks.ModelRequest
			var history []llm.Message
			for i := range n {
				call := llm.ToolCall{ID: fmt.Sprint(i), Name: "f", Args: map[string]any{"n": i}}
				history = append(history, llm.UserText(fmt.Sprint("question ", i)),
					llm.Message{Role: llm.RoleModel, Parts: []llm.Part{call}})
				req = req.Next(llm.Request{Model: "m", Messages: history})
				req = e.BeforeModel(t.Context(), req).Request
				req = e.BeforeToolSelection(t.Context(), req)
				e.AfterModel(t.Context(), req, llm.Chunk{Parts: []llm.Part{call}, FinishReason: "STOP"})
			}
		}, 10, 100, 1_000, 10_000)
	})
	t.Run("turns", func(t *testing.T) {
		costtest.Linear(t, func(n int) {
			e := newEngine()
			for i := range n {
				e.BeforeAgent(t.Context(), fmt.Sprint("question ", i))
				e.AfterAgent(t.Context(), fmt.Sprint("question ", i), "answer", false)
			}
		}, 10, 100, 1_000, 10_000)
	})
}

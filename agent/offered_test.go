package agent

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/hooks"
	"minigem/llm"
)

// TestCallsAreLimitedToTheRequest checks that the tools learn what the round's request
// offered after all hooks, also for a hook's own answer.
func TestCallsAreLimitedToTheRequest(t *testing.T) {
	t.Parallel()
	narrowed := func(r *hooks.ModelRequest, c llm.ToolChoice, tools ...llm.ToolSpec) *hooks.ModelRequest {
		changed := r.Request
		changed.Choice, changed.Tools = c, tools
		return hooks.NewModelRequest(changed)
	}
	look, write := llm.ToolSpec{Name: "look"}, llm.ToolSpec{Name: "write"}
	none := llm.ToolChoice{Mode: llm.ToolModeNone}
	for _, tt := range []struct {
		name      string
		model     func(*hooks.ModelRequest) *hooks.ModelRequest
		selection func(*hooks.ModelRequest) *hooks.ModelRequest
		offers    []bool // look, write
	}{
		{"no hook", nil, nil, []bool{true, true}},
		{"BeforeToolSelection: NONE", nil, func(r *hooks.ModelRequest) *hooks.ModelRequest { return narrowed(r, none, look, write) }, []bool{false, false}},
		{"BeforeToolSelection: a list", nil, func(r *hooks.ModelRequest) *hooks.ModelRequest { return narrowed(r, llm.ToolChoice{}, look) }, []bool{true, false}},
		{"BeforeModel: NONE", func(r *hooks.ModelRequest) *hooks.ModelRequest { return narrowed(r, none, look, write) }, nil, []bool{false, false}},
		{"BeforeModel: a tool removed", func(r *hooks.ModelRequest) *hooks.ModelRequest { return narrowed(r, llm.ToolChoice{}, write) }, nil, []bool{false, true}},
	} {
		for _, synthetic := range []bool{false, true} {
			name := tt.name
			if synthetic {
				name += ", a hook answers"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := newBench(stream(done(calling("look"))), llm.FakeText("ok"))
				b.hooks.beforeModel = func(r *hooks.ModelRequest) hooks.BeforeModelOutcome {
					out := hooks.BeforeModelOutcome{Request: r}
					if tt.model != nil {
						out.Request = tt.model(r)
					}
					if synthetic && b.hooks.beforeModels == 1 {
						out.Response = []llm.Chunk{done(calling("look"))}
					}
					return out
				}
				if tt.selection != nil {
					b.hooks.selection = func(r *hooks.ModelRequest) *hooks.ModelRequest {
						return tt.selection(r)
					}
				}
				runner := &offersRunner{}
				b.Tools = declaring{runner, []llm.ToolSpec{look, write}}
				b.Run(t.Context(), Prompt{Text: "hi"})
				assert.Equal(t, tt.offers, runner.offered)
			})
		}
	}
}

// offersRunner records what the first batch learned about look and write.
type offersRunner struct{ offered []bool }

func (*offersRunner) Specs() []llm.ToolSpec { return nil }

func (o *offersRunner) Run(_ context.Context, calls []llm.ToolCall, offers func(string) bool) ([]llm.ToolResult, hooks.Verdict) {
	if o.offered == nil {
		o.offered = []bool{offers("look"), offers("write")}
	}
	return resultsFor(calls), hooks.Verdict{}
}

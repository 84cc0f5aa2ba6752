package agent

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
)

// fakeHooks answers with its functions. A nil function lets everything pass.
type fakeHooks struct {
	noHooks
	beforeAgent  func(prompt string) hooks.Outcome
	afterAgent   func(prompt, response string, active bool) hooks.AfterAgentOutcome
	beforeModel  func(*hooks.ModelRequest) hooks.BeforeModelOutcome
	selection    func(*hooks.ModelRequest) *hooks.ModelRequest
	afterModel   func(llm.Chunk) hooks.AfterModelOutcome
	beforeModels int
	log          []string
	failures     []hooks.Failure
}

func (f *fakeHooks) note(format string, args ...any) {
	f.log = append(f.log, fmt.Sprintf(format, args...))
}

func (f *fakeHooks) BeforeAgent(_ context.Context, prompt string) (o hooks.Outcome) {
	f.note("BeforeAgent %s", prompt)
	if f.beforeAgent != nil {
		return f.beforeAgent(prompt)
	}
	return
}

func (f *fakeHooks) AfterAgent(_ context.Context, prompt, response string, active bool) (o hooks.AfterAgentOutcome) {
	f.note("AfterAgent %s|%s|%v", prompt, response, active)
	if f.afterAgent != nil {
		return f.afterAgent(prompt, response, active)
	}
	return
}

func (f *fakeHooks) StopFailure(_ context.Context, failed hooks.Failure) {
	f.failures = append(f.failures, failed)
}

func (f *fakeHooks) BeforeModel(ctx context.Context, r *hooks.ModelRequest) hooks.BeforeModelOutcome {
	f.beforeModels++
	if f.beforeModel != nil {
		return f.beforeModel(r)
	}
	return f.noHooks.BeforeModel(ctx, r)
}

func (f *fakeHooks) BeforeToolSelection(ctx context.Context, r *hooks.ModelRequest) *hooks.ModelRequest {
	if f.selection != nil {
		return f.selection(r)
	}
	return f.noHooks.BeforeToolSelection(ctx, r)
}

func (f *fakeHooks) AfterModel(ctx context.Context, r *hooks.ModelRequest, c llm.Chunk) hooks.AfterModelOutcome {
	if f.afterModel != nil {
		return f.afterModel(c)
	}
	return f.noHooks.AfterModel(ctx, r, c)
}

// toolFunc is a ToolRunner that declares nothing. echoTools answers each call with its
// name.
type toolFunc func(ctx context.Context, calls []llm.ToolCall) ([]llm.ToolResult, hooks.Verdict)

func (toolFunc) Specs() []llm.ToolSpec { return nil }

func (f toolFunc) Run(ctx context.Context, calls []llm.ToolCall, _ func(string) bool) ([]llm.ToolResult, hooks.Verdict) {
	return f(ctx, calls)
}

var echoTools = toolFunc(func(_ context.Context, calls []llm.ToolCall) ([]llm.ToolResult, hooks.Verdict) {
	return resultsFor(calls), hooks.Verdict{}
})

// declaring is a ToolRunner that declares specs.
type declaring struct {
	ToolRunner
	specs []llm.ToolSpec
}

func (d declaring) Specs() []llm.ToolSpec { return d.specs }

func resultsFor(calls []llm.ToolCall) []llm.ToolResult {
	var out []llm.ToolResult
	for _, c := range calls {
		out = append(out, llm.ToolResult{ID: c.ID, Name: c.Name, Response: map[string]any{"output": c.Name + " done"}})
	}
	return out
}

// bench is an Agent whose surroundings tests can read.
type bench struct {
	*Agent
	model  *llm.Fake
	hooks  *fakeHooks
	memory *Memory
	events []event.Event
	slept  []time.Duration
}

func newBench(answers ...llm.FakeAnswer) *bench {
	b := &bench{model: &llm.Fake{Answers: answers}, hooks: &fakeHooks{}, memory: &Memory{}}
	b.Agent = &Agent{
		Model: b.model, History: b.memory, Hooks: b.hooks, Tools: echoTools,
		Sink: event.SinkFunc(func(e event.Event) { b.events = append(b.events, e) }),
		Config: Config{
			Model: "gemini-2.5-flash",
			Now:   func() time.Time { return time.UnixMilli(1000) },
			Sleep: func(_ context.Context, d time.Duration) { b.slept = append(b.slept, d) },
		},
	}
	return b
}

func (b *bench) run(t *testing.T, prompt string) Result {
	t.Helper()
	res := b.Run(t.Context(), Prompt{Text: prompt})
	for _, req := range b.model.Requests() {
		require.NoError(t, apiAccepts(req))
	}
	return res
}

func eventsOf[E event.Event](b *bench) []E {
	var out []E
	for _, e := range b.events {
		if e, ok := e.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// lines formats messages, one per line, for comparison.
func lines(ms []llm.Message) []string {
	var out []string
	for _, m := range ms {
		line := string(m.Role) + ":"
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				line += " " + p.Text
			case llm.ToolCall:
				line += " call(" + p.ID + ")"
			case llm.ToolResult:
				line += fmt.Sprintf(" result(%s)%v", p.ID, p.Response)
			default:
				line += fmt.Sprintf(" %T", p)
			}
		}
		out = append(out, line)
	}
	return out
}

// apiAccepts checks that a request's messages meet the API's rules.
func apiAccepts(req llm.Request) error {
	var open []llm.ToolCall
	for i, m := range req.Messages {
		switch {
		case len(m.Parts) == 0:
			return fmt.Errorf("message %d is empty: %v", i, lines(req.Messages))
		case i > 0 && req.Messages[i-1].Role == m.Role:
			return fmt.Errorf("message %d repeats a role: %v", i, lines(req.Messages))
		case i == 0 && m.Role != llm.RoleUser:
			return errors.New("the first message is not the user's")
		}
		var results []string
		for _, p := range m.Parts {
			if r, ok := p.(llm.ToolResult); ok {
				results = append(results, r.ID)
			}
		}
		if len(results) != len(open) {
			return fmt.Errorf("message %d answers %d of %d calls: %v", i, len(results), len(open), lines(req.Messages))
		}
		for j, c := range open {
			if results[j] != c.ID {
				return fmt.Errorf("message %d answers %s with %s", i, c.ID, results[j])
			}
		}
		open = m.Calls()
	}
	if len(open) > 0 {
		return errors.New("calls at the end")
	}
	return nil
}

func deny(reason string) hooks.Verdict {
	return hooks.Verdict{Decision: hooks.Deny, Reason: reason, Hooks: []string{"guard"}}
}

func stop(reason string) hooks.Verdict {
	return hooks.Verdict{Decision: hooks.Stop, Reason: reason, Hooks: []string{"guard"}}
}

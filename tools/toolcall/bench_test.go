package toolcall

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/policy"
)

// fakeTool is a tool made of functions. A nil function does nothing.
type fakeTool struct {
	name   string
	info   tools.Info
	schema string
	check  func(args map[string]any) error
	intent func(args map[string]any) tools.Intent
	run    func(ctx context.Context, args map[string]any) (tools.Result, error)
	vain   func() error                        // if not nil, the invocation is Checkable
	modify func(content string) map[string]any // if not nil, the invocation is Modifiable
	stream func(live func(string)) (tools.Result, error)
}

func (f *fakeTool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: f.name, Description: "Does " + f.name + ".", Parameters: json.RawMessage(f.schema)}
}
func (f *fakeTool) Info() tools.Info { return f.info }

func (f *fakeTool) Prepare(args map[string]any) (tools.Invocation, error) {
	if f.check != nil {
		if err := f.check(args); err != nil {
			return nil, err
		}
	}
	inv := invocation{f, args}
	switch {
	case f.vain != nil:
		return checkable{inv}, nil
	case f.modify != nil:
		return modifiable{inv}, nil
	case f.stream != nil:
		return streaming{inv}, nil
	}
	return inv, nil
}

type invocation struct {
	*fakeTool
	args map[string]any
}

func (i invocation) Intent() tools.Intent {
	if i.intent != nil {
		return i.intent(i.args)
	}
	return tools.Intent{Description: fmt.Sprint(i.name, " ", i.args["x"])}
}

func (i invocation) Run(ctx context.Context) (tools.Result, error) {
	if i.run != nil {
		return i.run(ctx, i.args)
	}
	return tools.TextResult(fmt.Sprint(i.name, " did ", i.args["x"]), nil), nil
}

type checkable struct{ invocation }

func (c checkable) Check() error { return c.vain() }

type modifiable struct{ invocation }

func (m modifiable) WithContent(content string) map[string]any { return m.modify(content) }

type streaming struct{ invocation }

func (s streaming) RunStream(_ context.Context, live func(string)) (tools.Result, error) {
	return s.stream(live)
}

// fakeHooks answers with its functions and keeps a log.
type fakeHooks struct {
	noHooks
	before func(hooks.ToolUse) hooks.BeforeToolOutcome
	after  func(hooks.ToolUse, protocol.ToolResponse) hooks.AfterToolOutcome

	request func(hooks.ToolUse) hooks.PermissionRequestOutcome
	failed  func(protocol.ToolResponse) hooks.Outcome

	mu        sync.Mutex
	requested []hooks.ToolUse
	log       []string
	uses      []hooks.ToolUse
	responses []protocol.ToolResponse
}

func (f *fakeHooks) note(s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, s)
}

func (f *fakeHooks) BeforeTool(ctx context.Context, use hooks.ToolUse) hooks.BeforeToolOutcome {
	f.note("BeforeTool " + use.Call.Name)
	f.mu.Lock()
	f.uses = append(f.uses, use)
	f.mu.Unlock()
	if f.before != nil {
		return f.before(use)
	}
	return f.noHooks.BeforeTool(ctx, use)
}

func (f *fakeHooks) AfterTool(_ context.Context, use hooks.ToolUse,
	r protocol.ToolResponse) (o hooks.AfterToolOutcome) {
	f.note("AfterTool " + use.Call.Name)
	f.mu.Lock()
	f.uses = append(f.uses, use)
	f.responses = append(f.responses, r)
	f.mu.Unlock()
	if f.after != nil {
		return f.after(use, r)
	}
	return
}

func (f *fakeHooks) PermissionRequest(ctx context.Context, use hooks.ToolUse) hooks.PermissionRequestOutcome {
	f.mu.Lock()
	f.requested = append(f.requested, use)
	f.mu.Unlock()
	if f.request != nil {
		return f.request(use)
	}
	return f.noHooks.PermissionRequest(ctx, use)
}

func (f *fakeHooks) PostToolUseFailure(_ context.Context, _ hooks.ToolUse,
	r protocol.ToolResponse) (o hooks.Outcome) {
	if f.failed != nil {
		o = f.failed(r)
	}
	return o
}

func (f *fakeHooks) NotOffered(use hooks.ToolUse, why string) { f.note("not offered: " + why) }

type fakePolicy struct {
	check      func(policy.Call) policy.Verdict
	remembered []string
}

func (f *fakePolicy) Check(c policy.Call) policy.Verdict {
	if f.check == nil {
		return policy.Verdict{}
	}
	return f.check(c)
}

func (f *fakePolicy) Lasting(policy.Call) []policy.Outcome {
	return []policy.Outcome{policy.ProceedAlways}
}

func (f *fakePolicy) Remember(c policy.Call, outcome policy.Outcome) {
	f.remembered = append(f.remembered, c.Tool+" "+outcome)
}

func always(d policy.Decision, message string) func(policy.Call) policy.Verdict {
	return func(policy.Call) policy.Verdict { return policy.Verdict{Decision: d, Message: message} }
}

// fakeUser gives its answers in turn.
type fakeUser struct {
	answers   []Answer
	questions []Question
}

func (f *fakeUser) Approve(_ context.Context, q Question) Answer {
	f.questions = append(f.questions, q)
	return f.answers[len(f.questions)-1]
}

type notice struct {
	kind, message string
	details       any
}

type fakeNotifier struct{ notices []notice }

func (f *fakeNotifier) Notify(_ context.Context, kind, message string, details any) {
	f.notices = append(f.notices, notice{kind, message, details})
}

type bench struct {
	*Runner
	hooks    *fakeHooks
	policy   *fakePolicy
	user     *fakeUser
	notifier *fakeNotifier
	events   []event.Event
}

func newBench(ts ...*fakeTool) *bench {
	b := &bench{hooks: &fakeHooks{}, policy: &fakePolicy{}, user: &fakeUser{}, notifier: &fakeNotifier{}}
	b.Runner = &Runner{
		Registry: &tools.Registry{}, Hooks: b.hooks, Policy: b.policy, Approver: b.user, Notifier: b.notifier,
		Sink: event.SinkFunc(func(e event.Event) { b.events = append(b.events, e) }),
		Now:  func() time.Time { return time.UnixMilli(1000) },
	}
	for _, t := range ts {
		b.Registry.Add(t)
	}
	return b
}

func ask(names ...string) []llm.ToolCall {
	var calls []llm.ToolCall
	for i, n := range names {
		calls = append(calls, llm.ToolCall{ID: fmt.Sprintf("%s__%d", n, i), Name: n, Args: map[string]any{"x": float64(i)}})
	}
	return calls
}

// do runs calls and checks what holds for every batch: one result per call, by index,
// and one record per call, in order.
func (b *bench) do(t *testing.T, ctx context.Context, calls []llm.ToolCall) ([]string, hooks.Verdict) {
	t.Helper()
	results, verdict := b.Run(ctx, calls, nil)
	require.Len(t, results, len(calls))
	records := b.records()
	require.Len(t, records, len(calls))
	var texts []string
	for i, r := range results {
		require.Equal(t, calls[i].ID, r.ID)
		require.Equal(t, calls[i].Name, r.Name)
		require.Equal(t, r, records[i].Result)
		require.Equal(t, calls[i], records[i].Call)
		require.Len(t, r.Response, 1)
		for key, text := range r.Response {
			texts = append(texts, key+": "+text.(string))
		}
	}
	return texts, verdict
}

func (b *bench) records() []event.ToolRecord {
	var out []event.ToolRecord
	for _, e := range eventsOf[event.ToolFinished](b) {
		out = append(out, e.Record)
	}
	return out
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

func deny(reason string) hooks.Verdict { return hooks.Verdict{Decision: hooks.Deny, Reason: reason} }
func stop(reason string) hooks.Verdict { return hooks.Verdict{Decision: hooks.Stop, Reason: reason} }

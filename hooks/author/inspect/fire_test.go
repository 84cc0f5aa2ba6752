package inspect_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/protocol"
)

// answers is a Runner whose hooks print what their command says.
type answers struct{ delay time.Duration }

func (a answers) Run(ctx context.Context, h hooks.Hook, _ hooks.Payload, _ []string) hooks.Exit {
	select {
	case <-time.After(a.delay):
	case <-ctx.Done():
		return hooks.Exit{Err: ctx.Err()}
	}
	return hooks.Exit{Stdout: []byte(h.Command), Duration: a.delay}
}

var origin = hooks.Origin{SessionID: "s1", Cwd: "/w"}

// Every event has a payload, and firing it yields the same payload.
func TestPayloads(t *testing.T) {
	t.Parallel()
	for _, ev := range protocol.Events {
		for _, subject := range (&inspect.Setup{}).Subjects(ev) {
			sample, err := inspect.Sample(ev, subject)
			require.NoError(t, err, ev)
			first, err := inspect.Payload(t.Context(), origin, sample)
			require.NoError(t, err, "%s %s", ev, subject)
			again, err := inspect.Payload(t.Context(), hooks.Origin{}, first)
			require.NoError(t, err, ev)
			assert.Equal(t, timeless(t, first), timeless(t, again), "%s %s", ev, subject)
			assert.Contains(t, string(first), `{"session_id":"s1","transcript_path":"","cwd":"/w","hook_event_name":"`+string(ev)+`","timestamp":"2`, ev)
		}
	}
}

func timeless(t *testing.T, payload []byte) map[string]any {
	var m map[string]any
	require.NoError(t, json.Unmarshal(payload, &m))
	delete(m, "timestamp")
	return m
}

func TestSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ set, in, want string }{
		{"a=1", `{}`, `{"a":1}`},
		{"a=one", `{}`, `{"a":"one"}`},
		{`a="1"`, `{}`, `{"a":"1"}`},
		{"a=x=y", `{}`, `{"a":"x=y"}`},
		{"a=", `{"a":1}`, `{"a":""}`},
		{"a.b.c=true", `{}`, `{"a":{"b":{"c":true}}}`},
		{"a.1=z", `{"a":["x","y"]}`, `{"a":["x","z"]}`},
		{"a.2=z", `{"a":["x","y"]}`, `{"a":["x","y","z"]}`},
		{"a.0.b=1", `{"a":[{}]}`, `{"a":[{"b":1}]}`},
	} {
		got, err := inspect.Set([]byte(c.in), c.set)
		require.NoError(t, err, c.set)
		assert.Equal(t, c.want, string(got), c.set)
	}
	for _, c := range []struct{ set, in, want string }{
		{"a", `{}`, "write path=value"},
		{"=1", `{}`, "write path=value"},
		{"a.b=1", `{"a":"x"}`, `"b" is below a value that is neither an object nor an array`},
		{"a.3=1", `{"a":["x"]}`, `"3" is not an index of an array of 1`},
		{"a.x=1", `{"a":["x"]}`, `"x" is not an index of an array of 1`},
		{"timestamp=1", `{}`, "the engine writes it"},
	} {
		_, err := inspect.Set([]byte(c.in), c.set)
		require.ErrorContains(t, err, c.want, c.set)
	}
}

func TestFireRefuses(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		`{`:                            "reading the payload: ",
		`{"hook_event_name":"Before"}`: `there is no event "Before"`,
		`{"hook_event_name":"AfterAgent","stop_hook_activ":true}`: `AfterAgent has no field "stop_hook_activ"; did you mean "stop_hook_active"?`,
		`{"hook_event_name":"AfterAgent","prompt":1}`:             "cannot unmarshal number",
	} {
		_, err := inspect.Fire(t.Context(), &hooks.Engine{}, []byte(payload))
		require.ErrorContains(t, err, want)
	}
}

func fire(t *testing.T, ev protocol.Event, run hooks.Runner, commands ...string) hooks.Report {
	t.Helper()
	var c hooks.Config
	for _, cmd := range commands {
		c.Hooks = append(c.Hooks, hooks.Hook{Event: ev, Command: cmd})
	}
	sample, err := inspect.Sample(ev, "")
	require.NoError(t, err)
	r, err := inspect.Fire(t.Context(), &hooks.Engine{Config: c, Runner: run, Patience: time.Millisecond}, sample)
	require.NoError(t, err)
	return r
}

// The report shows the effects of every event.
func TestFire(t *testing.T) {
	t.Parallel()
	deny := `{"decision":"deny","reason":"no"}`
	for _, c := range []struct {
		ev       protocol.Event
		answer   string
		decision hooks.Decision
		effect   string
	}{
		{protocol.BeforeTool, deny, hooks.Deny, hooks.EffectDeny},
		{protocol.BeforeTool, `{"decision":"ask"}`, hooks.Ask, hooks.EffectAsk},
		{protocol.BeforeTool, `{"hookSpecificOutput":{"tool_input":{"content":"x"}}}`, hooks.Proceed, hooks.EffectRewrite},
		{protocol.AfterTool, `{"hookSpecificOutput":{"additionalContext":"x"}}`, hooks.Proceed, hooks.EffectContext},
		{protocol.BeforeModel, `{"hookSpecificOutput":{"llm_request":{"messages":[{"role":"user","content":"other"}]}}}`, hooks.Proceed, hooks.EffectRewrite},
		{protocol.BeforeToolSelection, `{"hookSpecificOutput":{"toolConfig":{"mode":"NONE"}}}`, hooks.Proceed, hooks.EffectTools},
		{protocol.AfterModel, `{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["x"]}}]}}}`, hooks.Proceed, hooks.EffectReplace},
		{protocol.AfterAgent, deny, hooks.Deny, hooks.EffectRetry},
		{protocol.BeforeAgent, `{"continue":false,"stopReason":"enough"}`, hooks.Stop, hooks.EffectStop},
		{protocol.SessionStart, "hello", hooks.Proceed, hooks.EffectNone},
	} {
		r := fire(t, c.ev, answers{}, c.answer)
		assert.Equal(t, c.decision, r.Verdict.Decision, c.answer)
		assert.Equal(t, c.effect, r.Effect.Kind, c.answer)
	}
}

// Firing one event waits for hooks that a session would leave running.
func TestFireWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := fire(t, protocol.SessionEnd, answers{delay: 50 * time.Millisecond}, "bye")
		assert.True(t, r.Late)
		assert.Equal(t, "bye", string(r.Runs[0].Exit.Stdout))
	})
}

func TestReportText(t *testing.T) {
	t.Parallel()
	r := fire(t, protocol.BeforeTool, answers{}, `{"decision":"deny","reason":"not\u001b[2J that","odd":1}`, "plain")
	text := inspect.Text{}.Report(r)
	for _, want := range []string{
		"BeforeTool write_file: denied by ",
		`parsed   {"decision":"deny","reason":"not\u001b[2J that"}, from stdout`,
		"ignored  ", "stdin    the same", "  stdout   plain\n", "the user sees\n", "merge\n", "not<U+001B>[2J that",
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "\x1b")
	empty := inspect.Text{}.Report(fire(t, protocol.BeforeTool, answers{}))
	assert.Equal(t, "BeforeTool write_file: goes on\n  no hook is configured for it; minigem hooks explain shows where they are looked for\n", empty)
	many := inspect.Text{}.Report(fire(t, protocol.BeforeTool, answers{}, strings.Repeat("line\n", 100)))
	assert.Contains(t, many, "... and 40 lines more; --json has them all")
}

// TestReportOfWhatDidNotRun checks that a report shows why a hook did not run, and what was
// wrong with its configuration.
func TestReportOfWhatDidNotRun(t *testing.T) {
	t.Parallel()
	text := inspect.Text{}.Report(hooks.Report{Event: protocol.BeforeTool, Runs: []hooks.Run{{
		Skipped: "it does not match", Warnings: []string{"matcher \"[\" is not valid"}}}})
	assert.Contains(t, text, "did not run: it does not match\n  ignored  matcher \"[\" is not valid\n")
}

// A change is shown by its lines, not by the whole text before and after.
func TestReportShowsWhatChanged(t *testing.T) {
	t.Parallel()
	effect := hooks.Effect{Before: []byte(`{"model":"m","messages":[{"role":"user","content":"hello"}]}`), After: []byte(`{"model":"m","messages":[{"role":"user","content":"hello you"}]}`)}
	got := inspect.Text{}.Report(hooks.Report{Event: protocol.BeforeModel, Effect: effect})
	assert.Contains(t, got, "effect\n  changed -   \"content\": \"hello\"\n          +   \"content\": \"hello you\"\n")
	assert.NotContains(t, got, `"model"`)
	effect.After = nil
	assert.Contains(t, inspect.Text{}.Report(hooks.Report{Event: protocol.BeforeModel, Effect: effect}), "  before ", "where nothing took its place")
	assert.Contains(t, inspect.Text{}.Report(hooks.Report{Event: protocol.BeforeTool, Subject: "glob", Agent: hooks.Subagent{ID: "1", Type: "scout"}}), "BeforeTool glob in the agent scout: ")
}

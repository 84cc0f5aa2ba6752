package subagent_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/agent/subagent"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// bench is an agent with the tools look and change, and with subagents.
type bench struct {
	model   *llm.Fake
	defs    []subagent.Definition
	hooks   map[string]hooks.Function // by the name of the hook's event
	retries int
	looking func() // called by the tools
	ask     toolcall.Approver
	ran     []string
	events  []event.Event
	seen    []hooks.Report
}

func call(name string, args map[string]any) llm.FakeAnswer {
	return llm.FakeCalls(llm.ToolCall{Name: name, Args: args})
}

func invoke(name string) llm.FakeAnswer {
	return call("invoke_agent", map[string]any{"agent_name": name, "prompt": "find it"})
}

func done(result any) llm.FakeAnswer {
	return call("complete_task", map[string]any{"result": result})
}

// run returns the result that the parent's model read, and how the parent ended.
func (b *bench) run(t *testing.T, ctx context.Context, answers ...llm.FakeAnswer) (string, agent.Result) {
	t.Helper()
	b.model = &llm.Fake{Answers: answers}
	tool := func(name string) tools.Tool {
		f, err := tools.Func(name, name, tools.KindRead, func(ctx context.Context, in struct{ At string }) (string, error) {
			if b.looking != nil {
				b.looking()
			}
			if in.At == "forever" {
				<-ctx.Done()
				return "", context.Cause(ctx)
			}
			b.ran = append(b.ran, name+" "+in.At)
			return name + " done", nil
		})
		require.NoError(t, err)
		return f
	}
	rules := []policy.Rule{{Tools: []string{"look", "change", "invoke_agent"}, Decision: policy.Allow}}
	engine, err := policy.New(policy.Options{Rules: rules, Interactive: b.ask != nil})
	require.NoError(t, err)
	he := &hooks.Engine{Runner: hooks.Functions{ByName: b.hooks}, Report: func(r hooks.Report) { b.seen = append(b.seen, r) }, ReportIdle: true}
	for _, ev := range protocol.Events {
		if b.hooks[string(ev)] != nil {
			he.Config.Hooks = append(he.Config.Hooks, hooks.Hook{Event: ev, Name: string(ev)})
		}
	}
	runner := &toolcall.Runner{Policy: engine, Hooks: he, Approver: b.ask}
	sink := event.SinkFunc(func(e event.Event) { b.events = append(b.events, e) })
	parent := &agent.Agent{Model: b.model, Tools: runner, Hooks: he, Sink: sink, Config: agent.Config{Model: "big", MaxRetries: b.retries}}
	runner.Registry = tools.NewRegistry(tool("look"), tool("change"), tool("asked"), subagent.New(subagent.Options{
		List: func() []subagent.Definition { return b.defs }, Model: b.model, Hooks: he, Sink: sink,
		Runner: func() *toolcall.Runner { return runner }, Config: parent.Config, NewID: func() string { return "run-1" },
	}))
	res := parent.Run(ctx, agent.Prompt{Text: "go"})
	for _, m := range parent.History.Messages() {
		for _, p := range m.Parts {
			if r, ok := p.(llm.ToolResult); ok {
				text, _ := r.Response["output"].(string)
				failed, _ := r.Response["error"].(string)
				return text + failed, res
			}
		}
	}
	return "", res
}

func TestEndings(t *testing.T) {
	t.Parallel()
	look := call("look", map[string]any{"At": "x"})
	end := llm.FakeText("thanks")
	for _, tt := range []struct {
		name    string
		def     subagent.Definition
		answers []llm.FakeAnswer
		want    string
		ran     string
	}{
		{"a result", subagent.Definition{}, []llm.FakeAnswer{look, done("it is red")}, "Subagent 'a' finished.\nTermination Reason: GOAL\nResult:\nit is red", "look x"},
		{"the last turn after a limit", subagent.Definition{MaxTurns: 1}, []llm.FakeAnswer{look, done("half of it")}, "Subagent 'a' finished.\nTermination Reason: GOAL\nResult:\nhalf of it", "look x"},
		{"a limit", subagent.Definition{MaxTurns: 1}, []llm.FakeAnswer{look, llm.FakeText("no")}, "Subagent 'a' finished.\nTermination Reason: MAX_TURNS\nResult:\nAgent reached max turns limit (1).", "look x"},
		{"nothing handed over", subagent.Definition{}, []llm.FakeAnswer{llm.FakeText("red"), llm.FakeText("red!")},
			"Subagent 'a' finished.\nTermination Reason: ERROR_NO_COMPLETE_TASK_CALL\nResult:\nAgent stopped calling tools but did not call 'complete_task'.", ""},
		{"handed over at the second go", subagent.Definition{}, []llm.FakeAnswer{llm.FakeText("red"), done("red")}, "Subagent 'a' finished.\nTermination Reason: GOAL\nResult:\nred", ""},
		{"a blank result is not one", subagent.Definition{}, []llm.FakeAnswer{done(" "), done("red")}, "Subagent 'a' finished.\nTermination Reason: GOAL\nResult:\nred", ""},
		{"an object", subagent.Definition{Result: &subagent.Result{Name: "report", Schema: json.RawMessage(`{"type": "object", "required": ["n"]}`)}},
			[]llm.FakeAnswer{call("complete_task", map[string]any{"report": "red"}), call("complete_task", map[string]any{"report": map[string]any{"n": 1}})},
			"Subagent 'a' finished.\nTermination Reason: GOAL\nResult:\n{\n  \"n\": 1\n}", ""},
		{"a tool that it has not", subagent.Definition{Tools: []string{"look"}}, []llm.FakeAnswer{call("change", map[string]any{"At": "x"}), done("no")},
			"Subagent 'a' finished.\nTermination Reason: GOAL\nResult:\nno", ""},
		{"no agents inside", subagent.Definition{}, []llm.FakeAnswer{invoke("a"), done("no")}, "Subagent 'a' finished.\nTermination Reason: GOAL\nResult:\nno", ""},
		{"the model fails", subagent.Definition{}, []llm.FakeAnswer{{Err: &llm.Error{Kind: llm.ErrInvalid, Message: "bad"}}}, "Subagent 'a' failed. Error: bad", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.def.Name = "a"
			b := &bench{defs: []subagent.Definition{tt.def}}
			got, res := b.run(t, t.Context(), append(append([]llm.FakeAnswer{invoke("a")}, tt.answers...), end)...)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, "thanks", res.Response)
			assert.Equal(t, tt.ran, strings.Join(b.ran, ","))
		})
	}
}

// TestWhatTheAgentIsSent checks that the agent gets only its own instructions and
// tools, and the task.
func TestWhatTheAgentIsSent(t *testing.T) {
	t.Parallel()
	warm := 0.3
	b := &bench{defs: []subagent.Definition{{Name: "a", Instructions: "Answer ${query}.", Tools: []string{"look"}, Model: "small", Temperature: &warm}}}
	b.run(t, t.Context(), invoke("a"), call("change", nil), done("x"), llm.FakeText("ok"))
	req := b.model.Requests()[1]
	assert.True(t, strings.HasPrefix(req.System, "Answer find it.\n\n# How you work"), req.System)
	assert.Equal(t, []llm.Message{llm.UserText("find it")}, req.Messages)
	assert.Equal(t, []any{"small", "subagent", &warm}, []any{req.Model, req.Role, req.Sampling.Temperature})
	var names []string
	for _, s := range req.Tools {
		names = append(names, s.Name)
	}
	assert.Equal(t, []string{"look", "complete_task"}, names)
	refused, _ := json.Marshal(b.model.Requests()[2].Messages)
	assert.Contains(t, string(refused), "Unauthorized tool call: 'change' is not available to this agent.")
	assert.Equal(t, "big", b.model.Requests()[3].Model)
}

func TestUnknownAgent(t *testing.T) {
	t.Parallel()
	b := &bench{defs: []subagent.Definition{{Name: "a"}}}
	got, _ := b.run(t, t.Context(), invoke("b"), llm.FakeText("ok"))
	assert.Equal(t, "Subagent 'b' not found.", got)
	for _, r := range b.seen {
		assert.NotEqual(t, protocol.BeforeTool, r.Event)
	}
	older, _ := (&bench{defs: b.defs}).run(t, t.Context(), call("delegate_to_agent", map[string]any{"agent_name": "a", "prompt": "p"}), done("x"), llm.FakeText("ok"))
	assert.Contains(t, older, "GOAL")
}

// TestHooksInside checks that the parent's guard also guards the agent, and reads which
// agent it is.
func TestHooksInside(t *testing.T) {
	t.Parallel()
	b := &bench{defs: []subagent.Definition{{Name: "a"}}, hooks: map[string]hooks.Function{
		"BeforeTool": hooks.Func(func(in protocol.BeforeToolInput) protocol.Output {
			if in.ToolName == "change" && in.AgentType == "a" && in.AgentID == "run-1" {
				return protocol.DenyBecause("not by an agent")
			}
			return protocol.Output{}
		}),
	}}
	b.run(t, t.Context(), invoke("a"), call("change", map[string]any{"At": "x"}), done("no"), call("change", map[string]any{"At": "y"}), llm.FakeText("ok"))
	assert.Equal(t, []string{"change y"}, b.ran, "the same call of the main agent runs")
	told, _ := json.Marshal(b.model.Requests()[2].Messages)
	assert.Contains(t, string(told), "not by an agent")

	var order []string
	for _, r := range b.seen {
		order = append(order, strings.TrimSpace(string(r.Event)+" "+r.Subject+" "+r.Agent.Type))
	}
	assert.Equal(t, []string{
		"BeforeAgent", "BeforeModel", "BeforeToolSelection", "AfterModel", "BeforeTool invoke_agent", "SubagentStart a a",
		"BeforeModel  a", "BeforeToolSelection  a", "AfterModel  a", "BeforeTool change a",
		"BeforeModel  a", "BeforeToolSelection  a", "AfterModel  a", "BeforeTool complete_task a", "AfterTool complete_task a",
		"SubagentStop a a", "AfterTool invoke_agent", "BeforeModel", "BeforeToolSelection", "AfterModel", "BeforeTool change", "AfterTool change",
		"BeforeModel", "BeforeToolSelection", "AfterModel", "AfterAgent",
	}, order)
}

// TestABlockInsideBlocks checks that a denied or stopped action in an agent does not
// happen, and that a stop ends the parent too.
func TestABlockInsideBlocks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		event, says, want string
		ending            agent.Ending
	}{
		{"BeforeModel", `{"decision": "deny", "reason": "no"}`, "Subagent 'a' failed. Error: a BeforeModel hook refused it: no", agent.Answered},
		{"AfterModel", `{"decision": "deny", "reason": "no"}`, "Subagent 'a' failed. Error: a AfterModel hook refused it: no", agent.Answered},
		{"BeforeModel", `{"continue": false, "stopReason": "no"}`, "Agent execution stopped by hook: no", agent.Stopped},
		{"AfterModel", `{"continue": false, "stopReason": "no"}`, "Agent execution stopped by hook: no", agent.Stopped},
		{"BeforeTool", `{"continue": false, "stopReason": "no"}`, "Agent execution stopped by hook: no", agent.Stopped},
		{"AfterTool", `{"continue": false, "stopReason": "no"}`, "Agent execution stopped by hook: no", agent.Stopped},
	} {
		t.Run(tt.event+tt.says, func(t *testing.T) {
			t.Parallel()
			b := &bench{defs: []subagent.Definition{{Name: "a"}}, hooks: map[string]hooks.Function{
				tt.event: func(stdin io.Reader, stdout, _ io.Writer) int {
					if in, _ := io.ReadAll(stdin); strings.Contains(string(in), `"agent_id":"run-1"`) {
						_, _ = io.WriteString(stdout, tt.says)
					}
					return 0
				},
			}}
			got, res := b.run(t, t.Context(), invoke("a"), call("look", map[string]any{"At": "x"}), llm.FakeText("ok"))
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.ending, res.Ending)
			if tt.event == "AfterModel" || tt.event == "BeforeTool" {
				assert.Empty(t, b.ran)
			}
		})
	}
}

// TestCompletionTakenBack checks that the agent goes on working if an AfterTool hook
// refuses complete_task.
func TestCompletionTakenBack(t *testing.T) {
	t.Parallel()
	times := 0
	b := &bench{defs: []subagent.Definition{{Name: "a"}}, hooks: map[string]hooks.Function{
		"AfterTool": hooks.Func(func(in protocol.AfterToolInput) protocol.Output {
			if times++; in.ToolName == "complete_task" && times == 1 {
				return protocol.DenyBecause("look first")
			}
			return protocol.Output{}
		}),
	}}
	got, _ := b.run(t, t.Context(), invoke("a"), done("guess"), call("look", map[string]any{"At": "x"}), done("seen"), llm.FakeText("ok"))
	assert.Contains(t, got, "seen")
	assert.Equal(t, []string{"look x"}, b.ran)
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	forever, slow := call("look", map[string]any{"At": "forever"}), []subagent.Definition{{Name: "a", Timeout: time.Minute}}
	for want, last := range map[string]llm.FakeAnswer{
		"GOAL\nResult:\nlate":                                done("late"), // one answer after the timeout
		"TIMEOUT\nResult:\nAgent timed out after 1 minutes.": llm.FakeText("no"),
	} {
		synctest.Test(t, func(t *testing.T) {
			got, res := (&bench{defs: slow}).run(t, t.Context(), invoke("a"), forever, last, llm.FakeText("ok"))
			assert.Equal(t, "Subagent 'a' finished.\nTermination Reason: "+want, got)
			assert.Equal(t, "ok", res.Response)
		})
	}
}

// approver agrees after a while.
type approver func()

func (wait approver) Approve(context.Context, toolcall.Question) toolcall.Answer {
	wait()
	return toolcall.Answer{Outcome: policy.ProceedOnce}
}

// TestTheUsersTimeDoesNotCount checks that waiting for the user does not count, and
// that asking does not give an agent more time.
func TestTheUsersTimeDoesNotCount(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"x": "GOAL\nResult:\nfound", "forever": "TIMEOUT\nResult:\nAgent timed out after 1 minutes."} {
		synctest.Test(t, func(t *testing.T) {
			b := &bench{defs: []subagent.Definition{{Name: "a", Timeout: time.Minute}}, ask: approver(func() { time.Sleep(time.Hour) })}
			last := done("found")
			if name == "forever" {
				last = llm.FakeText("no")
			}
			got, _ := b.run(t, t.Context(), invoke("a"), call("asked", map[string]any{"At": name}), last, llm.FakeText("ok"))
			assert.Equal(t, "Subagent 'a' finished.\nTermination Reason: "+want, got)
		})
	}
}

// TestTheUsersTimeDoesNotCountInTheEnd checks the same for the minute of the last answer.
func TestTheUsersTimeDoesNotCountInTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{defs: []subagent.Definition{{Name: "a", MaxTurns: 1}}, ask: approver(func() { time.Sleep(time.Hour) })}
		last := llm.FakeCalls(llm.ToolCall{Name: "asked", Args: map[string]any{"At": "x"}},
			llm.ToolCall{Name: "complete_task", Args: map[string]any{"result": "found"}})
		got, _ := b.run(t, t.Context(), invoke("a"), call("look", map[string]any{"At": "x"}), last, llm.FakeText("ok"))
		assert.Equal(t, "Subagent 'a' finished.\nTermination Reason: GOAL\nResult:\nfound", got)
	})
}

// TestTheEndOfTheParentEndsTheAgent checks that it ends at once and asks nothing again.
func TestTheEndOfTheParentEndsTheAgent(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := &bench{defs: []subagent.Definition{{Name: "a"}}, looking: cancel}
	got, res := b.run(t, ctx, invoke("a"), call("look", map[string]any{"At": "forever"}))
	assert.Equal(t, agent.Cancelled, res.Ending)
	assert.NotContains(t, got, "finished")
	assert.Len(t, b.model.Requests(), 2)
}

package subagent_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/agent"
	"minigem/agent/subagent"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
)

func startHook(o protocol.Output) map[string]hooks.Function {
	return map[string]hooks.Function{"SubagentStart": hooks.Func(func(in protocol.SubagentStartInput) protocol.Output {
		if in.AgentID != "run-1" || in.AgentType != "a" || in.Prompt != "find it" {
			return protocol.DenyBecause("it reads something else")
		}
		return o
	})}
}

// TestStartHooks checks what SubagentStart hooks can do to an agent that is about to
// begin.
func TestStartHooks(t *testing.T) {
	t.Parallel()
	b := &bench{defs: []subagent.Definition{{Name: "a"}}, hooks: startHook(protocol.DenyBecause("not today"))}
	got, res := b.run(t, t.Context(), invoke("a"), llm.FakeText("ok"))
	assert.Equal(t, "Subagent 'a' was not started: not today", got)
	assert.Equal(t, "ok", res.Response)
	assert.Len(t, b.model.Requests(), 2, "the agent asked the model nothing")

	b = &bench{defs: b.defs, hooks: startHook(protocol.Output{Stop: true, StopReason: "enough"})}
	_, res = b.run(t, t.Context(), invoke("a"))
	assert.Equal(t, agent.Stopped, res.Ending)
	assert.Equal(t, "enough", res.Reason)

	b = &bench{defs: b.defs, hooks: startHook(protocol.Output{AdditionalContext: "use make"})}
	_, _ = b.run(t, t.Context(), invoke("a"), call("look", map[string]any{"At": "x"}), done("red"), llm.FakeText("ok"))
	for _, n := range []int{1, 2} {
		told, _ := json.Marshal(b.model.Requests()[n].Messages)
		assert.Contains(t, string(told), "use make", "request %d of the agent", n)
	}
	told, _ := json.Marshal(b.model.Requests()[3].Messages)
	assert.NotContains(t, string(told), "use make", "the caller does not read it")
}

// TestStopHooks checks the effects of SubagentStop hooks.
func TestStopHooks(t *testing.T) {
	t.Parallel()
	look, end := call("look", map[string]any{"At": "x"}), llm.FakeText("thanks")
	finished := func(why, text string) string {
		return "Subagent 'a' finished.\nTermination Reason: " + why + "\nResult:\n" + text
	}
	const note = "\n\nA SubagentStop hook does not accept this: more"
	for _, tt := range []struct {
		name    string
		def     subagent.Definition
		refuses int // how often it refuses
		answers []llm.FakeAnswer
		want    string
		read    []string // what the hook read: ending and response
	}{
		{"it takes the result", subagent.Definition{}, 0, []llm.FakeAnswer{done("red")}, finished("GOAL", "red"), []string{"GOAL red"}},
		{"it sends the agent on", subagent.Definition{}, 1, []llm.FakeAnswer{done("red"), done("deep red")}, finished("GOAL", "deep red"), []string{"GOAL red", "GOAL deep red again"}},
		{"with one answer where the turns are used up", subagent.Definition{MaxTurns: 1}, 1, []llm.FakeAnswer{done("red"), done("deep red")}, finished("GOAL", "deep red"),
			[]string{"GOAL red", "GOAL deep red again"}},
		{"it never takes it", subagent.Definition{}, 99, []llm.FakeAnswer{done("1"), done("2"), done("3")}, finished("GOAL", "3") + note, []string{"GOAL 1", "GOAL 2 again", "GOAL 3 again"}},
		{"a limit", subagent.Definition{MaxTurns: 1}, 99, []llm.FakeAnswer{look, llm.FakeText("no")}, finished("MAX_TURNS", "Agent reached max turns limit (1).") + note,
			[]string{"MAX_TURNS Agent reached max turns limit (1)."}},
		{"it was silent", subagent.Definition{}, 1, []llm.FakeAnswer{llm.FakeText("red"), llm.FakeText("red!"), done("red")}, finished("GOAL", "red"),
			[]string{"ERROR_NO_COMPLETE_TASK_CALL Agent stopped calling tools but did not call 'complete_task'.", "GOAL red again"}},
		{"the model fails", subagent.Definition{}, 99, []llm.FakeAnswer{{Err: &llm.Error{Kind: llm.ErrInvalid, Message: "bad"}}}, "Subagent 'a' failed. Error: bad" + note, []string{"ERROR bad"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.def.Name = "a"
			var read []string
			b := &bench{defs: []subagent.Definition{tt.def}, retries: 2, hooks: map[string]hooks.Function{
				"SubagentStop": hooks.Func(func(in protocol.SubagentStopInput) protocol.Output {
					said := in.Ending + " " + in.PromptResponse
					if in.StopHookActive {
						said += " again"
					}
					if read = append(read, said); len(read) <= tt.refuses {
						return protocol.DenyBecause("more")
					}
					return protocol.Output{}
				}),
			}}
			got, res := b.run(t, t.Context(), append(append([]llm.FakeAnswer{invoke("a")}, tt.answers...), end)...)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.read, read)
			assert.Equal(t, "thanks", res.Response)
		})
	}
}

// TestStopHooksEndTheRun checks that "continue": false ends the caller's run, and that
// context without a denial sends the agent on.
func TestStopHooksEndTheRun(t *testing.T) {
	t.Parallel()
	say := func(o protocol.Output) map[string]hooks.Function {
		return map[string]hooks.Function{"SubagentStop": hooks.Func(func(in protocol.SubagentStopInput) protocol.Output {
			if in.StopHookActive {
				return protocol.Output{}
			}
			return o
		})}
	}
	b := &bench{defs: []subagent.Definition{{Name: "a"}}, hooks: say(protocol.Output{Stop: true, StopReason: "enough"})}
	_, res := b.run(t, t.Context(), invoke("a"), done("red"))
	assert.Equal(t, agent.Stopped, res.Ending)
	assert.Equal(t, "enough", res.Reason)

	b = &bench{defs: b.defs, hooks: say(protocol.Output{AdditionalContext: "look twice"})}
	got, _ := b.run(t, t.Context(), invoke("a"), done("red"), done("deep red"), llm.FakeText("ok"))
	assert.Contains(t, got, "deep red")
	told, _ := json.Marshal(b.model.Requests()[2].Messages)
	assert.Contains(t, string(told), "look twice")
}

package toolcall

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/policy"
)

func TestPermission(t *testing.T) {
	t.Parallel()
	forced := hooks.Verdict{Decision: hooks.Ask, Reason: "odd path", SystemMessage: "look twice"}
	noPolicy := policy.Decision(-1)
	const ok = "output: t did 0"
	for _, tt := range []struct {
		name     string
		policy   policy.Decision
		message  string
		hook     hooks.Verdict
		headless bool
		answer   policy.Outcome
		want     string
		decision event.ToolDecision
		asked    bool
		remember []string
	}{
		// the policy alone
		{"no policy", noPolicy, "", hooks.Verdict{}, false, policy.ProceedOnce, ok, event.DecisionAccept, true, nil},
		{"no policy, headless", noPolicy, "", hooks.Verdict{}, true, "",
			"error: Tool execution denied by policy. It has to be confirmed, and nobody can be asked in this session.", "",
			false, nil},
		{"allow", policy.Allow, "", hooks.Verdict{}, false, "", ok, event.DecisionAccept, false, nil},
		{"deny", policy.Deny, "", hooks.Verdict{}, false, "", "error: Tool execution denied by policy.", "", false, nil},
		{"deny with words", policy.Deny, "Use git.", hooks.Verdict{}, false, "",
			"error: Tool execution denied by policy. Use git.", "", false, nil},
		{"ask, headless", policy.Ask, "", hooks.Verdict{}, true, "",
			"error: Tool execution denied by policy. It has to be confirmed, and nobody can be asked in this session.", "",
			false, nil},

		// the user
		{"once", policy.Ask, "", hooks.Verdict{}, false, policy.ProceedOnce, ok, event.DecisionAccept, true, nil},
		{"always", policy.Ask, "", hooks.Verdict{}, false, policy.ProceedAlways, ok, event.DecisionAutoAccept, true,
			[]string{"t proceed_always"}},
		{"always, in the sandbox", policy.Ask, "", hooks.Verdict{}, false, policy.ProceedAlwaysSandbox, ok,
			event.DecisionAutoAccept, true, []string{"t proceed_always_sandbox"}},
		{"server", policy.Ask, "", hooks.Verdict{}, false, policy.ProceedAlwaysServer, ok, event.DecisionAutoAccept, true,
			[]string{"t proceed_always_server"}},
		{"tool", policy.Ask, "", hooks.Verdict{}, false, policy.ProceedAlwaysTool, ok, event.DecisionAutoAccept, true,
			[]string{"t proceed_always_tool"}},
		{"cancel", policy.Ask, "", hooks.Verdict{}, false, policy.Cancel,
			"error: [Operation Cancelled] Reason: the user did not allow this call.", event.DecisionReject, true, nil},
		{"an unknown answer", policy.Ask, "", hooks.Verdict{}, false, "yes!",
			"error: [Operation Cancelled] Reason: the user did not allow this call.", event.DecisionReject, true, nil},

		// a hook's ask
		{"forced, allowed by policy", policy.Allow, "", forced, false, policy.ProceedOnce, ok, event.DecisionAccept, true,
			nil},
		{"forced, no policy", noPolicy, "", forced, false, policy.Cancel,
			"error: [Operation Cancelled] Reason: the user did not allow this call.", event.DecisionReject, true, nil},
		{"forced, denied by policy", policy.Deny, "No.", forced, false, policy.ProceedOnce,
			"error: Tool execution denied by policy. No.", "", false, nil},
		{"forced, headless", policy.Allow, "", forced, true, "",
			"error: Tool execution blocked: odd path (nobody can be asked in this session)", "", false, nil},
		{"forced without a reason, headless", policy.Allow, "", hooks.Verdict{Decision: hooks.Ask}, true, "",
			"error: Tool execution blocked: a hook wants the user to be asked (nobody can be asked in this session)", "", false,
			nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(&fakeTool{name: "t"})
			b.policy.check = always(tt.policy, tt.message)
			if tt.policy == noPolicy {
				b.Policy = nil
			}
			if tt.headless {
				b.Approver = nil
			}
			b.user.answers = []Answer{{Outcome: tt.answer}}
			beforeTool(hooks.BeforeToolOutcome{Verdict: tt.hook})(b)
			texts, _ := b.do(t, t.Context(), ask("t"))
			assert.Equal(t, []string{tt.want}, texts)
			assert.Equal(t, tt.decision, b.records()[0].Decision)
			assert.Equal(t, tt.remember, b.policy.remembered)
			if !tt.asked {
				assert.Empty(t, b.user.questions)
				assert.Empty(t, b.notifier.notices)
				return
			}
			require.Len(t, b.notifier.notices, 1)
			lasting := []policy.Outcome{policy.ProceedAlways}
			if b.Policy == nil || tt.hook.Decision == hooks.Ask {
				lasting = nil // a hook asks again, whatever the policy decides
			}
			assert.Equal(t, []Question{{
				Lasting: lasting, Call: ask("t")[0], Intent: tools.Intent{Description: "t 0"},
				Forced:     tt.hook.Decision == hooks.Ask,
				HookReason: tt.hook.Reason, HookMessage: tt.hook.SystemMessage,
			}}, b.user.questions)
		})
	}
}

func TestPolicyJudgesWhatWouldRun(t *testing.T) {
	t.Parallel()
	b := newBench(&fakeTool{name: "t", info: tools.Info{Aliases: []string{"old"}, Kind: tools.KindEdit}})
	b.Subagent = "scout"
	var judged []policy.Call
	b.policy.check = func(c policy.Call) policy.Verdict { judged = append(judged, c); return policy.Verdict{} }
	beforeTool(hooks.BeforeToolOutcome{Args: map[string]any{"x": "new"}, Changed: true})(b)
	b.do(t, t.Context(), ask("old"))
	assert.Equal(t, []policy.Call{{
		Tool: "t", Info: tools.Info{Aliases: []string{"old"}, Kind: tools.KindEdit}, Args: map[string]any{"x": "new"},
		Intent: tools.Intent{Description: "t new"}, Subagent: "scout",
	}}, judged)
}

func TestUserEdits(t *testing.T) {
	t.Parallel()
	edited, worse := "edited", "bad"
	tool := &fakeTool{
		name:   "t",
		modify: func(content string) map[string]any { return map[string]any{"x": content} },
		check: func(args map[string]any) error {
			if args["x"] == "bad" {
				return tools.Errorf("", "params must not be bad")
			}
			return nil
		},
	}
	for _, tt := range []struct {
		name     string
		answers  []Answer
		want     string
		decision event.ToolDecision
	}{
		{"edit, then yes", []Answer{{Outcome: policy.ModifyWithEditor, NewContent: &edited}, {Outcome: policy.ProceedOnce}},
			"output: t did edited", event.DecisionModify},
		{"yes to an edit", []Answer{{Outcome: policy.ProceedOnce, NewContent: &edited}}, "output: t did edited",
			event.DecisionModify},
		{"edit, then no", []Answer{{Outcome: policy.ModifyWithEditor, NewContent: &edited}, {Outcome: policy.Cancel}},
			"error: [Operation Cancelled] Reason: the user did not allow this call.", event.DecisionReject},
		{"editor closed without a change", []Answer{{Outcome: policy.ModifyWithEditor}, {Outcome: policy.ProceedOnce}},
			"output: t did 0", event.DecisionAccept},
		{"invalid edit", []Answer{{Outcome: policy.ModifyWithEditor, NewContent: &worse}}, "error: params must not be bad",
			""},
	} {
		b := newBench(tool)
		b.policy.check = always(policy.Ask, "")
		b.user.answers = tt.answers
		texts, _ := b.do(t, t.Context(), ask("t"))
		assert.Equal(t, []string{tt.want}, texts, tt.name)
		assert.Equal(t, tt.decision, b.records()[0].Decision, tt.name)
		assert.Len(t, b.user.questions, len(tt.answers), tt.name)
		assert.Len(t, b.notifier.notices, len(tt.answers), "%s: each question is announced", tt.name)
		for i, q := range b.user.questions {
			assert.True(t, q.Modifiable)
			if i > 0 && tt.answers[0].NewContent != nil {
				assert.Equal(t, "t edited", q.Intent.Description, "the second question is about the edit")
			}
		}
	}
}

func TestDeclining(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, answers ...Answer) ([]string, hooks.Verdict) {
		b := newBench(&fakeTool{name: "free"}, &fakeTool{name: "asks"},
			&fakeTool{name: "alone", info: tools.Info{Sequential: true}})
		b.policy.check = func(c policy.Call) policy.Verdict {
			if c.Tool == "asks" {
				return policy.Verdict{Decision: policy.Ask}
			}
			return policy.Verdict{}
		}
		b.user.answers = answers
		calls := ask("free", "asks", "asks", "free", "alone")
		if len(answers) > 1 {
			calls = ask("asks", "asks")
		}
		return b.do(t, t.Context(), calls)
	}
	const no = "error: [Operation Cancelled] Reason: the user did not allow this call."

	texts, verdict := run(t, Answer{Outcome: policy.Cancel})
	queued := "error: not run: the user declined asks"
	assert.Equal(t, []string{"output: free did 0", no, queued, queued, queued}, texts)
	assert.Equal(t, hooks.Verdict{}, verdict, "there are results to tell the model")

	texts, verdict = run(t, Answer{Outcome: policy.Cancel}, Answer{Outcome: policy.ProceedOnce})
	assert.Equal(t, []string{no, queued}, texts)
	assert.Equal(t, deny("cancelled by the user"), verdict)

	texts, verdict = run(t, Answer{Outcome: policy.Cancel, Feedback: "use git mv"}, Answer{})
	assert.Equal(t, []string{no + " The user said: use git mv", queued}, texts)
	assert.Equal(t, hooks.Verdict{}, verdict, "the user has something to say")
}

func TestCancelledWhileAsked(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	b := newBench(&fakeTool{name: "t"})
	b.policy.check = always(policy.Ask, "")
	b.Approver = approverFunc(func(Question) Answer { cancel(errUser); return Answer{Outcome: policy.ProceedOnce} })
	texts, _ := b.do(t, ctx, ask("t", "t"))
	want := "error: [Operation Cancelled] Reason: interrupted"
	assert.Equal(t, []string{want, want}, texts)
	assert.Equal(t, event.ToolCancelled, b.records()[1].Status)
}

type approverFunc func(Question) Answer

func (f approverFunc) Approve(_ context.Context, q Question) Answer { return f(q) }

// Messages and details are those in core/hooks/hookEventHandler.ts.
func TestNotification(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		q       Question
		message string
		details string
	}{
		{"edit", Question{
			Intent: tools.Intent{Title: "Confirm Write: a.txt", Edit: &tools.EditIntent{FileName: "a.txt", FilePath: "/w/a.txt",
				Diff: "d", Original: "o", New: "n"}}},
			"Tool Confirm Write: a.txt requires editing",
			`{"type":"edit","title":"Confirm Write: ` +
				`a.txt","fileName":"a.txt","filePath":"/w/a.txt","fileDiff":"d","originalContent":"o","newContent":"n"}`},
		{"new file", Question{
			Intent: tools.Intent{Edit: &tools.EditIntent{FileName: "a.txt", FilePath: "/w/a.txt", New: "n", IsNew: true}}},
			"Tool Confirm Edit: a.txt requires editing",
			`{"type":"edit","title":"Confirm Edit: ` +
				`a.txt","fileName":"a.txt","filePath":"/w/a.txt","fileDiff":"","originalContent":null,"newContent":"n"}`},
		{"exec", Question{Intent: tools.Intent{Exec: &tools.ExecIntent{Command: "git push", Root: "git"}}},
			"Tool Confirm Shell Command requires execution",
			`{"type":"exec","title":"Confirm Shell Command","command":"git push","rootCommand":"git"}`},
		{"mcp", Question{Info: tools.Info{DisplayName: "toy (box)"},
			Intent: tools.Intent{MCP: &tools.MCPOrigin{Server: "box", Tool: "toy"}}},
			"Tool Confirm MCP Tool Execution requires MCP",
			`{"type":"mcp","title":"Confirm MCP Tool Execution","serverName":"box","toolName":"toy","toolDisplayName":"toy ` +
				`(box)"}`},
		{"info", Question{
			Intent: tools.Intent{Title: "Confirm Web Fetch", Info: &tools.InfoIntent{Prompt: "p", URLs: []string{"u"}}}},
			"Tool Confirm Web Fetch requires information",
			`{"type":"info","title":"Confirm Web Fetch","prompt":"p","urls":["u"]}`},
		{"nothing to tell", Question{Call: llm.ToolCall{Name: "t"}, Intent: tools.Intent{Description: "does it"}},
			"Tool Confirm: t requires information", `{"type":"info","title":"Confirm: t","prompt":"does it"}`},
	} {
		message, details := notification(tt.q)
		assert.Equal(t, tt.message, message, tt.name)
		got, err := json.Marshal(details)
		require.NoError(t, err)
		assert.Equal(t, tt.details, string(got), tt.name)
	}
}

// TestNoQuestionForAFailingCall checks that a call that is known to fail fails without a
// question, even if that changes later, because it was never approved.
func TestNoQuestionForAFailingCall(t *testing.T) {
	t.Parallel()
	ran := false
	b := newBench(&fakeTool{
		name: "t",
		vain: func() error { return tools.Errorf(tools.ErrEditNoOccurrence, "there is no such text") },
		run:  func(context.Context, map[string]any) (tools.Result, error) { ran = true; return tools.Result{}, nil },
	})
	b.policy.check = always(policy.Ask, "")
	texts, _ := b.do(t, t.Context(), ask("t"))
	assert.Equal(t, []string{"error: there is no such text"}, texts)
	assert.Empty(t, b.user.questions)
	assert.Empty(t, b.notifier.notices)
	assert.False(t, ran)
	assert.Equal(t, string(tools.ErrEditNoOccurrence), b.records()[0].ErrorType)
}

// TestQuestionHasTheReasonOfThePolicy checks that the question says why the user is
// asked.
func TestQuestionHasTheReasonOfThePolicy(t *testing.T) {
	t.Parallel()
	b := newBench(&fakeTool{name: "t"})
	b.policy.check = func(policy.Call) policy.Verdict {
		return policy.Verdict{Decision: policy.Ask, Reason: "it may change what programs run"}
	}
	b.user.answers = []Answer{{Outcome: policy.Cancel}}
	b.do(t, t.Context(), ask("t"))
	require.Len(t, b.user.questions, 1)
	assert.Equal(t, "it may change what programs run", b.user.questions[0].Why)
}

package toolcall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/policy"
)

var errUser = errors.New("interrupted")

var (
	_ agent.ToolRunner = (*Runner)(nil)
	_ Policy           = (*policy.Engine)(nil)
)

func TestWaves(t *testing.T) {
	t.Parallel()
	b := newBench(&fakeTool{name: "read"}, &fakeTool{name: "write", info: tools.Info{Sequential: true, Aliases: []string{"edit"}}})
	for _, tt := range []struct{ calls, want string }{
		{"read", "[read]"},
		{"read read write read read", "[read read] [write] [read read]"},
		{"write write", "[write] [write]"},
		{"edit read", "[edit] [read]"},
		{"read unknown read", "[read unknown read]"},
		{"read wait read", "[read] [wait] [read]"},
		{"", ""},
	} {
		calls := ask(strings.Fields(tt.calls)...)
		for i := range calls {
			if calls[i].Name == "wait" {
				calls[i].Args["wait_for_previous"] = true
			}
		}
		var got []string
		for _, wave := range newBatch(b.Runner, calls, nil).waves() {
			var names []string
			for _, c := range wave {
				names = append(names, c.asked.Name)
			}
			got = append(got, fmt.Sprint(names))
		}
		assert.Equal(t, tt.want, strings.Join(got, " "))
	}
}

// slow takes as many seconds as its argument x says.
func slow(name string, sequential bool) *fakeTool {
	return &fakeTool{name: name, info: tools.Info{Sequential: sequential}, run: func(_ context.Context, args map[string]any) (tools.Result, error) {
		time.Sleep(time.Duration(args["x"].(float64)) * time.Second)
		return tools.TextResult(name, nil), nil
	}}
}

func TestWavesRunTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(slow("read", false), slow("write", true))
		b.Now = nil
		start := time.Now()
		b.hooks.before = func(u hooks.ToolUse) hooks.BeforeToolOutcome {
			time.Sleep(time.Second)
			return hooks.BeforeToolOutcome{Args: u.Call.Args}
		}
		calls := ask("read", "read", "write", "read", "read")
		for i, seconds := range []float64{3, 1, 2, 1, 2} {
			calls[i].Args["x"] = seconds
		}
		b.do(t, t.Context(), calls)
		assert.Equal(t, (1+3+1+2+1+2)*time.Second, time.Since(start), "a wave takes as long as its slowest call")
		assert.Equal(t, []string{
			"BeforeTool read", "BeforeTool read", "AfterTool read", "AfterTool read",
			"BeforeTool write", "AfterTool write",
			"BeforeTool read", "BeforeTool read", "AfterTool read", "AfterTool read",
		}, b.hooks.log)
		var took []time.Duration
		for _, r := range b.records() {
			took = append(took, r.Finished.Sub(start))
		}
		assert.Equal(t, []time.Duration{4 * time.Second, 2 * time.Second, 7 * time.Second, 9 * time.Second, 10 * time.Second}, took)
	})
}

// A stop ends the batch: calls that have not started do not start.
func TestStopHoldsForSiblings(t *testing.T) {
	t.Parallel()
	const notRun = "error: not run: a hook stopped the run: end"
	const stopped = "error: Agent execution stopped by hook: end"
	t.Run("BeforeTool", func(t *testing.T) {
		t.Parallel()
		b := newBench(&fakeTool{name: "read"}, &fakeTool{name: "danger"}, &fakeTool{name: "write", info: tools.Info{Sequential: true}})
		b.hooks.before = func(u hooks.ToolUse) hooks.BeforeToolOutcome {
			if u.Call.Name == "danger" {
				return hooks.BeforeToolOutcome{Verdict: stop("end")}
			}
			return hooks.BeforeToolOutcome{Args: u.Call.Args}
		}
		texts, verdict := b.do(t, t.Context(), ask("read", "danger", "read", "write"))
		assert.Equal(t, []string{notRun, stopped, notRun, notRun}, texts)
		assert.Equal(t, stop("end"), verdict)
		assert.Empty(t, eventsOf[event.ToolStarted](b))
		assert.NotContains(t, b.hooks.log, "BeforeTool write")
	})
	t.Run("AfterTool", func(t *testing.T) {
		t.Parallel()
		b := newBench(&fakeTool{name: "read"}, &fakeTool{name: "write", info: tools.Info{Sequential: true}})
		b.hooks.after = func(u hooks.ToolUse, _ protocol.ToolResponse) hooks.AfterToolOutcome {
			if u.Call.Args["x"] == 0.0 {
				return hooks.AfterToolOutcome{Verdict: stop("end")}
			}
			return hooks.AfterToolOutcome{}
		}
		texts, verdict := b.do(t, t.Context(), ask("read", "read", "write"))
		assert.Equal(t, []string{stopped, "output: read did 1", notRun}, texts)
		assert.Equal(t, stop("end"), verdict)
	})
	t.Run("is stronger than the user's yes", func(t *testing.T) {
		t.Parallel()
		b := newBench(&fakeTool{name: "read"}, &fakeTool{name: "danger"})
		b.policy.check = always(policy.Ask, "")
		b.user.answers = []Answer{{Outcome: policy.ProceedOnce}}
		b.hooks.before = func(u hooks.ToolUse) hooks.BeforeToolOutcome {
			if u.Call.Name == "danger" {
				return hooks.BeforeToolOutcome{Verdict: stop("end")}
			}
			return hooks.BeforeToolOutcome{Args: u.Call.Args}
		}
		texts, _ := b.do(t, t.Context(), ask("read", "danger"))
		assert.Equal(t, []string{notRun, stopped}, texts)
		assert.Empty(t, b.user.questions, "nobody is asked about what will not run")
	})
}

func TestStopAfterADecline(t *testing.T) {
	t.Parallel()
	b := newBench(&fakeTool{name: "read"}, &fakeTool{name: "asks"}, &fakeTool{name: "write", info: tools.Info{Sequential: true}})
	b.policy.check = func(c policy.Call) policy.Verdict {
		if c.Tool == "asks" {
			return policy.Verdict{Decision: policy.Ask}
		}
		return policy.Verdict{}
	}
	b.user.answers = []Answer{{Outcome: policy.Cancel}}
	afterTool(hooks.AfterToolOutcome{Verdict: stop("end")})(b)
	texts, verdict := b.do(t, t.Context(), ask("read", "asks", "write"))
	assert.Equal(t, stop("end"), verdict)
	assert.Equal(t, "error: not run: a hook stopped the run: end", texts[2])
}

func TestFirstStopSpeaks(t *testing.T) {
	t.Parallel()
	b := newBench(&fakeTool{name: "read"})
	b.hooks.before = func(u hooks.ToolUse) hooks.BeforeToolOutcome {
		return hooks.BeforeToolOutcome{Verdict: stop(fmt.Sprint("reason ", u.Call.Args["x"]))}
	}
	_, verdict := b.do(t, t.Context(), ask("read", "read", "read"))
	assert.Equal(t, stop("reason 0"), verdict)
	assert.Equal(t, []event.Stopped{{Event: "BeforeTool", Reason: "reason 0"}}, eventsOf[event.Stopped](b))
}

func TestTailCall(t *testing.T) {
	t.Parallel()
	tail := func(name string) func(hooks.ToolUse, protocol.ToolResponse) hooks.AfterToolOutcome {
		return func(u hooks.ToolUse, _ protocol.ToolResponse) hooks.AfterToolOutcome {
			if u.OriginalName != "" {
				return hooks.AfterToolOutcome{}
			}
			return hooks.AfterToolOutcome{Tail: &llm.ToolCall{Name: name, Args: map[string]any{"x": "tail"}}}
		}
	}
	for _, tt := range []struct {
		name    string
		tail    string
		prepare func(*bench)
		want    string
		hooks   []string
	}{
		{"takes the result's place", "list", func(*bench) {}, "output: list did tail",
			[]string{"BeforeTool read", "AfterTool read", "BeforeTool list", "AfterTool list"}},
		{"unknown", "lost", func(*bench) {}, `error: Tool "lost" not found. Did you mean one of: "list", "read"?`,
			[]string{"BeforeTool read", "AfterTool read"}},
		{"denied by a hook", "list", func(b *bench) {
			b.hooks.before = func(u hooks.ToolUse) hooks.BeforeToolOutcome {
				if u.Call.Name == "list" {
					return hooks.BeforeToolOutcome{Verdict: deny("no")}
				}
				return hooks.BeforeToolOutcome{Args: u.Call.Args}
			}
		}, "error: Tool execution blocked: no", []string{"BeforeTool read", "AfterTool read", "BeforeTool list"}},
		{"denied by policy", "list", func(b *bench) {
			b.policy.check = func(c policy.Call) policy.Verdict {
				if c.Tool == "list" {
					return policy.Verdict{Decision: policy.Deny}
				}
				return policy.Verdict{}
			}
		}, "error: Tool execution denied by policy.", []string{"BeforeTool read", "AfterTool read", "BeforeTool list"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(&fakeTool{name: "read", info: tools.Info{DisplayName: "ReadFile"}}, &fakeTool{name: "list"})
			b.hooks.after = tail(tt.tail)
			tt.prepare(b)
			texts, _ := b.do(t, t.Context(), ask("read"))
			assert.Equal(t, []string{tt.want}, texts)
			assert.Equal(t, tt.hooks, b.hooks.log)
			r := b.records()[0]
			assert.Equal(t, "ReadFile", r.DisplayName)
			assert.Equal(t, map[string]any{"x": 0.0}, r.Args)
			require.Len(t, r.Followed, 1, "the tail call has its own record")
			f := r.Followed[0]
			assert.Equal(t, []any{"read__0", tt.tail, r.Status, r.ErrorMessage, r.Result}, []any{f.Call.ID, f.Call.Name, f.Status, f.ErrorMessage, f.Result})
			assert.Equal(t, map[string]any{"x": "tail"}, f.Args)
			for i, u := range b.hooks.uses {
				assert.Equal(t, "read__0", u.Call.ID)
				assert.Equal(t, i >= 2, u.OriginalName == "read")
			}
		})
	}
}

func TestTailCallsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(&fakeTool{name: "read"})
	b.hooks.after = func(u hooks.ToolUse, _ protocol.ToolResponse) hooks.AfterToolOutcome {
		return hooks.AfterToolOutcome{Tail: &llm.ToolCall{Name: "read", Args: u.Call.Args}}
	}
	texts, _ := b.do(t, t.Context(), ask("read"))
	assert.Equal(t, []string{"output: read did 0"}, texts)
	assert.Len(t, b.hooks.responses, 1+maxTailCalls)
	assert.Len(t, b.records()[0].Followed, maxTailCalls)
	notices := eventsOf[event.Notice](b)
	require.Len(t, notices, 1)
	assert.Equal(t, "warning", notices[0].Severity)
}

func TestStopReachesTailCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(slow("read", false))
		b.hooks.after = func(u hooks.ToolUse, _ protocol.ToolResponse) hooks.AfterToolOutcome {
			if u.Call.ID == "read__0" {
				return hooks.AfterToolOutcome{Verdict: stop("end")}
			}
			return hooks.AfterToolOutcome{Tail: &llm.ToolCall{Name: "read", Args: u.Call.Args}}
		}
		texts, _ := b.do(t, t.Context(), ask("read", "read")) // the second takes a second longer
		assert.Equal(t, []string{
			"error: Agent execution stopped by hook: end", "error: not run: a hook stopped the run: end",
		}, texts)
	})
}

func TestQuestionsOfTailCallsDoNotOverlap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(&fakeTool{name: "read"}, &fakeTool{name: "danger"})
		b.policy.check = func(c policy.Call) policy.Verdict {
			if c.Tool == "danger" {
				return policy.Verdict{Decision: policy.Ask}
			}
			return policy.Verdict{}
		}
		b.hooks.after = func(u hooks.ToolUse, _ protocol.ToolResponse) hooks.AfterToolOutcome {
			if u.OriginalName != "" {
				return hooks.AfterToolOutcome{}
			}
			return hooks.AfterToolOutcome{Tail: &llm.ToolCall{Name: "danger", Args: u.Call.Args}}
		}
		asking := 0
		b.Approver = approverFunc(func(Question) Answer {
			asking++
			assert.Equal(t, 1, asking)
			time.Sleep(time.Second)
			asking--
			return Answer{Outcome: policy.ProceedOnce}
		})
		start := time.Now()
		b.do(t, t.Context(), ask("read", "read", "read"))
		assert.Equal(t, 3*time.Second, time.Since(start))
	})
}

func TestCancelledBatch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	b := newBench(&fakeTool{name: "quick", info: tools.Info{Sequential: true}}, &fakeTool{name: "long", run: func(ctx context.Context, _ map[string]any) (tools.Result, error) {
		cancel(errUser)
		<-ctx.Done()
		return tools.TextResult("half of it", nil), ctx.Err()
	}}, &fakeTool{name: "later", info: tools.Info{Sequential: true}})
	texts, verdict := b.do(t, ctx, ask("quick", "long", "later"))
	assert.Equal(t, []string{
		"output: quick did 0",
		"error: [Operation Cancelled] Reason: interrupted\nhalf of it",
		"error: [Operation Cancelled] Reason: interrupted",
	}, texts)
	assert.Equal(t, hooks.Verdict{}, verdict)
	var statuses []event.ToolStatus
	for _, r := range b.records() {
		statuses = append(statuses, r.Status)
	}
	assert.Equal(t, []event.ToolStatus{event.ToolSuccess, event.ToolCancelled, event.ToolCancelled}, statuses)
	assert.False(t, slices.Contains(b.hooks.log, "AfterTool long"))
	assert.False(t, slices.Contains(b.hooks.log, "BeforeTool later"))
}

func TestCancelledAfterTool(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		verdict hooks.Verdict
		want    string
	}{
		{"a hook that was broken off did not let the result pass", hooks.Verdict{}, "error: [Operation Cancelled] Reason: interrupted"},
		{"a deny holds", deny("secret"), "error: secret"},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		b := newBench(&fakeTool{name: "t"})
		b.hooks.after = func(hooks.ToolUse, protocol.ToolResponse) hooks.AfterToolOutcome {
			cancel(errUser)
			return hooks.AfterToolOutcome{Verdict: tt.verdict}
		}
		texts, _ := b.do(t, ctx, ask("t"))
		assert.Equal(t, []string{tt.want}, texts, tt.name)
	}
}

// The zero Runner is safe: it declares nothing and answers each call. With a tool and
// no user to ask, it lets nothing run.
func TestZeroRunner(t *testing.T) {
	t.Parallel()
	r := &Runner{}
	assert.Empty(t, r.Specs())
	results, verdict := r.Run(t.Context(), nil, nil)
	assert.Empty(t, results)
	assert.Equal(t, hooks.Verdict{}, verdict)
	results, _ = r.Run(t.Context(), ask("t"), nil)
	assert.Equal(t, map[string]any{"error": `Tool "t" not found.`}, results[0].Response)

	tool := &fakeTool{name: "t"}
	r.Registry = &tools.Registry{}
	r.Registry.Add(tool)
	assert.Len(t, r.Specs(), 1)
	results, _ = r.Run(t.Context(), ask("t"), nil)
	assert.Contains(t, results[0].Response["error"], "nobody can be asked")
}

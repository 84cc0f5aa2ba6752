package hooks_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/internal/thorough"
	"minigem/llm"
)

// reports collects an engine's reports.
type reports struct {
	mu  sync.Mutex
	all []hooks.Report
}

func (r *reports) add(rep hooks.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, rep)
}

func (r *reports) last() hooks.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[len(r.all)-1]
}

// soFar returns all reports up to now. More may follow.
func (r *reports) soFar() []hooks.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}

// engine returns an Engine whose hooks are scripts. The key is both name and command.
func engine(ev protocol.Event, scripts map[string]hookstest.Script, names ...string) (*hooks.Engine, *hookstest.Runner, *reports) {
	r, rep := &hookstest.Runner{Scripts: scripts}, &reports{}
	e := &hooks.Engine{Runner: r, Origin: hookstest.Origin, Report: rep.add}
	for _, n := range names {
		e.Config.Hooks = append(e.Config.Hooks, hooks.Hook{Event: ev, Name: n, Command: n})
	}
	return e, r, rep
}

func writeFile() hooks.ToolUse {
	return hooks.ToolUse{Call: llm.ToolCall{ID: "write_file__1", Name: "write_file", Args: map[string]any{"file_path": "a"}}}
}

// TestZeroEngine checks that everything passes without hooks, and without an engine.
func TestZeroEngine(t *testing.T) {
	t.Parallel()
	withHook := &hooks.Engine{Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Command: "x"}}}}
	for _, e := range []*hooks.Engine{nil, {}, withHook} {
		ctx, use := context.Background(), writeFile()
		req := hooks.NewModelRequest(hookstest.Request())
		assert.Equal(t, "", e.SessionStart(ctx, "startup"))
		assert.Equal(t, hooks.Outcome{}, e.BeforeAgent(ctx, "p"))
		assert.Equal(t, hooks.BeforeModelOutcome{Request: req}, e.BeforeModel(ctx, req))
		assert.Equal(t, req, e.BeforeToolSelection(ctx, req))
		assert.Equal(t, hooks.AfterModelOutcome{Chunk: hookstest.Chunk()}, e.AfterModel(ctx, req, hookstest.Chunk()))
		assert.Equal(t, hooks.BeforeToolOutcome{Args: use.Call.Args}, e.BeforeTool(ctx, use))
		assert.Equal(t, hooks.AfterToolOutcome{}, e.AfterTool(ctx, use, protocol.ToolResponse{}))
		assert.Equal(t, hooks.AfterAgentOutcome{}, e.AfterAgent(ctx, "p", "r", false))
		assert.Empty(t, e.Notification(ctx, "ToolPermission", "m", nil))
		e.PreCompress(ctx, "auto")
		e.SessionEnd(ctx, "exit")
	}
}

// TestParallelIsDeterministic checks, a thousand times, that six hooks that end in any
// order merge in configured order.
func TestParallelIsDeterministic(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e", "f"}
	for seed := range thorough.Times(100, 1000) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(seed), 1))
			scripts := map[string]hookstest.Script{}
			for i, n := range names {
				scripts[n] = hookstest.Script{
					Delay:  time.Duration(random.IntN(1000)) * time.Millisecond,
					Stdout: fmt.Sprintf(`{"decision":%q,"reason":%q,"systemMessage":%q,"hookSpecificOutput":{"tool_input":{"last":%q,%q:1}}}`, []string{"deny", "allow"}[i%2], n, n, n, n),
				}
			}
			e, _, _ := engine(protocol.BeforeTool, scripts, names...)
			assert.Equal(t, hooks.BeforeToolOutcome{
				Verdict: hooks.Verdict{Decision: hooks.Deny, Reason: "a\nc\ne", SystemMessage: "a\nb\nc\nd\ne\nf", Hooks: []string{"a", "c", "e"}},
				Args:    map[string]any{"file_path": "a", "last": "f", "a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0, "e": 1.0, "f": 1.0},
				Changed: true,
			}, e.BeforeTool(t.Context(), writeFile()))
		})
	}
}

// TestDurations checks that parallel hooks take as long as the slowest, and sequential
// ones as long as all together.
func TestDurations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		second := hookstest.Script{Delay: time.Second}
		e, _, rep := engine(protocol.BeforeAgent, map[string]hookstest.Script{"a": second, "b": second, "c": second}, "a", "b", "c")
		e.BeforeAgent(t.Context(), "p")
		assert.Equal(t, time.Second, rep.last().Duration)
		e.Config.Hooks[1].Sequential = true
		e.BeforeAgent(t.Context(), "p")
		assert.Equal(t, 3*time.Second, rep.last().Duration)
	})
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, _, rep := engine(protocol.BeforeAgent, map[string]hookstest.Script{"a": {Delay: time.Hour}}, "a")
		e.BeforeAgent(t.Context(), "p")
		assert.Equal(t, 60*time.Second, rep.last().Duration, "the default")
		run := rep.last().Runs[0]
		assert.True(t, run.TimedOut)
		assert.Equal(t, "timed out after 60000ms", run.Failed)
		e.Config.Hooks[0].Timeout = 250 * time.Millisecond
		e.BeforeAgent(t.Context(), "p")
		assert.Equal(t, 250*time.Millisecond, rep.last().Duration)
		e.Config.Hooks[0].Timeout = -1
		e.BeforeAgent(t.Context(), "p")
		assert.Equal(t, 60*time.Second, rep.last().Duration, "nonsense is the default")
	})
}

func TestCancelledTurnCancelsItsHooks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, r, rep := engine(protocol.BeforeAgent, map[string]hookstest.Script{"a": {Delay: time.Hour, Stdout: `{"decision":"deny","reason":"no"}`}}, "a", "b")
		e.Config.Hooks[0].Sequential = true
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		o := e.BeforeAgent(ctx, "p")
		assert.Equal(t, time.Second, rep.last().Duration)
		assert.Equal(t, []string{"a"}, r.Commands())
		assert.Equal(t, "cancelled", rep.last().Runs[0].Failed)
		assert.False(t, rep.last().Runs[0].TimedOut)
		assert.Equal(t, "cancelled before it began", rep.last().Runs[1].Skipped)
		assert.Equal(t, hooks.Deny, o.Decision, "a block that was printed blocks")
	})
}

// TestPatience checks that SessionEnd and PreCompress hooks are left running after 5 s,
// keep their own timeouts, and are reported again when they have ended.
func TestPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, _, rep := engine(protocol.SessionEnd, map[string]hookstest.Script{
			"quick": {Delay: time.Second, Stdout: "bye"}, "slow": {Delay: 20 * time.Second, Stdout: "late"}, "stuck": {Delay: time.Hour},
		}, "quick", "slow", "stuck")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		e.SessionEnd(ctx, "exit")
		first := rep.last()
		assert.Equal(t, 5*time.Second, first.Duration)
		assert.Equal(t, []bool{false, true, true}, []bool{first.Runs[0].Left, first.Runs[1].Left, first.Runs[2].Left})
		assert.Equal(t, "bye", first.Verdict.SystemMessage)
		assert.False(t, first.Late)

		time.Sleep(2 * time.Minute)
		second := rep.last()
		assert.Len(t, rep.all, 2)
		assert.True(t, second.Late)
		assert.Equal(t, first.Seq, second.Seq)
		assert.Equal(t, 60*time.Second, second.Duration)
		assert.Equal(t, "bye\nlate", second.Verdict.SystemMessage)
		assert.Equal(t, "timed out after 60000ms", second.Runs[2].Failed)
	})
}

func TestPatienceWhenAllEndInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, _, rep := engine(protocol.PreCompress, map[string]hookstest.Script{"a": {Delay: 4 * time.Second, Stdout: "m"}, "b": {}}, "a", "b")
		e.Config.Hooks[0].Sequential = true
		e.PreCompress(t.Context(), "auto")
		time.Sleep(time.Minute)
		require.Len(t, rep.all, 1)
		assert.Equal(t, 4*time.Second, rep.last().Duration)
		assert.Equal(t, "m", rep.last().Verdict.SystemMessage)
	})
}

// TestPreCompressIsCancelled checks that only SessionEnd outlives the turn.
func TestPreCompressIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, _, rep := engine(protocol.PreCompress, map[string]hookstest.Script{"a": {Delay: time.Hour}}, "a")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		e.PreCompress(ctx, "auto")
		assert.Equal(t, time.Second, rep.last().Duration)
		assert.Equal(t, "cancelled", rep.last().Runs[0].Failed)
	})
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	e, r, _ := engine(protocol.BeforeTool, map[string]hookstest.Script{"a": {}}, "a")
	e.Origin = hooks.Origin{SessionID: "s", Cwd: "/p/src", ProjectDir: "/p", PlansDir: "/plans"}
	e.Config.Hooks[0].Env = map[string]string{"Z": "1"} // the runner's to add
	e.BeforeTool(t.Context(), writeFile())
	e.SetOrigin(hooks.Origin{SessionID: "s2", Cwd: "/q"})
	e.SetConfig(hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Command: "a"}}})
	e.BeforeTool(t.Context(), writeFile())
	require.Len(t, r.Calls(), 2)
	assert.Equal(t, []string{"GEMINI_PROJECT_DIR=/p", "GEMINI_PLANS_DIR=/plans", "GEMINI_CWD=/p/src", "GEMINI_SESSION_ID=s", "CLAUDE_PROJECT_DIR=/p"}, r.Calls()[0].Env)
	assert.Equal(t, []string{"GEMINI_PROJECT_DIR=/q", "GEMINI_PLANS_DIR=", "GEMINI_CWD=/q", "GEMINI_SESSION_ID=s2", "CLAUDE_PROJECT_DIR=/q"}, r.Calls()[1].Env)
}

// TestPayloads compares what hooks read, byte for byte.
func TestPayloads(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	mcp := &protocol.MCPContext{ServerName: "s", ToolName: "t", Command: "c", Args: []string{"-x"}}
	tail := hooks.ToolUse{Call: llm.ToolCall{Name: "mcp_s_t"}, OriginalName: "glob", OriginalArgs: map[string]any{"o": 1}, MCP: mcp}
	const base = `{"session_id":"s1","transcript_path":"/t/session.jsonl","cwd":"/","hook_event_name":"%s","timestamp":"2000-01-01T00:00:00.000Z",`
	for _, c := range []struct {
		event protocol.Event
		fire  func(*hooks.Engine)
		rest  string
	}{
		{protocol.SessionStart, func(e *hooks.Engine) { e.SessionStart(ctx, "resume") }, `"source":"resume"}`},
		{protocol.SessionEnd, func(e *hooks.Engine) { e.SessionEnd(ctx, "logout") }, `"reason":"logout"}`},
		{protocol.PreCompress, func(e *hooks.Engine) { e.PreCompress(ctx, "manual") }, `"trigger":"manual"}`},
		{protocol.BeforeAgent, func(e *hooks.Engine) { e.BeforeAgent(ctx, "<p> & \u2028") }, `"prompt":"<p> & \u2028"}`},
		{protocol.AfterAgent, func(e *hooks.Engine) { e.AfterAgent(ctx, "p", "r", true) }, `"prompt":"p","prompt_response":"r","stop_hook_active":true}`},
		{protocol.Notification, func(e *hooks.Engine) { e.Notification(ctx, "ToolPermission", "m", map[string]string{"type": "exec"}) }, `"notification_type":"ToolPermission","message":"m","details":{"type":"exec"}}`},
		{protocol.BeforeTool, func(e *hooks.Engine) { e.BeforeTool(ctx, tail) }, `"tool_name":"mcp_s_t","tool_input":{},"mcp_context":{"server_name":"s","tool_name":"t","command":"c","args":["-x"]},"original_request_name":"glob"}`},
		{protocol.AfterTool, func(e *hooks.Engine) {
			e.AfterTool(ctx, tail, protocol.ToolResponse{LLMContent: "l", ReturnDisplay: "d", Error: &protocol.ToolError{Message: "m", Type: "unknown"}})
		}, `"tool_name":"mcp_s_t","tool_input":{},"tool_response":{"llmContent":"l","returnDisplay":"d","error":{"message":"m","type":"unknown"}},"mcp_context":{"server_name":"s","tool_name":"t","command":"c","args":["-x"]},"original_request_name":"glob","original_tool_input":{"o":1}}`},
		{protocol.AfterModel, func(e *hooks.Engine) {
			e.AfterModel(ctx, hooks.NewModelRequest(llm.Request{Model: "m", Choice: llm.ToolChoice{Mode: llm.ToolModeAny}, Messages: []llm.Message{llm.UserText("a\nb")}}),
				llm.Chunk{Parts: []llm.Part{llm.Thought{Text: "hm"}, llm.Text{Text: "t"}}, FinishReason: "STOP", Usage: &llm.Usage{Prompt: 1, Candidates: 2, Total: 3}, SafetyRatings: []llm.SafetyRating{{Category: "C", Probability: "LOW"}}})
		}, `"llm_request":{"model":"m","messages":[{"role":"user","content":"a\nb"}],"config":{},"toolConfig":{"mode":"ANY"}},"llm_response":{"text":"t","candidates":[{"content":{"role":"model","parts":["hm","t"]},"finishReason":"STOP","index":0,"safetyRatings":[{"category":"C","probability":"LOW"}]}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3}},"full_content":"t"}`},
		{protocol.BeforeToolSelection, func(e *hooks.Engine) {
			e.BeforeToolSelection(ctx, hooks.NewModelRequest(llm.Request{Model: "m"}))
		}, `"llm_request":{"model":"m","messages":[],"config":{}}}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			e, r, _ := engine(c.event, map[string]hookstest.Script{"a": {}}, "a")
			c.fire(e)
			require.Len(t, r.Calls(), 1)
			assert.Equal(t, fmt.Sprintf(base, c.event)+c.rest, r.Calls()[0].Stdin)
		})
	}
}

// TestIdleEventsAreReportedOnRequest checks the reports that payloads are made from.
func TestIdleEventsAreReportedOnRequest(t *testing.T) {
	t.Parallel()
	rep := &reports{}
	e := &hooks.Engine{Report: rep.add, Origin: hookstest.Origin}
	e.BeforeTool(t.Context(), writeFile())
	assert.Empty(t, rep.all)
	e.ReportIdle = true
	e.BeforeTool(t.Context(), writeFile())
	require.Len(t, rep.all, 1)
	assert.Empty(t, rep.last().Runs)
	assert.Contains(t, rep.last().Input.String(), `"tool_name":"write_file","tool_input":{"file_path":"a"},"tool_use_id":"1"}`)
}

// TestStarting checks that only hooks that are about to run are announced.
func TestStarting(t *testing.T) {
	t.Parallel()
	e, r, _ := engine(protocol.BeforeTool, map[string]hookstest.Script{"a": {}, "b": {}}, "a", "b", "c")
	e.Config.Hooks[1].Matcher = "glob"
	var announced []string
	e.Starting = func(ev protocol.Event, hs []hooks.Hook) {
		assert.Empty(t, r.Calls(), "before they run")
		for _, h := range hs {
			announced = append(announced, string(ev)+" "+h.ID())
		}
	}
	e.BeforeTool(t.Context(), writeFile())
	assert.Equal(t, []string{"BeforeTool a", "BeforeTool c"}, announced)
	announced = nil
	e.Config.Off = "why"
	e.BeforeTool(t.Context(), writeFile())
	assert.Empty(t, announced)
}

func TestRunnerErrors(t *testing.T) {
	t.Parallel()
	e, _, rep := engine(protocol.BeforeTool, map[string]hookstest.Script{"a": {Err: errors.New("starting bash: no such file")}, "b": {Truncated: true, Stdout: `{"decision":"de`}}, "a", "b")
	e.BeforeTool(t.Context(), writeFile())
	assert.Equal(t, "starting bash: no such file", rep.last().Runs[0].Failed)
	assert.Contains(t, strings.Join(rep.last().Runs[1].Warnings, "\n"), "stdout was longer than what is kept")
	assert.Equal(t, hooks.Deny, rep.last().Verdict.Decision)
	assert.Contains(t, rep.last().Verdict.Reason, "its stdout was cut")
}

// TestSlowMatcher checks that a matcher that takes too long counts as a match, because
// a guard that does not run is worse than one that runs too often.
func TestSlowMatcher(t *testing.T) {
	t.Parallel()
	e, _, rep := engine(protocol.BeforeTool, map[string]hookstest.Script{"a": {Exit: 2}}, "a")
	e.Config.Hooks[0].Matcher = `^(\w+\w+)+\.$`
	use := writeFile()
	use.Call.Name = strings.Repeat("a", 64)
	assert.Equal(t, hooks.Deny, e.BeforeTool(t.Context(), use).Decision)
	assert.Contains(t, rep.last().Runs[0].Warnings[0], "took too long")
}

// TestConcurrentEvents is for the race detector.
func TestConcurrentEvents(t *testing.T) {
	t.Parallel()
	e, _, rep := engine(protocol.BeforeTool, map[string]hookstest.Script{"a": {Stdout: `{"x":1}`}, "b": {Exit: 2}}, "a", "b")
	config := e.Config
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			assert.Equal(t, hooks.Deny, e.BeforeTool(t.Context(), writeFile()).Decision)
			if i%10 == 0 {
				e.SetConfig(config)
				e.SetOrigin(hooks.Origin{SessionID: fmt.Sprint(i)})
			}
		})
	}
	wg.Wait()
	seqs := map[int]bool{}
	for _, r := range rep.all {
		seqs[r.Seq] = true
	}
	assert.Len(t, seqs, 50)
}

// In each session, a hook with Once runs until it has allowed something.
func TestOnce(t *testing.T) {
	t.Parallel()
	answer := hookstest.Script{Exit: 2, Stderr: "no"}
	scripts := map[string]hookstest.Script{"a": {Do: func([]byte) hooks.Exit {
		return hooks.Exit{Code: answer.Exit, Stderr: []byte(answer.Stderr)}
	}}}
	e, r, rep := engine(protocol.BeforeTool, scripts, "a")
	e.Config.Hooks[0].Once = true
	assert.Equal(t, hooks.Deny, e.BeforeTool(t.Context(), writeFile()).Decision)
	assert.Equal(t, hooks.Deny, e.BeforeTool(t.Context(), writeFile()).Decision, "a denial does not disarm a guard")
	answer = hookstest.Script{Exit: 1, Stderr: "broken"}
	e.BeforeTool(t.Context(), writeFile())
	answer = hookstest.Script{}
	e.BeforeTool(t.Context(), writeFile())
	require.Len(t, r.Calls(), 4, "and a failure does not, either")
	e.BeforeTool(t.Context(), writeFile())
	assert.Len(t, r.Calls(), 4)
	assert.Equal(t, "it runs only once, and has run", rep.last().Runs[0].Skipped)
	o := e.Origin
	o.SessionID = "another"
	e.SetOrigin(o)
	e.BeforeTool(t.Context(), writeFile())
	assert.Len(t, r.Calls(), 5, "a session of its own")
}

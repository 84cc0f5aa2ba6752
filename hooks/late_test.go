package hooks_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/internal/text"
	"minigem/llm"
)

// lateEngine returns an engine with one async hook for ev that takes two seconds and
// answers.
func lateEngine(ev protocol.Event, answer string) (*hooks.Engine, *hookstest.Runner, *reports) {
	e, r, rep := engine(ev, map[string]hookstest.Script{"slow": {Delay: 2 * time.Second, Do: func([]byte) hooks.Exit {
		return hooks.Exit{Stdout: []byte(answer)}
	}}}, "slow")
	e.Config.Hooks[0].Async = true
	return e, r, rep
}

func lastText(r *hooks.ModelRequest) string {
	parts := r.Messages[len(r.Messages)-1].Parts
	return parts[len(parts)-1].(llm.Text).Text
}

// An async hook is started, and the event goes on at once. What the hook says at its
// end is in the next request only, and in a second report.
func TestAsync(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, r, rep := lateEngine(
			protocol.BeforeTool,
			`{"systemMessage":"for you","decision":"deny","reason":"too `+
				`late","hookSpecificOutput":{"additionalContext":"<late> words","tool_input":{"file_path":"b"}}}`)
		began := time.Now()
		o := e.BeforeTool(t.Context(), writeFile())
		assert.Zero(t, time.Since(began), "it is not waited for")
		assert.Equal(t, hooks.BeforeToolOutcome{Args: writeFile().Call.Args}, o)
		require.Len(t, rep.soFar(), 1)
		assert.True(t, rep.last().Runs[0].Left)
		synctest.Wait()
		require.Len(t, r.Calls(), 1, "it was started")
		plain := hooks.NewModelRequest(hookstest.Request())
		assert.Same(t, plain, e.BeforeModel(t.Context(), plain).Request, "nothing is known yet")

		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Len(t, rep.soFar(), 2)
		late := rep.last()
		assert.True(t, late.Late)
		assert.Equal(t, rep.soFar()[0].Seq, late.Seq)
		assert.Equal(t, hooks.Proceed, late.Verdict.Decision)
		assert.Equal(t, hooks.Proceed, late.Runs[0].Decision)
		assert.Equal(t, []string{
			"it said deny, which has no effect: a hook with async is not waited for",
			"what it wanted to change has no effect: a hook with async is not waited for",
		}, late.Runs[0].Warnings)
		assert.Equal(t, []hooks.Step{{Hook: "slow", What: "adds context to the next request: <late> words"}}, late.Merge)
		assert.Equal(t, "for you", late.Messages[0].Text)

		next := e.BeforeModel(t.Context(), plain).Request
		assert.Equal(t, "<hook_context>&lt;late&gt; words</hook_context>", lastText(next))
		require.Len(t, next.Messages, len(plain.Messages), "roles alternate")
		assert.Len(t, next.Messages[len(next.Messages)-1].Parts, len(plain.Messages[len(plain.Messages)-1].Parts)+1)
		assert.Same(t, plain, e.BeforeModel(t.Context(), plain).Request, "once")
		require.NoError(t, e.Close())
	})
}

// If a request is not sent, its context goes to the next one. BeforeModel hooks read
// it.
func TestAsyncContextIsNotLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, _, rep := lateEngine(protocol.SessionStart, `{"hookSpecificOutput":{"additionalContext":"kept"}}`)
		e.SessionStart(t.Context(), "startup")
		time.Sleep(3 * time.Second)
		synctest.Wait()
		deny := hookstest.Script{Exit: 2, Stderr: "no"}
		scripts := map[string]hookstest.Script{"guard": {Do: func([]byte) hooks.Exit {
			return hooks.Exit{Code: deny.Exit, Stderr: []byte(deny.Stderr)}
		}}}
		e.Runner = &hookstest.Runner{Scripts: scripts}
		e.SetConfig(hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeModel, Name: "guard", Command: "guard"}}})
		req := hooks.NewModelRequest(hookstest.Request())
		assert.True(t, e.BeforeModel(t.Context(), req).Denied())
		assert.Contains(t, rep.last().Runs[0].Stdin.String(), "kept")
		deny = hookstest.Script{}
		assert.Contains(t, lastText(e.BeforeModel(t.Context(), req).Request), "kept")
		require.NoError(t, e.Close())
	})
}

// TestAsyncDecidesNothing checks that, at every event, an async hook changes and delays
// nothing, and does not interfere with other hooks.
func TestAsyncDecidesNothing(t *testing.T) {
	t.Parallel()
	for _, ev := range protocol.Events {
		if ev == protocol.SessionEnd {
			continue // SessionEnd waits for it as for any other hook
		}
		for name, script := range map[string]hookstest.Script{
			"exit 2": {Exit: 2, Stderr: "no"}, "stop": {Stdout: `{"continue":false}`}, "killed": {Signal: "killed"},
			"not there": {Err: assert.AnError},
			"garbage":   {Stdout: `{"decision":"deny"`},
			"answer": {
				Stdout: `{"hookSpecificOutput":{"llm_response":{"text":"x"},"clearContext":true,"toolConfig":{"mode":"NONE"},"updatedOutput":"x"}}`},
			"hangs": {Delay: time.Hour * 24},
		} {
			synctest.Test(t, func(t *testing.T) {
				e, _, rep := engine(ev, map[string]hookstest.Script{"late": script, "guard": {Exit: 2, Stderr: "no by guard"}},
					"late", "guard")
				e.Config.Hooks[0].Async, e.Config.Hooks[0].OnError = true, "block"
				guard := e.Config.Hooks[1]
				for _, guarded := range []bool{false, true} {
					if e.Config.Hooks = e.Config.Hooks[:1]; guarded {
						e.Config.Hooks = append(e.Config.Hooks, guard)
					}
					before := len(rep.soFar())
					hookstest.Stimulus{Event: ev}.Fire(e)
					first, want := rep.soFar()[before], hooks.Proceed
					if guarded && ev.CanBlock() {
						want = hooks.Deny
					}
					assert.Equal(t, want, first.Verdict.Decision, "%s %s", ev, name)
					time.Sleep(2 * time.Minute)
					synctest.Wait()
					assert.Equal(t, want, rep.last().Verdict.Decision, "%s %s", ev, name)
					assert.True(t, rep.last().Late, "%s %s", ev, name)
					assert.Len(t, rep.soFar()[before:], 2, "%s %s: of the event, and of what came late", ev, name)
					assert.Equal(t, hooks.Proceed, rep.last().Runs[0].Decision, "%s %s", ev, name)
				}
				require.NoError(t, e.Close())
			})
		}
	}
}

// The number of running hooks is limited. The end of the session, or another session,
// ends them.
func TestAsyncIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, r, rep := lateEngine(protocol.BeforeTool, "")
		e.Config.Hooks[0].Timeout = time.Hour
		for range 20 {
			e.BeforeTool(t.Context(), writeFile())
		}
		synctest.Wait()
		assert.Len(t, r.Calls(), 16)
		assert.Equal(t, "16 async hooks are already running or waiting to be read", rep.last().Runs[0].Skipped)
		assert.Contains(t, fmt.Sprint(rep.last().Messages)+fmt.Sprint(rep.last().Runs[0].Warnings), "it did not run")

		ended := func() (n int) {
			for _, one := range rep.soFar() {
				if one.Late && one.Runs[0].Failed == "cancelled" {
					n++
				}
			}
			return n
		}
		o := e.Origin
		o.SessionID = "another"
		e.SetOrigin(o)
		synctest.Wait()
		assert.Equal(t, 16, ended(), text.Plural(len(rep.soFar()), "report"))
		ctx, cancel := context.WithCancel(t.Context())
		e.BeforeTool(ctx, writeFile())
		cancel()
		synctest.Wait()
		assert.Equal(t, 16, ended(), "the end of a turn ends no hook")
		require.NoError(t, e.Close())
		assert.Equal(t, 17, ended())
	})
}

package toolcall

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/tools"
)

// TestFailedToolHasItsOwnEvent checks that PostToolUseFailure fires after
// AfterTool with the tool's response, and that the stronger of both decisions counts.
func TestFailedToolHasItsOwnEvent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		after, failed hooks.Verdict
		want          string
		stoppedBy     string
	}{
		{"no decision", hooks.Verdict{}, hooks.Verdict{}, "error: broken\n\nafter\n\nfailed", ""},
		{"a deny", hooks.Verdict{}, deny("hidden"), "error: hidden", ""},
		{"AfterTool's deny stays", deny("hidden"), hooks.Verdict{}, "error: hidden", ""},
		{"a stop is stronger than a deny", deny("hidden"), stop("end"), "error: Agent execution stopped by hook: end", "PostToolUseFailure"},
		{"a deny does not undo a stop", stop("end"), deny("hidden"), "error: Agent execution stopped by hook: end", "AfterTool"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(&fakeTool{name: "t", run: func(context.Context, map[string]any) (tools.Result, error) {
				return tools.Result{}, &tools.Error{Type: tools.ErrExecutionFailed, Message: "broken"}
			}})
			afterTool(hooks.AfterToolOutcome{Verdict: c.after, Context: "after"})(b)
			b.hooks.failed = func(r protocol.ToolResponse) hooks.Outcome {
				assert.Equal(t, "broken", r.Error.Message)
				return hooks.Outcome{Verdict: c.failed, Context: "failed"}
			}
			texts, _ := b.do(t, t.Context(), ask("t"))
			assert.Equal(t, []string{c.want}, texts)
			if stops := eventsOf[event.Stopped](b); c.stoppedBy != "" {
				assert.Equal(t, c.stoppedBy, stops[0].Event)
			} else {
				assert.Empty(t, stops)
			}
		})
	}
}

package protocol_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"

	"minigem/hooks/protocol"
)

func TestRun(t *testing.T) {
	t.Parallel()
	answer := func(protocol.BeforeToolInput) protocol.Output { return protocol.DenyBecause("no") }
	for _, c := range []struct {
		name, stdin    string
		hook           func(protocol.BeforeToolInput) protocol.Output
		code           int
		stdout, stderr string
	}{
		{"answers", `{"hook_event_name":"BeforeTool","tool_name":"glob"}`, answer, 0, `{"decision":"deny","reason":"no"}` + "\n", ""},
		{"fields to come are no error", `{"hook_event_name":"BeforeTool","new":1}`, answer, 0, `{"decision":"deny","reason":"no"}` + "\n", ""},
		{"no JSON", `nonsense`, answer, 1, "", "reading the input: invalid character"},
		{"nothing", ``, answer, 1, "", "reading the input: unexpected end"},
		{"another event", `{"hook_event_name":"AfterTool"}`, answer, 1, "", `this is a hook for BeforeTool, but it was run for "AfterTool"`},
		{"a panic does not block", `{"hook_event_name":"BeforeTool"}`, func(protocol.BeforeToolInput) protocol.Output { panic("oh") }, 1, "", "hook panicked: oh"},
		{"an answer without JSON form", `{"hook_event_name":"BeforeTool"}`, func(protocol.BeforeToolInput) protocol.Output {
			return protocol.Output{ToolInput: map[string]any{"f": func() {}}}
		}, 1, "", "writing the answer"},
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, c.code, protocol.Run(strings.NewReader(c.stdin), &stdout, &stderr, c.hook), c.name)
		assert.Equal(t, c.stdout, stdout.String(), c.name)
		assert.Contains(t, stderr.String(), c.stderr, c.name)
	}
}

func TestRunWithBrokenStreams(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	hook := func(protocol.SessionEndInput) protocol.Output { return protocol.Output{} }
	var stderr bytes.Buffer
	assert.Equal(t, 1, protocol.Run(iotest.ErrReader(broken), &bytes.Buffer{}, &stderr, hook))
	assert.Equal(t, "reading the input: broken\n", stderr.String())
	stderr.Reset()
	assert.Equal(t, 1, protocol.Run(strings.NewReader(`{"hook_event_name":"SessionEnd"}`), failingWriter{broken}, &stderr, hook))
	assert.Equal(t, "writing the answer: broken\n", stderr.String())
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// TestEveryInputKnowsItsEvent runs a hook of each event for its own event and for
// another one.
func TestEveryInputKnowsItsEvent(t *testing.T) {
	t.Parallel()
	knows[protocol.SessionStartInput](t, protocol.SessionStart)
	knows[protocol.BeforeAgentInput](t, protocol.BeforeAgent)
	knows[protocol.PreCompressInput](t, protocol.PreCompress)
	knows[protocol.PostCompactInput](t, protocol.PostCompact)
	knows[protocol.SubagentStartInput](t, protocol.SubagentStart)
	knows[protocol.SubagentStopInput](t, protocol.SubagentStop)
	knows[protocol.StopFailureInput](t, protocol.StopFailure)
	knows[protocol.BeforeModelInput](t, protocol.BeforeModel)
	knows[protocol.BeforeToolSelectionInput](t, protocol.BeforeToolSelection)
	knows[protocol.AfterModelInput](t, protocol.AfterModel)
	knows[protocol.BeforeToolInput](t, protocol.BeforeTool)
	knows[protocol.PermissionRequestInput](t, protocol.PermissionRequest)
	knows[protocol.NotificationInput](t, protocol.Notification)
	knows[protocol.AfterToolInput](t, protocol.AfterTool)
	knows[protocol.PostToolUseFailureInput](t, protocol.PostToolUseFailure)
	knows[protocol.AfterAgentInput](t, protocol.AfterAgent)
	knows[protocol.SessionEndInput](t, protocol.SessionEnd)
}

func knows[In protocol.Input](t *testing.T, own protocol.Event) {
	t.Helper()
	for _, ev := range protocol.Events {
		var stdout, stderr bytes.Buffer
		code := protocol.Run(strings.NewReader(`{"hook_event_name":"`+string(ev)+`"}`), &stdout, &stderr, func(In) protocol.Output { return protocol.Output{} })
		assert.Equal(t, ev != own, code == 1, "hook for %s run for %s: %s", own, ev, stderr.String())
	}
}

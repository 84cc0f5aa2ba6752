package telemetry

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
)

func hookRun(id, stdout string, code int) hooks.Run {
	return hooks.Run{
		Hook: hooks.Hook{Name: id}, Stdin: hooks.Payload{[]byte(`{"a":1}`)},
		Exit: hooks.Exit{Code: code, Stdout: []byte(stdout), Stderr: []byte("oops"), Duration: 41 * time.Millisecond},
	}
}

func TestHooks(t *testing.T) {
	t.Parallel()
	tel, path := toFile(t, nil)
	tel.Hook(hooks.Report{Event: protocol.BeforeTool, Runs: []hooks.Run{
		hookRun("guard", `{"decision":"deny"}`, 0), {Hook: hooks.Hook{Name: "other"}, Skipped: "it does not match"},
	}})
	require.NoError(t, tel.Close())
	names, attrs := logged(t, path)
	assert.Equal(t, []string{"gemini_cli.hook_call", "gemini_cli.conversation_finished"}, names)
	assert.Equal(t, object{
		"_body":           "Hook call BeforeTool.guard succeeded in 41ms",
		"hook_event_name": "BeforeTool", "hook_type": "command", "hook_name": "guard", "duration_ms": 41.0, "success": true, "exit_code": 0.0,
		"hook_input": "{\n  \"a\": 1\n}", "hook_output": "{\n  \"decision\": \"deny\"\n}", "stdout": `{"decision":"deny"}`, "stderr": "oops",
	}, attrs["gemini_cli.hook_call"])
}

func TestHooksThatFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		run  hooks.Run
		want []any // body, success, exit_code
	}{
		{hookRun("h", "", 2), []any{"Hook call SessionEnd.h failed in 41ms", false, 2.0}},
		{hooks.Run{Hook: hooks.Hook{Command: "./h.sh"}, Exit: hooks.Exit{Err: errors.New("no such file")}, Failed: "it could not be started"}, []any{"Hook call SessionEnd../h.sh failed in 0ms", false, nil}},
		{hooks.Run{Hook: hooks.Hook{Name: "h"}, Exit: hooks.Exit{Signal: "killed"}, TimedOut: true}, []any{"Hook call SessionEnd.h failed in 0ms", false, nil}},
	} {
		tel, path := toFile(t, nil)
		tel.Hook(hooks.Report{Event: protocol.SessionEnd, Runs: []hooks.Run{c.run}})
		require.NoError(t, tel.Close())
		_, attrs := logged(t, path)
		a := attrs["gemini_cli.hook_call"]
		assert.Equal(t, c.want, []any{a["_body"], a["success"], a["exit_code"]})
	}
}

// A hook that is left running is reported once, after it has ended.
func TestHooksLeftRunning(t *testing.T) {
	t.Parallel()
	tel, path := toFile(t, nil)
	slow := hookRun("slow", "", 0)
	slow.Left = true
	r := hooks.Report{Seq: 7, Event: protocol.SessionEnd, Runs: []hooks.Run{hookRun("quick", "", 0), slow}}
	tel.Hook(r)
	r.Late, r.Runs = true, slices.Clone(r.Runs)
	tel.Hook(r)
	require.NoError(t, tel.Close())
	var told []any
	for _, o := range objects(t, path) {
		if a, ok := o["attributes"].(object); ok && a["hook_name"] != nil {
			told = append(told, a["hook_name"])
		}
	}
	assert.Equal(t, []any{"quick", "slow"}, told)
}

// A call that replaced another has its own record, which says what the model asked for.
// Its changes to files are counted once.
func TestTailCalls(t *testing.T) {
	t.Parallel()
	tel, path := toFile(t, nil)
	written := map[string]any{"fileDiff": "x", "fileName": "a", "diffStat": map[string]any{"model_added_lines": 2}}
	tail := event.ToolRecord{Call: llm.ToolCall{ID: "1", Name: "write_file"}, Status: event.ToolSuccess, Display: written, Data: written}
	tel.Emit(event.ToolFinished{Record: event.ToolRecord{
		Call: llm.ToolCall{ID: "1", Name: "read_file"}, Status: event.ToolSuccess, Display: written, Data: written, Followed: []event.ToolRecord{tail},
	}})
	require.NoError(t, tel.Close())
	var calls [][]any
	for _, o := range objects(t, path) {
		if a, ok := o["attributes"].(object); ok && a["function_name"] != nil && a["duration_ms"] != nil {
			calls = append(calls, []any{a["function_name"], a["original_request_name"]})
		}
	}
	assert.Equal(t, [][]any{{"read_file", nil}, {"write_file", "read_file"}}, calls)
}

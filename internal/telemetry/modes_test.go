package telemetry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/llm"
)

// TestModes checks that a mode is reported once it is over, and the last one at the
// end.
func TestModes(t *testing.T) {
	t.Parallel()
	mode, now := "default", noon
	tel, path := toFile(t, func(o *Options) { o.Now = func() time.Time { return now } })
	tel.Begin(Setup{Model: "gemini-x", Mode: func() string { return mode }})
	tel.Emit(event.RoundStarted{})
	mode, now = "autoEdit", noon.Add(3*time.Second)
	tel.Emit(event.RoundStarted{})
	tel.Emit(event.RoundStarted{})
	now = noon.Add(10 * time.Second)
	require.NoError(t, tel.Close())
	names, attrs := logged(t, path)
	assert.Equal(t, []string{"gemini_cli.config", "gemini_cli.plan.approval_mode_duration", "gemini_cli.plan.approval_mode_switch",
		"gemini_cli.plan.approval_mode_duration", "gemini_cli.conversation_finished"}, names)
	assert.Equal(t, object{"_body": "Approval mode switched from default to autoEdit.", "from_mode": "default", "to_mode": "autoEdit"},
		attrs["gemini_cli.plan.approval_mode_switch"])
	assert.Equal(t, object{"_body": "Approval mode autoEdit was active for 7000ms.", "mode": "autoEdit", "duration_ms": 7000.0},
		attrs["gemini_cli.plan.approval_mode_duration"])
}

func TestRouting(t *testing.T) {
	t.Parallel()
	for chosen, want := range map[bool]object{
		true: {"_body": "Model routing decision. Model: gemini-x, Source: agent-router/override", "decision_model": "gemini-x",
			"decision_source": "agent-router/override", "routing_latency_ms": 0.0, "failed": false, "approval_mode": "plan",
			"reasoning": "Routing bypassed by forced model directive. Using: gemini-x"},
		false: {"_body": "Model routing decision. Model: gemini-x, Source: agent-router/default", "decision_model": "gemini-x",
			"decision_source": "agent-router/default", "routing_latency_ms": 0.0, "failed": false, "approval_mode": "plan",
			"reasoning": "Routing to the default model: gemini-x"},
	} {
		tel, path := toFile(t, nil)
		tel.Begin(Setup{Model: "gemini-x", ModelChosen: chosen, Mode: func() string { return "plan" }})
		tel.Emit(event.PromptStarted{Text: "Hi"})
		tel.Emit(event.PromptStarted{Text: "again", Attempt: 1})
		require.NoError(t, tel.Close())
		names, attrs := logged(t, path)
		assert.Equal(t, []string{"gemini_cli.config", "gemini_cli.user_prompt", "gemini_cli.model_routing",
			"gemini_cli.plan.approval_mode_duration", "gemini_cli.conversation_finished"}, names)
		assert.Equal(t, want, attrs["gemini_cli.model_routing"])
	}
}

func TestFileOperations(t *testing.T) {
	t.Parallel()
	record := func(name string, args map[string]any, output string, display any) event.ToolRecord {
		return event.ToolRecord{Call: llm.ToolCall{Name: name}, Args: args, Display: display, Status: event.ToolSuccess,
			Result: llm.ToolResult{Response: map[string]any{"output": output}}}
	}
	missing := record("read_file", map[string]any{"file_path": "a.txt"}, "", "")
	missing.Status = event.ToolError
	for _, c := range []struct {
		name string
		r    event.ToolRecord
		want object // nil if nothing is logged
	}{
		{"read", record("read_file", map[string]any{"file_path": "a.txt"}, "hello\n", ""), object{
			"_body": "File operation: read. Lines: 2.", "tool_name": "read_file", "operation": "read", "lines": 2.0, "mimetype": "text/plain", "extension": ".txt"}},
		{"a part is read", record("read_file", map[string]any{"file_path": "a.md"}, "...", "Read lines 1-2 of 9 from a.md"), object{
			"_body": "File operation: read.", "tool_name": "read_file", "operation": "read", "mimetype": "text/markdown", "extension": ".md"}},
		{"created", record("write_file", map[string]any{"file_path": "b.go", "content": "x\ny\n"}, "ok", map[string]any{"isNewFile": true}), object{
			"_body": "File operation: create. Lines: 3.", "tool_name": "write_file", "operation": "create", "lines": 3.0, "extension": ".go", "programming_language": "go"}},
		{"overwritten", record("write_file", map[string]any{"file_path": "Makefile", "content": "x"}, "ok", map[string]any{"isNewFile": false}), object{
			"_body": "File operation: update. Lines: 1.", "tool_name": "write_file", "operation": "update", "lines": 1.0}},
		{"edited", record("replace", map[string]any{"file_path": "b.go"}, "ok", nil), nil},
		{"missing", missing, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tel, path := toFile(t, nil)
			tel.Emit(event.ToolFinished{Record: c.r})
			require.NoError(t, tel.Close())
			_, attrs := logged(t, path)
			if c.want == nil {
				assert.NotContains(t, attrs, "gemini_cli.file_operation")
				return
			}
			assert.Equal(t, c.want, attrs["gemini_cli.file_operation"])
		})
	}
}

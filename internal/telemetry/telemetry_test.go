package telemetry

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/waittest"
	"minigem/llm"
	"minigem/llm/script"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 5_000_000, time.UTC)

// toFile starts a Telemetry that writes to a file, with a fixed clock.
func toFile(t *testing.T, change func(*Options)) (*Telemetry, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "deep", "telemetry.log")
	o := Options{
		Config:       Config{Enabled: true, LogPrompts: true, Outfile: path},
		Installation: "I", Auth: "gemini-api-key", Version: "1.2.3",
		Session: func() string { return "S" }, Now: func() time.Time { return noon },
	}
	if change != nil {
		change(&o)
	}
	tel, err := Start(t.Context(), o)
	require.NoError(t, err)
	return tel, path
}

type object = map[string]any

// objects reads the file as its readers do: it splits where one object ends and the
// next begins.
func objects(t *testing.T, path string) []object {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var out []object
	for part := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "}\n{") {
		part = "{" + strings.TrimSuffix(strings.TrimPrefix(part, "{"), "\n}") + "\n}"
		var o object
		require.NoError(t, json.Unmarshal([]byte(part), &o), part)
		out = append(out, o)
	}
	return out
}

// logged returns the logs in a file: the names of the events and their attributes,
// without the common ones.
func logged(t *testing.T, path string) (names []string, attrs map[string]object) {
	t.Helper()
	attrs = map[string]object{}
	for _, o := range objects(t, path) {
		a, ok := o["attributes"].(object)
		if !ok {
			continue
		}
		name := a["event.name"].(string)
		names = append(names, name)
		for _, common := range []string{"session.id", "installation.id", "interactive", "auth_type", "event.name", "event.timestamp"} {
			delete(a, common)
		}
		a["_body"] = o["_body"]
		attrs[name] = a
	}
	return names, attrs
}

func TestShapeOfALog(t *testing.T) {
	t.Parallel()
	tel, path := toFile(t, nil)
	tel.Emit(event.PromptStarted{Text: "Fix <it> & \"that\""})
	require.NoError(t, tel.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	want := `{
  "hrTime": [
    1767355200,
    5000000
  ],
  "hrTimeObserved": [
    1767355200,
    5000000
  ],
  "resource": {
    "attributes": {
      "service.name": "gemini-cli",
      "service.version": "1.2.3"
    }
  },
  "instrumentationScope": {
    "name": "gemini-cli"
  },
  "attributes": {
    "session.id": "S",
    "installation.id": "I",
    "interactive": false,
    "auth_type": "gemini-api-key",
    "event.name": "gemini_cli.user_prompt",
    "event.timestamp": "2026-01-02T12:00:00.005Z",
    "prompt_length": 17,
    "prompt_id": "S",
    "prompt": "Fix <it> & \"that\""
  },
  "_body": "User prompt. Length: 17.",
  "_attributesCount": 9,
  "_droppedAttributesCount": 0,
  "_isReadonly": true,
  "_logRecordLimits": {
    "attributeCountLimit": 128,
    "attributeValueLengthLimit": null
  }
}
{
`
	assert.True(t, strings.HasPrefix(string(data), want), string(data))
}

// replaced is a call of a tool with every attribute set.
var replaced = event.ToolRecord{
	Call: llm.ToolCall{ID: "c", Name: "replace"}, Args: map[string]any{"file_path": "a", "new_string": "<b>"},
	Result: llm.ToolResult{Response: map[string]any{"output": "ok"}}, Status: event.ToolSuccess, Decision: event.DecisionAccept,
	Display: map[string]any{"isNewFile": false, "diffStat": map[string]any{"model_added_lines": 2, "model_removed_lines": 1}},
	Started: noon, Finished: noon.Add(30 * time.Millisecond),
}

var failed = event.ToolRecord{
	Call: llm.ToolCall{Name: "nope"}, Args: map[string]any{}, Result: llm.ToolResult{Response: map[string]any{"error": "no such tool"}},
	Status: event.ToolError, ErrorType: "tool_not_registered", ErrorMessage: "no such tool", MCPServer: "srv", Started: noon, Finished: noon,
}

func TestEvents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		e    event.Event
		want object
	}{
		{"gemini_cli.tool_call", event.ToolFinished{Record: replaced}, object{
			"_body":         "Tool call: replace. Decision: accept. Success: true. Duration: 30ms.",
			"function_name": "replace", "duration_ms": 30.0, "success": true, "decision": "accept", "prompt_id": "S", "tool_type": "native",
			"content_length": 2.0, "function_args": "{\n  \"file_path\": \"a\",\n  \"new_string\": \"<b>\"\n}",
			"metadata": "{\n  \"model_added_lines\": 2,\n  \"model_removed_lines\": 1\n}"}},
		{"gemini_cli.tool_call", event.ToolFinished{Record: failed}, object{
			"_body":         "Tool call: nope. Success: false. Duration: 0ms.",
			"function_name": "nope", "duration_ms": 0.0, "success": false, "prompt_id": "S", "tool_type": "mcp", "mcp_server_name": "srv",
			"content_length": 12.0, "function_args": "{}", "error": "no such tool", "error.message": "no such tool",
			"error_type": "tool_not_registered", "error.type": "tool_not_registered"}},
		{"gemini_cli.chat_compression", event.Compressed{Before: 100, After: 10}, object{"_body": "Chat compression.", "tokens_before": 100.0, "tokens_after": 10.0}},
		{"gemini_cli.tool_output_masking", event.Masked{Outputs: 3, Prunable: 90, Before: 100, After: 20}, object{"_body": "Tool output masking: 3 outputs.", "tokens_before": 100.0, "tokens_after": 20.0, "masked_count": 3.0, "total_prunable_tokens": 90.0}},
		{"loop_detected", event.LoopDetected{Kind: "consecutive_identical_tool_calls"}, object{
			"_body": "Loop detected: consecutive_identical_tool_calls", "loop_type": "consecutive_identical_tool_calls", "prompt_id": "S"}},
		{"gemini_cli.network_retry_attempt", event.Waiting{Reason: "busy", Attempt: 1, Max: 10, Delay: time.Second}, object{
			"_body": "Network retry attempt 1 of 10: busy", "attempt": 1.0, "max_attempts": 10.0, "error_type": "busy", "delay_ms": 1000.0}},
		{"gemini_cli.chat.content_retry", event.RoundDiscarded{Reason: "cut", Attempt: 2, Delay: time.Second}, object{
			"_body": "Content retry attempt 2: cut", "attempt_number": 2.0, "error_type": "cut", "retry_delay_ms": 1000.0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tel, path := toFile(t, nil)
			tel.Emit(c.e)
			require.NoError(t, tel.Close())
			names, attrs := logged(t, path)
			assert.Equal(t, []string{c.name, "gemini_cli.conversation_finished"}, names)
			assert.Equal(t, c.want, attrs[c.name])
		})
	}
}

func chunks() []llm.Chunk {
	return []llm.Chunk{
		{Parts: []llm.Part{llm.Text{Text: "Hello "}}},
		{Parts: []llm.Part{llm.Text{Text: "there."}}, FinishReason: "STOP", Usage: &llm.Usage{Prompt: 100, Candidates: 10, Total: 115, Cached: 20, Thoughts: 4, ToolUse: 1}},
	}
}

// scripted is a model with one answer.
func scripted(chunks ...llm.Chunk) *script.Model {
	return script.New([]script.Entry{script.Streamed(chunks...)}, false)
}

func ask(t *testing.T, m llm.Provider) error {
	t.Helper()
	for _, err := range m.Stream(t.Context(), llm.Request{Model: "gemini-x", Messages: []llm.Message{llm.UserText("Hi")}}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// Without logPrompts no payload is logged. Secrets never are.
func TestPrivacy(t *testing.T) {
	t.Parallel()
	everything := func(tel *Telemetry) {
		tel.Emit(event.PromptStarted{Text: "PRIVATE"})
		private := replaced
		private.Args = map[string]any{"x": "PRIVATE"}
		tel.Emit(event.ToolFinished{Record: private})
		tel.Hook(hooks.Report{Event: protocol.BeforeTool, Runs: []hooks.Run{{
			Hook: hooks.Hook{Name: "h"}, Stdin: hooks.Payload{[]byte(`{"x":"PRIVATE"}`)}, Exit: hooks.Exit{Stdout: []byte(`{"x":"PRIVATE"}`), Stderr: []byte("PRIVATE")},
		}}})
		m := tel.Model(scripted(llm.Chunk{Parts: []llm.Part{llm.Text{Text: "PRIVATE"}}, FinishReason: "STOP"}), RoleMain)
		for range m.Stream(t.Context(), llm.Request{Messages: []llm.Message{llm.UserText("PRIVATE")}}) {
		}
		require.NoError(t, tel.Close())
	}
	t.Run("logPrompts off", func(t *testing.T) {
		t.Parallel()
		tel, path := toFile(t, func(o *Options) { o.LogPrompts = false })
		everything(tel)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.NotContains(t, string(data), "PRIVATE")
		names, attrs := logged(t, path)
		assert.Len(t, names, 8)
		assert.NotContains(t, attrs["gemini_cli.hook_call"], "stdout")
		assert.Equal(t, 7.0, attrs["gemini_cli.user_prompt"]["prompt_length"])
	})
	t.Run("secrets", func(t *testing.T) {
		t.Parallel()
		tel, path := toFile(t, func(o *Options) { o.Mask = func(s string) string { return strings.ReplaceAll(s, "PRIVATE", "***") } })
		everything(tel)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.NotContains(t, string(data), "PRIVATE")
		assert.Equal(t, 9, bytes.Count(data, []byte("***")))
	})
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	tel, path := toFile(t, nil)
	tel.Begin(Setup{Model: "gemini-x"})
	tel.Emit(event.PromptStarted{Text: "Hi"})
	tel.Emit(event.ToolFinished{Record: replaced})
	tel.Emit(event.ToolFinished{Record: replaced})
	tel.Emit(event.ToolFinished{Record: event.ToolRecord{Call: llm.ToolCall{Name: "read_file"}, Args: map[string]any{"file_path": "a.go"}, Status: event.ToolSuccess}})
	tel.Hook(hooks.Report{Event: protocol.BeforeTool, Runs: []hooks.Run{hookRun("h", "", 0)}})
	require.NoError(t, ask(t, tel.Model(scripted(chunks()...), RoleMain)))
	require.NoError(t, tel.Close())
	all := objects(t, path)
	last := all[len(all)-1]
	metrics := map[string]object{}
	for _, s := range last["scopeMetrics"].([]any) {
		for _, m := range s.(object)["metrics"].([]any) {
			metrics[m.(object)["descriptor"].(object)["name"].(string)] = m.(object)
		}
	}
	value := func(name string, n int) any { return metrics[name]["dataPoints"].([]any)[n].(object)["value"] }
	of := func(name, tool string) object { // points come in any order
		for _, p := range metrics[name]["dataPoints"].([]any) {
			if p.(object)["attributes"].(object)["function_name"] == tool {
				return p.(object)
			}
		}
		return nil
	}
	for _, name := range []string{
		"gemini_cli.session.count", "gemini_cli.tool.call.count", "gemini_cli.api.request.count", "gemini_cli.token.usage",
		"gemini_cli.file.operation.count", "gemini_cli.lines.changed", "gemini_cli.hook_call.count", "gemini_cli.tool.call.latency",
		"gemini_cli.api.request.latency", "gemini_cli.model_routing.latency", "gen_ai.client.token.usage", "gen_ai.client.operation.duration", "gemini_cli.hook_call.latency",
	} {
		assert.Contains(t, metrics, name)
	}
	count := metrics["gemini_cli.tool.call.count"]
	assert.Equal(t, []any{"COUNTER", 1.0, 3.0, true}, []any{count["descriptor"].(object)["type"], count["aggregationTemporality"], count["dataPointType"], count["isMonotonic"]})
	assert.Equal(t, 2.0, of("gemini_cli.tool.call.count", "replace")["value"])
	assert.Equal(t, object{
		"session.id": "S", "installation.id": "I", "interactive": false, "auth_type": "gemini-api-key",
		"function_name": "replace", "success": true, "decision": "accept", "tool_type": "native",
	}, of("gemini_cli.tool.call.count", "replace")["attributes"])
	latency := of("gemini_cli.tool.call.latency", "replace")["value"].(object)
	assert.Equal(t, []any{30.0, 30.0, 60.0, 2.0}, []any{latency["min"], latency["max"], latency["sum"], latency["count"]})
	assert.Equal(t, 4.0+2.0, value("gemini_cli.lines.changed", 0).(float64)+value("gemini_cli.lines.changed", 1).(float64))
}

// Events can be read while the session runs.
func TestFlushedWhileItRuns(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it waits for seconds")
	}
	tel, path := toFile(t, func(o *Options) { o.Now = nil })
	defer tel.Close()
	tel.Begin(Setup{})
	waittest.Until(t, func() bool {
		data, _ := os.ReadFile(path)
		return bytes.Contains(data, []byte(`"gemini_cli.config"`)) && bytes.Contains(data, []byte(`"scopeMetrics"`))
	})
}

// Spans are reported if asked for, and logs name the span they are in.
func TestSpans(t *testing.T) {
	t.Parallel()
	tel, path := toFile(t, func(o *Options) { o.Traces = true })
	tel.Emit(event.ToolFinished{Record: replaced})
	require.NoError(t, ask(t, tel.Model(scripted(chunks()...), RoleMain)))
	require.NoError(t, tel.Close())
	spans := map[string]any{}
	var within []any
	for _, o := range objects(t, path) {
		if o["_spanContext"] != nil {
			spans[o["_spanContext"].(object)["spanId"].(string)] = o["name"]
			if o["name"] == "tool_call" {
				assert.Equal(t, []any{0.0, 30_000_000.0}, o["_duration"])
			}
		}
		if c, ok := o["spanContext"].(object); ok {
			within = append(within, c["spanId"])
		}
	}
	require.Len(t, spans, 2)
	names := make([]any, len(within))
	for i, id := range within {
		names[i] = spans[id.(string)]
	}
	assert.Equal(t, []any{"tool_call", "llm_call", "llm_call", "llm_call", "llm_call"}, names)
}

func TestOff(t *testing.T) {
	t.Parallel()
	tel, err := Start(t.Context(), Options{Config: Config{Outfile: filepath.Join(t.TempDir(), "never")}})
	require.NoError(t, err)
	assert.Nil(t, tel)
	tel.Begin(Setup{})
	tel.Emit(event.PromptStarted{})
	tel.Hook(hooks.Report{})
	model := scripted()
	assert.Same(t, model, tel.Model(model, RoleMain))
	assert.NoError(t, tel.Close())
}

func TestOutfileThatCannotBe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	_, err := Start(t.Context(), Options{Config: Config{Enabled: true, Outfile: filepath.Join(dir, "file", "x.log")}})
	assert.ErrorContains(t, err, "starting telemetry: mkdir ")
}

func TestPromptIDs(t *testing.T) {
	t.Parallel()
	tel, path := toFile(t, func(o *Options) { o.Interactive = true })
	tel.Emit(event.PromptStarted{Text: "one"})
	tel.Emit(event.PromptStarted{Text: "a retry", Attempt: 1})
	tel.Emit(event.PromptStarted{Text: "two"})
	require.NoError(t, tel.Close())
	var ids []any
	for _, o := range objects(t, path) {
		if a, ok := o["attributes"].(object); ok && a["prompt_id"] != nil {
			ids = append(ids, a["prompt_id"])
		}
	}
	assert.Equal(t, []any{"S########0", "S########1"}, ids)
}

func TestInstallation(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), ".gemini")
	id := Installation(dir)
	assert.Len(t, id, 36)
	assert.Equal(t, id, Installation(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "installation_id"), []byte("theirs\n"), 0o600))
	assert.Equal(t, "theirs", Installation(dir))
	for _, broken := range []string{"", "null", "[]", "{}", `""`, "5", "\x00\x00\x00\x00\x00\x00", "0123-\xff", strings.Repeat("x", 1000)} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "installation_id"), []byte(broken), 0o600))
		anew := Installation(dir)
		assert.Len(t, anew, 36, "%q", broken)
		assert.Equal(t, anew, Installation(dir), "it is kept")
	}
}

package protocol_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/protocol"
)

// TestRecordedInputs decodes inputs of Gemini CLI 0.61 into the types of this package
// and encodes them again: the fields and their order stay the same.
func TestRecordedInputs(t *testing.T) {
	t.Parallel()
	recorded, err := os.ReadFile("testdata/recorded.jsonl")
	require.NoError(t, err)
	seen := map[protocol.Event]bool{}
	for line := range strings.Lines(string(recorded)) {
		var base protocol.Base
		require.NoError(t, json.Unmarshal([]byte(line), &base))
		seen[base.HookEventName] = true
		again := reencode(t, base.HookEventName, []byte(line))
		assert.JSONEq(t, line, string(again))
		assert.Equal(t, keysOf(t, []byte(line)), keysOf(t, again), "order of fields in %s", base.HookEventName)
	}
	assert.Len(t, seen, 10, "every event but Notification was recorded")
}

func reencode(t *testing.T, ev protocol.Event, line []byte) []byte {
	t.Helper()
	switch ev {
	case protocol.SessionStart:
		return strictly[protocol.SessionStartInput](t, line)
	case protocol.BeforeAgent:
		return strictly[protocol.BeforeAgentInput](t, line)
	case protocol.PreCompress:
		return strictly[protocol.PreCompressInput](t, line)
	case protocol.BeforeModel:
		return strictly[protocol.BeforeModelInput](t, line)
	case protocol.BeforeToolSelection:
		return strictly[protocol.BeforeToolSelectionInput](t, line)
	case protocol.AfterModel:
		return strictly[protocol.AfterModelInput](t, line)
	case protocol.BeforeTool:
		return strictly[protocol.BeforeToolInput](t, line)
	case protocol.AfterTool:
		return strictly[protocol.AfterToolInput](t, line)
	case protocol.AfterAgent:
		return strictly[protocol.AfterAgentInput](t, line)
	case protocol.SessionEnd:
		return strictly[protocol.SessionEndInput](t, line)
	}
	t.Fatalf("unknown event %s", ev)
	return nil
}

func strictly[In protocol.Input](t *testing.T, line []byte) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	var in In
	require.NoError(t, d.Decode(&in))
	out, err := protocol.Encode(in)
	require.NoError(t, err)
	return out
}

// keysOf returns the keys of an object, and of its llm_request and llm_response, in
// order.
func keysOf(t *testing.T, object []byte) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	_, err := d.Token()
	require.NoError(t, err)
	var keys []string
	for d.More() {
		k, err := d.Token()
		require.NoError(t, err)
		var v json.RawMessage
		require.NoError(t, d.Decode(&v))
		keys = append(keys, k.(string))
		if strings.HasPrefix(k.(string), "llm_") || k == "tool_response" {
			keys = append(keys, keysOf(t, v)...)
		}
	}
	return keys
}

func TestOutputRoundTrip(t *testing.T) {
	t.Parallel()
	half, n := 0.5, 100
	for _, c := range []struct {
		out  protocol.Output
		wire string
	}{
		{protocol.Output{}, `{}`},
		{protocol.DenyBecause("<no>"), `{"decision":"deny","reason":"<no>"}`},
		{protocol.StopBecause("enough"), `{"continue":false,"stopReason":"enough"}`},
		{protocol.Output{Decision: protocol.Ask, SystemMessage: "m", SuppressOutput: true}, `{"decision":"ask","systemMessage":"m","suppressOutput":true}`},
		{protocol.Output{AdditionalContext: "c"}, `{"hookSpecificOutput":{"additionalContext":"c"}}`},
		{protocol.Output{ToolInput: map[string]any{"a": nil, "b": "x"}}, `{"hookSpecificOutput":{"tool_input":{"a":null,"b":"x"}}}`},
		{protocol.Output{ClearContext: true, Decision: protocol.Deny}, `{"decision":"deny","hookSpecificOutput":{"clearContext":true}}`},
		{protocol.Output{TailToolCall: &protocol.TailToolCall{Name: "glob", Args: map[string]any{}}}, `{"hookSpecificOutput":{"tailToolCallRequest":{"name":"glob","args":{}}}}`},
		{protocol.Output{ToolConfig: &protocol.ToolConfig{Mode: "ANY", AllowedFunctionNames: []string{"glob"}}}, `{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["glob"]}}}`},
		{protocol.Output{LLMRequest: &protocol.LLMRequestChange{Model: "m", Temperature: &half, MaxTokens: &n}}, `{"hookSpecificOutput":{"llm_request":{"model":"m","config":{"temperature":0.5,"maxOutputTokens":100}}}}`},
		{protocol.Output{LLMRequest: &protocol.LLMRequestChange{Messages: []protocol.LLMMessage{{Role: "user", Text: "hi"}, {Role: "model", Parts: []protocol.LLMPart{{Type: "text", Text: "x"}}}}}}, `{"hookSpecificOutput":{"llm_request":{"messages":[{"role":"user","content":"hi"},{"role":"model","content":[{"type":"text","text":"x"}]}]}}}`},
		{protocol.Output{LLMRequest: &protocol.LLMRequestChange{Messages: []protocol.LLMMessage{}}}, `{"hookSpecificOutput":{"llm_request":{"messages":[]}}}`},
		{protocol.Output{LLMResponse: &protocol.LLMResponse{Parts: []string{"a"}, FinishReason: "STOP"}}, `{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"role":"model","parts":["a"]},"finishReason":"STOP","index":0}]}}}`},
		{protocol.Output{LLMResponse: &protocol.LLMResponse{Parts: []string{}}}, `{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"role":"model","parts":[]},"index":0}]}}}`},
	} {
		data, err := protocol.Encode(c.out)
		require.NoError(t, err)
		assert.Equal(t, c.wire, string(data))
		var again protocol.Output
		require.NoError(t, json.Unmarshal(data, &again))
		assert.Equal(t, c.out, again, c.wire)
	}
}

// TestParseReadsWhatOutputWrites checks that the SDK's output is parsed without a
// warning.
func TestParseReadsWhatOutputWrites(t *testing.T) {
	t.Parallel()
	half := 0.5
	for _, c := range []struct {
		event protocol.Event
		out   protocol.Output
	}{
		{protocol.BeforeTool, protocol.Output{Decision: protocol.Ask, Reason: "r", SystemMessage: "m", ToolInput: map[string]any{"a": "b"}}},
		{protocol.BeforeAgent, protocol.Output{Stop: true, StopReason: "s", SystemMessage: "m", SuppressOutput: true, AdditionalContext: "c"}},
		{protocol.BeforeModel, protocol.Output{LLMRequest: &protocol.LLMRequestChange{Model: "m", TopK: &half, Messages: []protocol.LLMMessage{{Role: "user", Text: "x"}}}}},
		{protocol.BeforeModel, protocol.Output{LLMResponse: &protocol.LLMResponse{Parts: []string{"a", "b"}, FinishReason: "STOP", Usage: &protocol.LLMUsage{TotalTokenCount: 3}}}},
		{protocol.BeforeToolSelection, protocol.Output{ToolConfig: &protocol.ToolConfig{Mode: "ANY", AllowedFunctionNames: []string{"glob"}}}},
		{protocol.AfterTool, protocol.Output{TailToolCall: &protocol.TailToolCall{Name: "glob", Args: map[string]any{"a": 1.0}}}},
		{protocol.AfterAgent, protocol.Output{Decision: protocol.Deny, Reason: "r", ClearContext: true}},
	} {
		data, err := protocol.Encode(c.out)
		require.NoError(t, err)
		assert.Equal(t, protocol.Reading{Output: c.out, From: "stdout"}, protocol.Parse(c.event, protocol.Ran{Stdout: data}), string(data))
	}
}

func TestParseBounds(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for _, c := range []struct {
		name, stdout string
		from         string
	}{
		{"nested 9,000 deep", `{"decision":"deny","x":` + deep(9_000) + `}`, "stdout"},
		{"nested 100,000 deep", `{"decision":"deny","x":` + deep(100_000) + `}`, "stdout"},
		{"open arrays", strings.Repeat("[", 1_000_000), "text"},
		{"open objects, a line each", strings.Repeat("{\n", 200_000), "text"},
		{"a megabyte of reason", `{"decision":"deny","reason":"` + strings.Repeat("x", 1<<20) + `"}`, "stdout"},
		{"one quote", `"`, "text"},
		{"an encoded encoding", `"\"{}\""`, "text"},
	} {
		r := protocol.Parse(protocol.BeforeTool, protocol.Ran{Stdout: []byte(c.stdout)})
		assert.Equal(t, c.from, r.From, c.name)
		assert.Equal(t, strings.Contains(c.stdout, `"deny"`), r.Output.Decision == protocol.Deny, c.name)
	}
}

func TestParseLimitsWarnings(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"a0":0`)
	for range 50_000 {
		b.WriteString(`,"unheardOf":0`)
	}
	b.WriteString(`,"decision":"deny"}`)
	r := protocol.Parse(protocol.BeforeTool, protocol.Ran{Stdout: []byte(b.String())})
	assert.Equal(t, protocol.Deny, r.Output.Decision)
	assert.Len(t, r.Warnings, 21)
	assert.Equal(t, "there are more warnings", r.Warnings[20])
}

func TestTranslateLeavesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	payload := []byte(`{"hook_event_name":"BeforeTool"}`)
	assert.Equal(t, payload, protocol.Gemini().Translate(protocol.BeforeTool, payload))
	assert.Equal(t, []byte(`[]`), protocol.Claude().Translate(protocol.BeforeTool, []byte(`[]`)))
	assert.Equal(t, `{"hook_event_name":"PreToolUse","permission_mode":"default"}`, string(protocol.Claude().Translate(protocol.BeforeTool, payload)))
	assert.Same(t, protocol.Gemini(), protocol.DialectOf("unheard of"))
	assert.Same(t, protocol.Claude(), protocol.DialectOf("claude"))
}

func TestEvents(t *testing.T) {
	t.Parallel()
	var blocks, subjects []protocol.Event
	for _, e := range protocol.Events {
		if e.CanBlock() {
			blocks = append(blocks, e)
		}
		if e.HasSubject() {
			subjects = append(subjects, e)
		}
		assert.Equal(t, e.HasSubject() && !e.IsTool() && !e.IsAgent(), e.Triggers() != nil, e)
	}
	assert.Equal(t, []protocol.Event{"BeforeAgent", "BeforeModel", "AfterModel", "BeforeTool", "PermissionRequest", "SubagentStart", "SubagentStop", "AfterTool", "PostToolUseFailure", "AfterAgent"}, blocks)
	assert.Equal(t, []protocol.Event{"SessionStart", "PreCompress", "PostCompact", "BeforeTool", "PermissionRequest", "Notification", "SubagentStart", "SubagentStop", "AfterTool", "PostToolUseFailure", "StopFailure", "SessionEnd"}, subjects)
}

// TestACutStreamBlocks checks that a run with a cut stream fails at every event, and
// blocks at every event that can be blocked, whatever the rest of the streams says.
func TestACutStreamBlocks(t *testing.T) {
	t.Parallel()
	for _, kept := range []string{"", "all is well", `{"decision":"allow"}`, `{"decision":"ask"}`, `{"decision":"allow","x":"`, `{"decision":"deny","reason":"no"}`, `{"continue":false}`} {
		for _, cut := range []string{"stdout", "stderr", "stdout and stderr"} {
			for _, event := range protocol.Events {
				for _, code := range []int{0, 1, 2} {
					r := protocol.Parse(event, protocol.Ran{Code: code, Cut: cut, Stdout: []byte(kept)})
					name := fmt.Sprintf("%s, exit %d, %s was cut: %s", event, code, cut, kept)
					assert.Contains(t, r.Warnings, cut+" was longer than what is kept, and was cut", name)
					if !event.CanBlock() {
						assert.NotEmpty(t, r.Failed, name)
						continue
					}
					assert.True(t, r.Output.Stop || r.Output.Decision == protocol.Deny, name)
					if code != 2 {
						assert.NotEmpty(t, r.Failed, name)
					}
					if kept == "" && code != 2 {
						assert.Contains(t, r.Output.Reason, "its "+cut+" was cut", name)
					}
				}
			}
		}
	}
}

// FuzzParse checks that no output makes parsing fail, and that none takes back a block.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"decision":"deny","reason":"no"}`, `{"continue":false}`, "text", `"{\"decision\":\"deny\"}"`, `[1]`, "42", "{", "",
		`{"hookSpecificOutput":{"llm_request":{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}}}`,
		`{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["x"]}}]}}}`,
		`{"hookSpecificOutput":{"toolConfig":{"functionCallingConfig":{"mode":"any"}}}}`, "debug\n{\"decision\":\"deny\"}",
		`{"hookSpecificOutput":{"permissionDecision":"deny","updatedInput":{"path":"x"}}}`, "\xff\xfe{}", `{"decision":"deny","decision":"allow"}`,
	} {
		f.Add(0, []byte(s), []byte(""), uint8(0))
		f.Add(2, []byte(s), []byte("why"), uint8(4))
		f.Add(1, []byte(""), []byte(s), uint8(6))
	}
	f.Fuzz(func(t *testing.T, code int, stdout, stderr []byte, event uint8) {
		ev := protocol.Events[int(event)%len(protocol.Events)]
		for _, d := range []*protocol.Dialect{protocol.Gemini(), protocol.Claude()} {
			r := d.Parse(ev, protocol.Ran{Code: code, Stdout: stdout, Stderr: stderr, Tools: []string{"glob"}})
			if code == 2 && ev.CanBlock() && r.Output.Decision != protocol.Deny {
				t.Fatalf("exit 2 did not block: %+v", r)
			}
			if !ev.CanBlock() && (r.Output.Stop || r.Output.Decision == protocol.Deny) {
				t.Fatalf("%s was blocked: %+v", ev, r)
			}
			if code != 0 && code != 2 && r.Failed == "" {
				t.Fatalf("exit %d is not a failure: %+v", code, r)
			}
			if _, err := protocol.Encode(r.Output); err != nil {
				t.Fatalf("writing what was read: %v", err)
			}
		}
	})
}

// TestOthersFields: an answer that refuses here may also refuse in other agents' fields.
// In any other answer each of them is warned about.
func TestOthersFields(t *testing.T) {
	t.Parallel()
	const fields = `"cancel": true, "errorMessage": "no", "permissionDecision": "deny", "permissionDecisionReason": "no"`
	for _, c := range []struct {
		event  protocol.Event
		stdout string
		code   int
		want   int
	}{
		{protocol.BeforeTool, `{"decision": "deny", ` + fields + `}`, 0, 0},
		{protocol.BeforeTool, `{` + fields + `, "decision": "block"}`, 0, 0},
		{protocol.BeforeTool, `{` + fields + `}`, 2, 0},
		{protocol.BeforeTool, `{"decision": "allow", ` + fields + `}`, 0, 4},
		{protocol.BeforeTool, `{` + fields + `}`, 0, 4},
		{protocol.BeforeTool, `{"decision": "deny", "cancle": true, "cancel": true}`, 2, 1},
		{protocol.SessionStart, `{"decision": "deny", "cancel": true}`, 0, 2}, // which cannot be blocked
	} {
		got := protocol.Parse(c.event, protocol.Ran{Code: c.code, Stdout: []byte(c.stdout)})
		assert.Len(t, got.Warnings, c.want, "%s %v", c.stdout, got.Warnings)
	}
}

package fakemodel

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/llm"
)

func user(parts ...llm.Part) llm.Message  { return llm.Message{Role: llm.RoleUser, Parts: parts} }
func model(parts ...llm.Part) llm.Message { return llm.Message{Role: llm.RoleModel, Parts: parts} }

func call(id, name string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Signature: []byte("s")}
}

func result(id, name string) llm.ToolResult {
	return llm.ToolResult{ID: id, Name: name, Response: map[string]any{"output": "x"}}
}

func TestValidateMessages(t *testing.T) {
	t.Parallel()
	text := llm.Text{Text: "x"}
	type ms = []llm.Message
	tests := []struct {
		name string
		ms   ms
		want []string
	}{
		// fine
		{"a prompt", ms{user(text)}, nil},
		{"turns", ms{user(text), model(text), user(text)}, nil},
		{"calls", ms{user(text), model(text, call("1", "a"), call("2", "b")), user(result("2", "b"), result("1", "a"))}, nil},
		{"calls without ids", ms{user(text), model(call("", "a"), call("", "a")), user(result("", "a"), result("", "a"))}, nil},
		{"text next to results", ms{user(text), model(call("1", "a")), user(result("1", "a"), text)}, nil},
		{"signed empty text", ms{user(text), model(llm.Text{Signature: []byte("s")}), user(text)}, nil},
		// roles
		{"nothing", nil, []string{"contents is empty"}},
		{"the model begins", ms{model(text), user(text)}, []string{"contents[0]: a conversation starts with the user"}},
		{"the model ends", ms{user(text), model(text)}, []string{"contents[1]: a request ends with the user"}},
		{"twice", ms{user(text), user(text)}, []string{"contents[1]: role user twice in a row"}},
		{"a stranger", ms{user(text), {Role: "tool", Parts: []llm.Part{text}}, user(text)}, []string{`contents[1]: role "tool" is neither user nor model`}},
		// parts
		{"no parts", ms{user(text), model(), user(text)}, []string{"contents[1]: no parts"}},
		{"empty text", ms{user(text, llm.Text{})}, []string{"contents[0].parts[1]: empty text"}},
		{"empty part", ms{user(llm.Opaque{JSON: json.RawMessage(`{}`)})}, []string{"contents[0].parts[0]: empty part"}},
		{"no data", ms{user(llm.Blob{MIMEType: "image/png"})}, []string{"contents[0].parts[0]: inline data without data or type"}},
		// calls
		{"no answer", ms{user(text), model(call("1", "a")), user(text)}, []string{"contents[2]: 0 function responses for 1 function calls"}},
		{"one answer short", ms{user(text), model(call("1", "a"), call("2", "b")), user(result("1", "a"))}, []string{"contents[2]: 1 function responses for 2 function calls"}},
		{"one too many", ms{user(text), model(call("1", "a")), user(result("1", "a"), result("2", "a"))}, []string{"contents[2]: 2 function responses for 1 function calls"}},
		{"another id", ms{user(text), model(call("1", "a")), user(result("2", "a"))}, []string{`contents[2]: no function response for call a (id "1")`}},
		{"another name", ms{user(text), model(call("1", "a")), user(result("1", "b"))}, []string{`contents[2]: no function response for call a (id "1")`}},
		{"too late", ms{user(text), model(call("1", "a")), user(text), model(text), user(result("1", "a"))},
			[]string{"contents[2]: 0 function responses for 1 function calls", "contents[4]: function responses that follow no function call"}},
		{"out of nowhere", ms{user(result("1", "a"))}, []string{"contents[0]: function responses that follow no function call"}},
		{"a call at the end", ms{user(text), model(call("1", "a"))}, []string{"contents[1]: a request ends with the user", "contents[1]: 1 function calls without a response"}},
		{"the user calls", ms{user(text, call("1", "a"))}, []string{"contents[0].parts[1]: a function call of the user's"}},
		{"the model answers", ms{user(text), model(result("1", "a")), user(text)}, []string{"contents[1].parts[0]: a function response of the model's"}},
		{"a name with a space", ms{user(text), model(call("1", "a b")), user(result("1", "a b"))}, []string{`contents[1].parts[0]: "a b" cannot be a function's name`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, GeminiProblems(llm.Request{Model: "gemini-3-flash", Messages: tt.ms}, nil))
		})
	}
}

func TestValidateSignatures(t *testing.T) {
	t.Parallel()
	prompt := user(llm.Text{Text: "x"})
	signed := func(sig string, args map[string]any) llm.ToolCall {
		c := llm.ToolCall{ID: "1", Name: "a", Args: args}
		if sig != "" {
			c.Signature = []byte(sig)
		}
		return c
	}
	loop := func(c llm.ToolCall) []llm.Message { return []llm.Message{prompt, model(c), user(result("1", "a"))} }
	args := map[string]any{"n": 1.0}
	tests := []struct {
		name   string
		model  string
		ms     []llm.Message
		served []llm.Part
		want   []string
	}{
		{"as given", "gemini-3-pro", loop(signed("x", args)), []llm.Part{signed("x", args)}, nil},
		{"another", "gemini-3-pro", loop(signed("y", args)), []llm.Part{signed("x", args)}, []string{"contents[1]: function call a: not the thoughtSignature that it was given"}},
		{"lost", "gemini-2.5-pro", loop(signed("", args)), []llm.Part{signed("x", args)}, []string{"contents[1]: function call a: not the thoughtSignature that it was given"}},
		{"of the last such call", "gemini-3-pro", loop(signed("y", nil)), []llm.Part{signed("x", nil), signed("y", map[string]any{})}, nil},
		{"never given", "gemini-3-pro", loop(llm.ToolCall{ID: "1", Name: "a", Signature: llm.SkipSignature()}), nil, nil},
		{"missing", "gemini-3-pro", loop(signed("", nil)), nil, []string{"contents[1]: function call a: no thoughtSignature"}},
		{"missing before Gemini 3", "gemini-2.5-pro", loop(signed("", nil)), nil, nil},
		{"the second call needs none", "gemini-3-pro", []llm.Message{prompt, model(call("1", "a"), llm.ToolCall{ID: "2", Name: "a"}), user(result("1", "a"), result("2", "a"))}, nil, nil},
		{"of a turn that is over", "gemini-3-pro", append(loop(signed("", nil)), model(llm.Text{Text: "done"}), prompt), nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, GeminiProblems(llm.Request{Model: tt.model, Messages: tt.ms}, tt.served))
		})
	}
}

func TestValidateTools(t *testing.T) {
	t.Parallel()
	spec := func(name string) llm.ToolSpec {
		return llm.ToolSpec{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)}
	}
	tests := []struct {
		name   string
		tools  []llm.ToolSpec
		choice llm.ToolChoice
		want   []string
	}{
		{"fine", []llm.ToolSpec{spec("a"), spec("mcp_x.y:z-1"), {Name: "bare"}}, llm.ToolChoice{Mode: llm.ToolModeAny, Allowed: []string{"a"}}, nil},
		{"a digit first", []llm.ToolSpec{spec("1a")}, llm.ToolChoice{}, []string{`tools: "1a" cannot be a function's name`}},
		{"twice", []llm.ToolSpec{spec("a"), spec("a")}, llm.ToolChoice{}, []string{"tools: a is declared twice"}},
		{"a schema that is not an object", []llm.ToolSpec{{Name: "a", Parameters: json.RawMessage(`true`)}}, llm.ToolChoice{}, []string{"tools: the schema of a is not an object"}},
		{"names with AUTO", []llm.ToolSpec{spec("a")}, llm.ToolChoice{Mode: llm.ToolModeAuto, Allowed: []string{"a"}}, []string{`toolConfig: allowedFunctionNames with mode "AUTO"; it goes with ANY only`}},
		{"a name that is not declared", []llm.ToolSpec{spec("a")}, llm.ToolChoice{Mode: llm.ToolModeAny, Allowed: []string{"b"}}, []string{"toolConfig: b is allowed but not declared"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := llm.Request{Messages: []llm.Message{llm.UserText("x")}, Tools: slices.Clone(tt.tools), Choice: tt.choice}
			assert.Equal(t, tt.want, GeminiProblems(req, nil))
		})
	}
}

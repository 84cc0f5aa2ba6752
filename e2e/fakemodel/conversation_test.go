package fakemodel

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/llm/script"
)

var paths = map[Protocol]string{
	Anthropic: "/v1/messages?beta=true", Responses: "/v1/responses", Chat: "/v1/chat/completions", Gemini: "/v1beta/models/m:streamGenerateContent?alt=sse",
}

// conversations has the same conversation for each API: a system prompt, two calls at once
// with their results, an answer, and the next prompt.
var conversations = map[Protocol]string{
	Anthropic: `{"model": "m", "max_tokens": 100, "stream": true, "system": [{"type": "text", "text": "Be brief."}],
		"tools": [{"name": "run", "description": "Runs.", "input_schema": {"type": "object", "properties": {"cmd": {"type": "string"}}, "required": ["cmd"]}}],
		"messages": [
			{"role": "user", "content": "do it"},
			{"role": "assistant", "content": [{"type": "text", "text": "I run."}, {"type": "tool_use", "id": "c1", "name": "run", "input": {"cmd": "ls"}}, {"type": "tool_use", "id": "c2", "name": "run", "input": {"cmd": "pwd"}}]},
			{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "a b"}, {"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "/"}]}]},
			{"role": "assistant", "content": "Done."},
			{"role": "user", "content": [{"type": "text", "text": "again"}]}]}`,
	Responses: `{"model": "m", "stream": true, "instructions": "Be brief.",
		"tools": [{"type": "function", "name": "run", "description": "Runs.", "parameters": {"type": "object", "properties": {"cmd": {"type": "string"}}, "required": ["cmd"]}}],
		"input": [
			{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "do it"}]},
			{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I run."}]},
			{"type": "function_call", "call_id": "c1", "name": "run", "arguments": "{\"cmd\":\"ls\"}"},
			{"type": "function_call", "call_id": "c2", "name": "run", "arguments": "{\"cmd\":\"pwd\"}"},
			{"type": "function_call_output", "call_id": "c1", "output": "a b"},
			{"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "/"}]},
			{"role": "assistant", "content": "Done."},
			{"role": "user", "content": "again"}]}`,
	Chat: `{"model": "m", "stream": true, "stream_options": {"include_usage": true},
		"tools": [{"type": "function", "function": {"name": "run", "description": "Runs.", "parameters": {"type": "object", "properties": {"cmd": {"type": "string"}}, "required": ["cmd"]}}}],
		"messages": [
			{"role": "system", "content": "Be brief."},
			{"role": "user", "content": [{"type": "text", "text": "do it"}]},
			{"role": "assistant", "content": "I run.", "tool_calls": [
				{"id": "c1", "type": "function", "function": {"name": "run", "arguments": "{\"cmd\":\"ls\"}"}},
				{"id": "c2", "type": "function", "function": {"name": "run", "arguments": "{\"cmd\":\"pwd\"}"}}]},
			{"role": "tool", "tool_call_id": "c1", "content": "a b"},
			{"role": "tool", "tool_call_id": "c2", "content": "/"},
			{"role": "assistant", "content": "Done."},
			{"role": "user", "content": "again"}]}`,
	Gemini: `{"systemInstruction": {"role": "user", "parts": [{"text": "Be brief."}]},
		"tools": [{"functionDeclarations": [{"name": "run", "description": "Runs.", "parametersJsonSchema": {"type": "object", "properties": {"cmd": {"type": "string"}}, "required": ["cmd"]}}]}],
		"contents": [
			{"role": "user", "parts": [{"text": "do it"}]},
			{"role": "model", "parts": [{"text": "I run."}, {"functionCall": {"id": "c1", "name": "run", "args": {"cmd": "ls"}}}, {"functionCall": {"id": "c2", "name": "run", "args": {"cmd": "pwd"}}}]},
			{"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "run", "response": {"output": "a b"}}}, {"functionResponse": {"id": "c2", "name": "run", "response": {"output": "/"}}}]},
			{"role": "model", "parts": [{"text": "Done."}]},
			{"role": "user", "parts": [{"text": "again"}]}]}`,
}

var conversation = []llm.Message{
	llm.UserText("do it"),
	{Role: llm.RoleModel, Parts: []llm.Part{
		llm.Text{Text: "I run."}, llm.ToolCall{ID: "c1", Name: "run", Args: map[string]any{"cmd": "ls"}}, llm.ToolCall{ID: "c2", Name: "run", Args: map[string]any{"cmd": "pwd"}},
	}},
	{Role: llm.RoleUser, Parts: []llm.Part{
		llm.ToolResult{ID: "c1", Name: "run", Response: map[string]any{"output": "a b"}}, llm.ToolResult{ID: "c2", Name: "run", Response: map[string]any{"output": "/"}},
	}},
	llm.ModelText("Done."), llm.UserText("again"),
}

// says returns a turn with text.
func says(text string) Turn {
	return Turn{Entry: script.Streamed(llm.Chunk{Parts: []llm.Part{llm.Text{Text: text}}, FinishReason: "STOP", Usage: &llm.Usage{Prompt: 20, Candidates: 3, Total: 23}})}
}

// calls returns a turn with a call.
func calls(name string, args map[string]any) Turn {
	return Turn{Entry: script.Streamed(llm.Chunk{Parts: []llm.Part{llm.ToolCall{Name: name, Args: args}}, FinishReason: "STOP"})}
}

// post sends a body as a client of p does, and returns the status and the body of the
// response.
func post(t *testing.T, s *Server, path, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader([]byte(body)))
	r.Header.Set("anthropic-version", "2023-06-01")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	data, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	return w.Code, string(data)
}

// TestOneConversation: the same conversation is parsed to the same result in all four
// APIs, and one server answers all of them from one script.
func TestOneConversation(t *testing.T) {
	t.Parallel()
	var turns []Turn
	for range Protocols {
		turns = append(turns, says("four times"))
	}
	s := New(Options{Turns: turns, Strict: true})
	for _, p := range Protocols {
		status, body := post(t, s, paths[p], conversations[p])
		require.Equal(t, http.StatusOK, status, "%s: %s", p, body)
		assert.Contains(t, body, "four times", "%s", p)
	}
	assert.Zero(t, s.Left())
	log := s.Log()
	require.Len(t, log, len(Protocols))
	for i, rec := range log {
		assert.Equal(t, Protocols[i], rec.Protocol)
		assert.Empty(t, rec.Problems, "%s", rec.Protocol)
		assert.Equal(t, "m", rec.Parsed.Model, "%s", rec.Protocol)
		assert.Equal(t, "Be brief.", rec.Parsed.System, "%s", rec.Protocol)
		assert.Equal(t, conversation, rec.Parsed.Messages, "%s", rec.Protocol)
		require.Len(t, rec.Tools, 1, "%s", rec.Protocol)
		assert.Equal(t, "run function", rec.Tools[0].Name+" "+rec.Tools[0].Kind, "%s", rec.Protocol)
		var schema map[string]any
		require.NoError(t, json.Unmarshal(rec.Tools[0].Schema, &schema))
		assert.Equal(t, []any{"cmd"}, schema["required"], "%s", rec.Protocol)
		require.Len(t, rec.Parsed.Tools, 1)
		assert.Equal(t, "Runs.", rec.Parsed.Tools[0].Description, "%s", rec.Protocol)
		assert.False(t, rec.Side)
		assert.JSONEq(t, conversations[rec.Protocol], string(rec.Body))
	}
}

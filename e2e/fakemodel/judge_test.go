package fakemodel

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refused lists changes to a protocol's conversation that make it invalid. An entry that
// begins with a brace replaces the whole conversation.
var refused = map[Protocol][]struct{ from, to, problem string }{
	Anthropic: {
		{`"max_tokens": 100,`, ``, "max_tokens: Field required"},
		{`"max_tokens": 100`, `"max_tokens": 0`, "max_tokens: must be greater"},
		{`"model": "m",`, ``, "model: Field required"},
		{`"max_tokens": 100`, `"max_tokens": 100, "thinking": {"type": "enabled", "budget_tokens": 2000}`, "max_tokens must be greater than thinking.budget_tokens"},
		{`"max_tokens": 100`, `"max_tokens": 100, "thinking": {"type": "enabled", "budget_tokens": 20}`, "budget_tokens: must be greater than or equal to 1024"},
		{`"max_tokens": 100`, `"max_tokens": 100, "tool_choice": {"type": "tool", "name": "other"}`, `tool "other" not found`},
		{`"max_tokens": 100`, `"max_tokens": 100, "tool_choice": {"type": "some"}`, `"some" is not auto, any, tool or none`},
		{`"name": "run", "description"`, `"name": "a b", "description"`, `"a b" cannot be a tool's name`},
		{`"tools": [`, `"tools": [{"name": "run", "input_schema": {"type": "object"}}, `, "run is offered twice"},
		{`{"type": "object", "properties"`, `{"type": "string", "properties"`, "not the schema of an object"},
		{`{"role": "user", "content": "do it"},`, ``, "the first message must use the user role"},
		{`"content": "do it"`, `"content": ""`, "text content blocks must be non-empty"},
		{`"content": "do it"`, `"content": []`, "must have non-empty content"},
		{`"role": "user", "content": "do it"`, `"role": "tool", "content": "do it"`, `role "tool" is neither`},
		{`{"type": "tool_result", "tool_use_id": "c1", "content": "a b"}, `, ``, "without tool_result blocks immediately after: c1"},
		{`"tool_use_id": "c1"`, `"tool_use_id": "c9"`, "unexpected tool_use_id found in tool_result blocks: c9"},
		{`{"type": "tool_result", "tool_use_id": "c1"`, `{"type": "text", "text": "x"}, {"type": "tool_result", "tool_use_id": "c1"`, "must come first"},
		{`"id": "c2"`, `"id": "c1"`, "tool_use ids must be unique: c1"},
		{`"id": "c2"`, `"id": "c 2"`, "an id of letters"},
		{`"role": "assistant", "content": "Done."`, `"role": "assistant", "content": [{"type": "tool_use", "id": "c3", "name": "run", "input": {}}]`, "immediately after: c3"},
		{`{"type": "text", "text": "again"}`, `{"type": "tool_use", "id": "c3", "name": "run", "input": {}}`, "can only be in assistant messages"},
		{`{"type": "text", "text": "Be brief."}`, strings.Repeat(`{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}},`, 5) + `{"type": "text", "text": "x"}`, "a maximum of 4 blocks with cache_control may be provided: found 5"},
		{`"model": "m",`, `"model": "m", "metadata": {"user_id": "x"},`, ""}, // valid
		{"", `{"model": "m", "max_tokens": 5, "messages": []}`, "at least one message is required"},
		{"", `{"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": 5}]}`, "content is neither a text nor an array"},
		{"", `{"model": 5}`, "a JSON number where model stands"},
		{"", `[]`, "reading the request"},
		{"", `{`, "the body is not JSON"},
	},
	Chat: {
		{`"model": "m",`, ``, "you must provide a model parameter"},
		{`"stream": true,`, ``, "stream_options is only allowed when stream is enabled"},
		{`"stream": true`, `"stream": true, "n": 2`, "one answer"},
		{`"name": "run", "description"`, `"name": "a.b", "description"`, `"a.b" cannot be a tool's name`},
		{`"type": "function", "function": {"name": "run", "description"`, `"type": "web", "function": {"name": "run", "description"`, `"web" is not function or custom`},
		{`"stream": true`, `"stream": true, "tool_choice": "always"`, `"always" is not none, auto or required`},
		{`"stream": true`, `"stream": true, "tool_choice": {"type": "function", "function": {"name": "x"}}`, `"x" is not among the tools`},
		{`"role": "user", "content": [{"type": "text", "text": "do it"}]`, `"role": "user"`, "a message of role user needs content"},
		{`"role": "assistant", "content": "Done."`, `"role": "assistant", "content": null`, "needs content or tool_calls"},
		{`{"role": "tool", "tool_call_id": "c2", "content": "/"},`, ``, "must be followed by tool messages responding to each 'tool_call_id': c2"},
		{`"tool_call_id": "c1"`, `"tool_call_id": "c9"`, `"c9" is not that of a call`},
		{`{"role": "assistant", "content": "Done."}`, `{"role": "user", "content": "x"}, {"role": "tool", "tool_call_id": "c1", "content": "a"}`, "must be a response to a preceding message"},
		{`{"id": "c1", "type": "function"`, `{"type": "function"`, "a call needs an id"},
		{`"role": "system"`, `"role": "boss"`, `role "boss" is not`},
		{"", `{"model": "m", "tools": [], "messages": [{"role": "user", "content": "x"}]}`, "[] is too short"},
		{"", `{"model": "m", "tool_choice": "auto", "messages": [{"role": "user", "content": "x"}]}`, "tool_choice is only allowed when tools"},
		{"", `{"model": "m"}`, "expected at least one message"},
		{"", `{"model": "m", "messages": [{"role": "user", "content": {}}]}`, "content is neither a text nor an array"},
		{"", `{"messages": [{"tool_calls": {}}]}`, "a JSON object where messages.tool_calls stands"},
	},
	Responses: {
		{`"model": "m",`, ``, "missing required parameter: 'model'"},
		{`"stream": true`, `"stream": true, "previous_response_id": "resp_1"`, `previous response with id "resp_1" not found`},
		{`"stream": true`, `"stream": true, "tool_choice": {"type": "function", "name": "x"}`, `"x" is not among the tools`},
		{`"name": "run", "description"`, `"name": "a.b", "description"`, `"a.b" cannot be a tool's name`},
		{`{"type": "function_call_output", "call_id": "c1", "output": "a b"},`, ``, "no tool output found for function call c1"},
		{`"call_id": "c1", "output"`, `"call_id": "c9", "output"`, "no tool call found for function call output with call_id c9"},
		{`"call_id": "c2", "output"`, `"call_id": "c1", "output"`, "a second output for the call c1"},
		{`"call_id": "c2", "name"`, `"call_id": "c1", "name"`, "a second call with the id c1"},
		{`"arguments": "{\"cmd\":\"ls\"}"`, `"arguments": {"cmd": "ls"}`, "the arguments of a function_call are a text"},
		{`"call_id": "c1", "name": "run"`, `"call_id": "c1"`, "needs call_id and name"},
		{`{"type": "message", "role": "user"`, `{"type": "message", "role": "boss"`, `role "boss" is not`},
		{`{"role": "user", "content": "again"}`, `{"role": "user"}`, "a message needs content"},
		{`{"role": "user", "content": "again"}`, `{"content": "again"}`, "missing required parameter: 'type'"},
		{"", `{"model": "m"}`, "missing required parameter: 'input'"},
		{"", `{"model": "m", "input": 5}`, "input is neither a text nor an array of items"},
		{"", `{"model": "m", "input": [5]}`, "input[0] cannot be read"},
	},
	Gemini: {{`{"role": "model", "parts": [{"text": "Done."}]},`, ``, "role user twice in a row"}},
}

// TestStrict: a strict server refuses what the real API would refuse, in the API's format,
// and uses up no turn. Otherwise it only reports the problem.
func TestStrict(t *testing.T) {
	t.Parallel()
	for p, tests := range refused {
		for _, tt := range tests {
			t.Run(string(p)+" "+tt.problem, func(t *testing.T) {
				t.Parallel()
				body := tt.to
				if tt.from != "" {
					require.Equal(t, 1, strings.Count(conversations[p], tt.from), "%q", tt.from)
					body = strings.Replace(conversations[p], tt.from, tt.to, 1)
				}
				strict := New(Options{Turns: []Turn{says("x")}, Strict: true})
				status, got := post(t, strict, paths[p], body)
				rec := strict.Log()[0]
				if tt.problem == "" {
					assert.Equal(t, http.StatusOK, status, got)
					assert.Empty(t, rec.Problems)
					return
				}
				assert.Equal(t, http.StatusBadRequest, status, got)
				assert.Contains(t, strings.Join(rec.Problems, "\n"), tt.problem)
				var e struct {
					Error struct{ Message string }
				}
				require.NoError(t, json.Unmarshal([]byte(got), &e), got)
				assert.Contains(t, e.Error.Message, tt.problem)
				assert.Equal(t, 1, strict.Left())
				lax := New(Options{Turns: []Turn{says("x")}, ToolLess: true})
				post(t, lax, paths[p], body)
				assert.Contains(t, strings.Join(lax.Log()[0].Problems, "\n"), tt.problem)
			})
		}
	}
}

// TestHeaders: Anthropic's API requires its version header.
func TestHeaders(t *testing.T) {
	t.Parallel()
	s := New(Options{Turns: []Turn{says("x")}, Strict: true})
	status, _ := request(t, s, http.MethodPost, paths[Anthropic], conversations[Anthropic], nil)
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Equal(t, []string{"anthropic-version: header is required"}, s.Log()[0].Problems)
}

// TestCounting: counting tokens does not require a limit for the answer.
func TestCounting(t *testing.T) {
	t.Parallel()
	s := New(Options{Strict: true})
	status, body := post(t, s, "/v1/messages/count_tokens", `{"model": "m", "messages": [{"role": "user", "content": "x"}]}`)
	assert.Equal(t, http.StatusOK, status, body)
	assert.JSONEq(t, `{"input_tokens": 16}`, body)
	assert.True(t, s.Log()[0].Side)
}

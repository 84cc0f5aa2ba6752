package fakemodel

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/llm/script"
)

// FuzzFault: a fault is parsed or refused, and one that is parsed and written is parsed to
// the same value.
func FuzzFault(f *testing.F) {
	for _, text := range []string{`{"status":503,"message":"m"}`, `{"cut":true}`, `null`, `[]`, `{"delay":"1h"}`, `{"delay":-5,"status":99999}`, `{"retryDelay":"x"}`, `{"unknown":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var fault Fault
		if json.Unmarshal(data, &fault) != nil {
			return
		}
		once, err := json.Marshal(fault)
		require.NoError(t, err)
		var again Fault
		require.NoError(t, json.Unmarshal(once, &again), "%s", once)
		require.Equal(t, fault, again)
	})
}

// FuzzRequest: the server answers whatever a client sends, with an error in the API's
// format if it is invalid. What the server parsed can be encoded.
func FuzzRequest(f *testing.F) {
	for _, p := range Protocols {
		f.Add(paths[p], []byte(conversations[p]))
		for _, body := range []string{`null`, `{`, `{"messages":null,"input":5,"contents":[null],"tools":[null],"system":[5]}`} {
			f.Add(paths[p], []byte(body))
		}
	}
	f.Add("/v1/messages/count_tokens", []byte(`{"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"image","source":5}]}]}]}`))
	f.Add("/v1/chat/completions", []byte(`{"tools":[{"type":"function","function":{"name":"run","parameters":{"$ref":"#"}}}],"tool_choice":{"type":"function"},"response_format":{"type":"json_schema","json_schema":{"schema":{"anyOf":[{"$ref":"#"}]}}}}`))
	f.Add("/v1/responses", []byte(`{"input":[{"type":"local_shell_call","call_id":"1","action":{"command":["ls"]}},{"type":"local_shell_call_output","call_id":"1","output":[{"type":"x"}]},{"role":"user","content":"a"},{}],"tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"run"}]}]}`))
	f.Add("/models/x", []byte(``))
	for path, body := range map[string]string{
		"/v1beta/models/m:generateContent":               `{"contents":[{"role":"user","parts":[{"text":"a"}]}],"tools":[{"functionDeclarations":[{"name":"x","parameters":{"type":5}}]}]}`,
		"/v1beta/models/m:countTokens":                   `{"generateContentRequest":{"contents":[null]}}`,
		"/v1beta/models/m:streamGenerateContent?alt=sse": `{"contents":[{"parts":[{"functionResponse":null},{}]}],"tools":[null],"toolConfig":5}`,
		"/": `{`, "/v1beta/models/:x": `null`,
	} {
		f.Add(path, []byte(body))
	}
	f.Fuzz(func(t *testing.T, path string, body []byte) {
		target, err := url.ParseRequestURI(path)
		if err != nil || target.Path == "" || target.Path[0] != '/' {
			return
		}
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.URL, r.RequestURI = target, path
		w := httptest.NewRecorder()
		call := script.Streamed(llm.Chunk{Parts: []llm.Part{llm.Thought{Text: "hm"}, llm.Text{Text: "a"}, llm.ToolCall{Name: "run", Args: map[string]any{"input": "x"}}}, FinishReason: "STOP"})
		s := New(Options{Turns: []Turn{{Entry: call, Actions: map[int]script.Action{0: {Kind: script.DoShell, Command: "ls"}}, Repeat: true}}})
		s.ServeHTTP(w, r)
		require.GreaterOrEqual(t, w.Code, 200)
		require.Less(t, w.Code, 600)
		if w.Code >= 400 {
			require.True(t, json.Valid(w.Body.Bytes()), "%q", w.Body)
		}
		log := s.Log()
		require.Len(t, log, 1)
		_, err = json.Marshal(log[0].Parsed)
		require.NoError(t, err)
		_, err = json.Marshal(log[0])
		require.NoError(t, err)
	})
}

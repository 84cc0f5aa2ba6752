package openai_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"minigem/llm"
	"minigem/llm/openai"
)

// FuzzAnswers checks that any answer of a server, in a stream or whole, yields chunks
// or one of the client's errors.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(delta(`"tool_calls":[{"index":0,"id":"1","function":{"name":"ls","arguments":"{\"a\":1}"}}]`)+ends("tool_calls")), 200)
	f.Add([]byte(`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`), 200)
	f.Add([]byte("\xef\xbb\xbf: c\r\nevent: x\rdata: [DONE]\n\n"), 200)
	f.Add([]byte(`{"error":{"message":"m","code":7}}`), 429)
	f.Add([]byte(`{"error":"m"}`), 404)
	f.Add([]byte(`{"data":[{"id":"a"}]}`), 200)
	f.Add([]byte(`{"data":[{"id":"m","max_model_len":4096}],"n_ctx":1,"model_info":{"x.context_length":8192}}`), 200)
	f.Add([]byte(delta(`"content":"<tool_call>{\"name\": \"ls\", \"arguments\": {}}</tool_call>"`)+ends("stop")), 200)
	var body []byte
	var status int
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	f.Cleanup(s.Close)
	c := openai.New(openai.Options{Model: "m", BaseURL: s.URL, MaxAttempts: 1})
	f.Fuzz(func(t *testing.T, data []byte, code int) {
		body, status = data, 200+(code%400+400)%400
		if status == 204 || status == 304 {
			return // these statuses have no body
		}
		_, streamed := collect(c.Stream(t.Context(), ask("x")))
		_, whole := c.Generate(t.Context(), ask("x"))
		_, listed := c.Models(t.Context())
		if n := c.ContextLength(t.Context()); n < 0 {
			t.Fatalf("%q: a context length of %d", data, n)
		}
		for _, err := range []error{streamed, whole, listed} {
			if err != nil && !errors.As(err, new(*llm.Error)) {
				t.Fatalf("%q: not one of ours: %v", data, err)
			}
		}
	})
}

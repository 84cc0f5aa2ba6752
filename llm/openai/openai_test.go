package openai_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/llm"
	"minigem/llm/openai"
	"minigem/llm/script"
)

const key = "sk-secret-secret-secret"

func ask(text string) llm.Request {
	return llm.Request{Model: "openai/small", Messages: []llm.Message{llm.UserText(text)}}
}

func collect(seq iter.Seq2[llm.Chunk, error]) (chunks []llm.Chunk, err error) {
	for c, err := range seq {
		if err != nil {
			return chunks, err
		}
		chunks = append(chunks, c)
	}
	return chunks, nil
}

// TestConversation checks that a strict server accepts a conversation with everything
// that this API can express, and that its answers arrive whole.
func TestConversation(t *testing.T) {
	t.Parallel()
	answer := fakemodel.Turn{Entry: script.Streamed(
		llm.Chunk{Parts: []llm.Part{llm.Thought{Text: "Let me see."}}},
		llm.Chunk{Parts: []llm.Part{llm.Text{Text: "I "}}}, llm.Chunk{Parts: []llm.Part{llm.Text{Text: "write."}}},
		llm.Chunk{
			Parts:        []llm.Part{llm.ToolCall{ID: "c9", Name: "write_file", Args: map[string]any{"path": "ü <&>"}}, llm.ToolCall{ID: "c10", Name: "ls"}},
			FinishReason: "STOP", Usage: &llm.Usage{Prompt: 100, Candidates: 20, Thoughts: 5, Cached: 30},
		},
	), Repeat: true}
	s := fakemodel.New(fakemodel.Options{Turns: []fakemodel.Turn{answer}, Strict: true})
	url, stop, err := s.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(stop)
	c := openai.New(openai.Options{Model: "small", BaseURL: url + "/v1", APIKey: key})
	five := 5
	req := llm.Request{
		Model: "openai/small", System: "Be brief.",
		Tools:    []llm.ToolSpec{{Name: "write_file", Description: "writes", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}, {Name: "ls"}, {Name: "never"}},
		Choice:   llm.ToolChoice{Mode: llm.ToolModeAny, Allowed: []string{"write_file", "ls"}},
		Sampling: llm.Sampling{MaxOutputTokens: &five, StopSequences: []string{"END"}},
		Messages: []llm.Message{
			{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "See "}, llm.Text{Text: "this"}, llm.Blob{MIMEType: "image/png", Data: []byte("png")}}},
			{Role: llm.RoleModel, Parts: []llm.Part{llm.Thought{Text: "never sent"}, llm.Text{Text: "Yes."}, llm.ToolCall{ID: "ls__1", Name: "ls"}, llm.ToolCall{ID: "ls__2", Name: "ls", Args: map[string]any{"a": 1}}}},
			{Role: llm.RoleUser, Parts: []llm.Part{
				llm.ToolResult{ID: "ls__1", Name: "ls", Response: map[string]any{"output": "a.txt"}, Parts: []llm.Part{llm.Blob{MIMEType: "image/png", Data: []byte("x")}}},
				llm.ToolResult{ID: "ls__0", Name: "ls", Response: map[string]any{"output": "of a call that is gone"}},
			}},
			llm.UserText("go on"),
			{Role: llm.RoleModel, Parts: []llm.Part{llm.Thought{Text: "only thought"}}},
		},
	}
	chunks, err := collect(c.Stream(t.Context(), req))
	require.NoError(t, err)
	all := llm.Chunk{}
	for _, k := range chunks {
		all.Parts = append(all.Parts, k.Parts...)
		assert.Equal(t, "small", k.ModelVersion)
	}
	last := chunks[len(chunks)-1]
	assert.Equal(t, "I write.", all.Text())
	assert.Equal(t, "STOP", last.FinishReason)
	assert.Equal(t, &llm.Usage{Prompt: 100, Candidates: 20, Thoughts: 5, Cached: 30, Total: 125}, last.Usage)
	calls := []llm.ToolCall{{ID: "c9", Name: "write_file", Args: map[string]any{"path": "ü <&>"}}, {ID: "c10", Name: "ls", Args: map[string]any{}}}
	assert.Equal(t, calls, last.Calls())
	assert.Contains(t, all.Parts, llm.Thought{Text: "Let me see."})

	whole, err := c.Generate(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, []any{"I write.", calls, "STOP", last.Usage}, []any{whole.Text(), whole.Calls(), whole.FinishReason, whole.Usage})

	for _, r := range s.Log() {
		assert.Empty(t, r.Problems, "%s", r.Body)
		assert.Equal(t, "Be brief.", r.Parsed.System)
		for _, in := range []string{`"tool_choice":"required"`, `"max_tokens":5`, `"stop":["END"]`, `There is no result.`, `The result of ls: of a call that is gone`, `data:image/png;base64,cG5n`} {
			assert.Contains(t, string(r.Body), in)
		}
		for _, out := range []string{"never", "only thought", `"temperature"`} {
			assert.NotContains(t, string(r.Body), out)
		}
	}
	n, err := c.CountTokens(t.Context(), req)
	require.NoError(t, err)
	assert.Positive(t, n)
}

// served gives answers over HTTP in order, and then repeats the last one.
func served(t testing.TB, status int, header http.Header, bodies ...string) openai.Options {
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, bodies[min(n, len(bodies)-1)])
		n++
	}))
	t.Cleanup(s.Close)
	return openai.Options{Model: "small", BaseURL: s.URL, APIKey: key, MaxAttempts: 1}
}

func delta(fields string) string { return `data: {"choices":[{"delta":{` + fields + "}}]}\n\n" }

func ends(reason string) string {
	return `data: {"choices":[{"delta":{},"finish_reason":"` + reason + `"}]}` + "\n\n"
}

// TestStreamsOfOddServers checks forms that other servers send.
func TestStreamsOfOddServers(t *testing.T) {
	t.Parallel()
	one := func(index int, id, name, args string) string {
		return delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":%q,"function":{"name":%q,"arguments":%s}}]`, index, id, name, args))
	}
	ls := llm.ToolCall{ID: "1", Name: "ls", Args: map[string]any{"a": 1.0}}
	tests := map[string]struct {
		body   string
		parts  []llm.Part
		finish string
	}{
		"thoughts of Ollama":             {delta(`"reasoning":"hm","content":""`) + delta(`"content":"a"`) + ends("stop"), []llm.Part{llm.Thought{Text: "hm"}, llm.Text{Text: "a"}}, "STOP"},
		"thoughts of DeepSeek":           {delta(`"reasoning_content":"hm","content":null`) + ends("stop"), []llm.Part{llm.Thought{Text: "hm"}}, "STOP"},
		"a refusal":                      {delta(`"refusal":"no"`) + ends("content_filter"), []llm.Part{llm.Text{Text: "no"}}, "SAFETY"},
		"too long":                       {delta(`"content":"a"`) + ends("length"), []llm.Part{llm.Text{Text: "a"}}, "MAX_TOKENS"},
		"an unknown end":                 {delta(`"content":"a"`) + ends("weather"), []llm.Part{llm.Text{Text: "a"}}, "OTHER"},
		"no finish reason, but [DONE]":   {delta(`"content":"a"`) + "data: [DONE]\n\n", []llm.Part{llm.Text{Text: "a"}}, "STOP"},
		"a finish reason, but no end":    {delta(`"content":"a"`) + ends("stop"), []llm.Part{llm.Text{Text: "a"}}, "STOP"},
		"arguments in pieces":            {one(0, "1", "ls", `"{\"a\""`) + one(0, "", "", `":1}"`) + ends("tool_calls"), []llm.Part{ls}, "STOP"},
		"arguments that are an object":   {one(0, "1", "ls", `{"a":1}`) + ends("tool_calls"), []llm.Part{ls}, "STOP"},
		"no arguments":                   {one(0, "1", "ls", `""`) + ends("tool_calls"), []llm.Part{llm.ToolCall{ID: "1", Name: "ls"}}, "STOP"},
		"two calls of one index":         {one(0, "1", "ls", `"{\"a\":1}"`) + one(0, "2", "ls", `"{}"`) + ends("stop"), []llm.Part{ls, llm.ToolCall{ID: "2", Name: "ls", Args: map[string]any{}}}, "STOP"},
		"calls that take turns":          {one(0, "1", "ls", `""`) + one(1, "2", "ls", `"{}"`) + one(0, "", "", `"{\"a\":1}"`) + ends("stop"), []llm.Part{ls, llm.ToolCall{ID: "2", Name: "ls", Args: map[string]any{}}}, "STOP"},
		"arguments that are not JSON":    {delta(`"content":"a"`) + one(0, "1", "ls", `"{oops"`) + ends("tool_calls"), []llm.Part{llm.Text{Text: "a"}}, "MALFORMED_FUNCTION_CALL"},
		"arguments that were cut off":    {one(0, "1", "ls", `"{\"a"`) + ends("length"), nil, "MAX_TOKENS"},
		"a whole answer to a stream":     {`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, []llm.Part{llm.Text{Text: "a"}}, "STOP"},
		"comments, CRLF and no space":    {": hello\r\n\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\n" + ends("stop"), []llm.Part{llm.Text{Text: "a"}}, "STOP"},
		"BOM, fields, data of two lines": {"\xef\xbb\xbfdata: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"}}]}\nevent: x\nid: 1\nretry: 5\n\n" + ends("stop"), []llm.Part{llm.Text{Text: "a"}}, "STOP"},
		"usage in a chunk without text":  {delta(`"content":"a"`) + ends("stop") + `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}` + "\n\n", []llm.Part{llm.Text{Text: "a"}}, "STOP"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chunks, err := collect(openai.New(served(t, 200, nil, test.body)).Stream(t.Context(), ask("x")))
			require.NoError(t, err)
			var parts []llm.Part
			for _, c := range chunks {
				parts = append(parts, c.Parts...)
			}
			assert.Equal(t, test.parts, parts)
			last := chunks[len(chunks)-1]
			assert.Equal(t, test.finish, last.FinishReason)
			if strings.HasPrefix(name, "usage") {
				assert.Equal(t, &llm.Usage{Prompt: 3, Candidates: 4, Total: 7}, last.Usage)
			}
		})
	}
}

// TestErrors checks that each failure is one sentence of a kind, with what to do, and
// never contains the key.
func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		status     int
		kind       llm.ErrorKind
		says, hint string
	}{
		{"a wrong key", `{"error":{"message":"Incorrect key ` + key + `","code":"invalid_api_key"}}`, 401, llm.ErrAuth, "the key was refused: Incorrect key [REDACTED]", "OPENAI_API_KEY"},
		{"no access", `{"error":{"message":"not you"}}`, 403, llm.ErrAuth, "access to small was denied: not you", ""},
		{"no model, as Ollama says it", `{"error":"model 'small' not found"}`, 404, llm.ErrNotFound, "there is no model small: model 'small' not found", "/models lists"},
		{"quota", `{"error":{"message":"no money","type":"insufficient_quota"}}`, 429, llm.ErrQuota, "the quota of small is used up: no money", "credit"},
		{"too fast", `{"error":{"message":"slow down"}}`, 429, llm.ErrRateLimit, "too many requests for small: slow down", "wait 7s"},
		{"trouble", `<html>bad gateway</html>`, 502, llm.ErrOverloaded, "the server of small has trouble (502: <html>bad gateway</html>)", "later"},
		{"an empty body", "", 500, llm.ErrOverloaded, "has trouble (500: Internal Server Error)", ""},
		{"FastAPI's form", `{"detail":"nope"}`, 400, llm.ErrInvalid, "the request was refused (400: nope)", "hook"},
		{"too long", `{"error":{"message":"maximum context length is 4096","code":"context_length_exceeded"}}`, 400, llm.ErrInvalid, "4096", "/compress"},
		{"no tools", `{"error":"small does not support tools"}`, 400, llm.ErrInvalid, "does not support tools", "choose a model"},
		{"a redirect", "", 307, llm.ErrInvalid, "redirects", ""},
		{"not the API", `<html>hello</html>`, 200, llm.ErrStream, `the answer cannot be read: the server sent "<html>hello</html>"`, "/v1"},
		{"a list", `[1]`, 200, llm.ErrStream, "cannot be read", ""},
		{"another shape", `{"choices":5}`, 200, llm.ErrStream, "cannot be read", ""},
		{"an error in the stream", `data: {"error":{"message":"out of memory"}}` + "\n\n", 200, llm.ErrStream, "has trouble: out of memory", ""},
		{"too long, in the stream", `data: {"error":{"message":"context size","code":"context_length_exceeded"}}` + "\n\n", 200, llm.ErrInvalid, "context size", "/compress"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := openai.New(served(t, test.status, http.Header{"Retry-After": {"7"}, "Location": {"http://elsewhere.example/"}}, test.body))
			_, streamed := collect(c.Stream(t.Context(), ask("x")))
			errs := []error{streamed}
			if !strings.HasPrefix(test.body, "data:") {
				_, whole := c.Generate(t.Context(), ask("x"))
				errs = append(errs, whole)
			}
			for _, err := range errs {
				var e *llm.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, test.kind, e.Kind, e.Message)
				assert.Contains(t, e.Message, test.says)
				assert.Contains(t, e.Hint, test.hint)
				assert.NotContains(t, fmt.Sprintf("%v %+v %v", e, *e, e.Err), key)
				assert.False(t, e.Opened)
			}
		})
	}
}

// TestBrokenOff checks that an answer that ends in the middle is an error, although its
// text was passed on.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"the connection ends": delta(`"content":"a"`),
		"an error follows":    delta(`"content":"a"`) + `data: {"error":{"message":"gone"}}` + "\n\n",
		"nonsense follows":    delta(`"content":"a"`) + "data: oops\n\n",
	} {
		chunks, err := collect(openai.New(served(t, 200, nil, body)).Stream(t.Context(), ask("x")))
		var e *llm.Error
		require.ErrorAs(t, err, &e, name)
		assert.Equal(t, llm.ErrStream, e.Kind, name)
		assert.True(t, e.Opened, name)
		assert.Len(t, chunks, 1, name)
	}
}

// network is a server without a network.
type network func(*http.Request) (*http.Response, error)

func (n network) RoundTrip(r *http.Request) (*http.Response, error) { return n(r) }

// TestRetries checks, with a fake clock, that temporary failures are tried again and
// refusals are not.
func TestRetries(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		body   string
		err    error
		calls  int
		url    string
	}{
		"no server":    {err: syscall.ECONNREFUSED, calls: 3},
		"not started":  {err: syscall.ECONNREFUSED, calls: 1, url: "http://127.0.0.1:11434/v1"},
		"trouble":      {status: 503, calls: 3},
		"too fast":     {status: 429, calls: 3},
		"not the API":  {status: 200, body: "<html>", calls: 3},
		"a wrong key":  {status: 401, calls: 1},
		"quota":        {status: 429, body: `{"error":{"message":"x","code":"insufficient_quota"}}`, calls: 1},
		"refused":      {status: 400, calls: 1},
		"nobody there": {err: errors.New("tls: unknown certificate"), calls: 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls, told := 0, 0
				c := openai.New(openai.Options{
					Model: "small", BaseURL: cmp.Or(test.url, "http://server.example/v1"), MaxAttempts: 3,
					Notify: func(r llm.Retry) { told++; assert.Equal(t, told, r.Attempt) },
					Transport: network(func(r *http.Request) (*http.Response, error) {
						calls++
						assert.Empty(t, r.Header.Get("Authorization"))
						if test.err != nil {
							return nil, test.err
						}
						return &http.Response{StatusCode: test.status, Body: io.NopCloser(strings.NewReader(test.body)), Header: http.Header{}}, nil
					}),
				})
				_, err := collect(c.Stream(t.Context(), ask("x")))
				require.ErrorAs(t, err, new(*llm.Error))
				assert.Equal(t, []int{test.calls, test.calls - 1}, []int{calls, told}, err)
			})
		})
	}
}

// TestSilence checks that a silent server is given up after the first timeout, and that
// a call ends with its context.
func TestSilence(t *testing.T) {
	t.Parallel()
	silent := network(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	synctest.Test(t, func(t *testing.T) {
		c := openai.New(openai.Options{Model: "small", BaseURL: "http://server.example", Silence: time.Minute, Transport: silent})
		start := time.Now()
		_, err := collect(c.Stream(t.Context(), ask("x")))
		require.ErrorContains(t, err, "the server of small said nothing for 1m0s")
		assert.Equal(t, time.Minute, time.Since(start))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = collect(c.Stream(ctx, ask("x")))
		assert.Equal(t, context.DeadlineExceeded, err)
	})
}

// TestUnsendable checks that content that this API cannot express is an error that says
// so.
func TestUnsendable(t *testing.T) {
	t.Parallel()
	c := openai.New(openai.Options{Model: "small", BaseURL: "http://server.example"})
	for says, req := range map[string]llm.Request{
		"cannot search the web":                    {Builtins: llm.Builtins{GoogleSearch: true}},
		"data of the type video/mp4":               {Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Blob{MIMEType: "video/mp4"}}}}},
		"a part that only the Gemini API knows":    {Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Opaque{JSON: []byte("{}")}}}}},
		"an address of data of the type audio/mp3": {Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.FileRef{MIMEType: "audio/mp3"}}}}},
	} {
		_, err := collect(c.Stream(t.Context(), req))
		require.ErrorContains(t, err, says)
	}
}

func TestOptionsFor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		model        string
		env          map[string]string
		name, url    string
		server, fail string
	}{
		{model: "openai/gpt-5", env: map[string]string{"OPENAI_API_KEY": key}, name: "gpt-5", url: "https://api.openai.com/v1", server: "openai"},
		{model: "openai/gpt-5", name: "gpt-5", url: "https://api.openai.com/v1", server: "openai", fail: "OPENAI_API_KEY"},
		{model: "openai/org/model", env: map[string]string{"OPENAI_BASE_URL": "http://localhost:9/v1/"}, name: "org/model", url: "http://localhost:9/v1", server: "openai"},
		{model: "openai/m", env: map[string]string{"OPENAI_BASE_URL": "localhost:9"}, name: "m", url: "localhost:9", server: "openai", fail: "OPENAI_BASE_URL"},
		{model: "ollama/qwen3:8b", name: "qwen3:8b", url: "http://127.0.0.1:11434/v1", server: "ollama"},
		{model: "ollama/m", env: map[string]string{"OLLAMA_HOST": "0.0.0.0"}, name: "m", url: "http://127.0.0.1:11434/v1", server: "ollama"},
		{model: "ollama/m", env: map[string]string{"OLLAMA_HOST": "0.0.0.0:99"}, name: "m", url: "http://127.0.0.1:99/v1", server: "ollama"},
		{model: "ollama/m", env: map[string]string{"OLLAMA_HOST": "box"}, name: "m", url: "http://box:11434/v1", server: "ollama"},
		{model: "ollama/m", env: map[string]string{"OLLAMA_HOST": "https://box/"}, name: "m", url: "https://box/v1", server: "ollama"},
		{model: "ollama/m", env: map[string]string{"OLLAMA_HOST": "http://[::1]:5"}, name: "m", url: "http://[::1]:5/v1", server: "ollama"},
		{model: "ollama/m", env: map[string]string{"OLLAMA_HOST": "a b\x00"}, name: "m", url: "http://a b\x00", server: "ollama", fail: "OLLAMA_HOST"},
		{model: "lmstudio/m", name: "m", url: "http://127.0.0.1:1234/v1", server: "lmstudio"},
		{model: "llamacpp/m", name: "m", url: "http://127.0.0.1:8080/v1", server: "llamacpp"},
		{model: "openai/"}, {model: "openai"}, {model: "gemini-2.5-pro"}, {model: "tunedModels/x"},
	}
	for _, test := range tests {
		assert.Equal(t, test.server, openai.Server(test.model), test.model)
		o, err := openai.OptionsFor(test.model, func(name string) string { return test.env[name] })
		if test.server == "" {
			require.Error(t, err, test.model)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, []string{test.name, test.url}, []string{o.Model, o.BaseURL})
		if err := o.Check(); test.fail == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, test.fail)
		}
	}
}

package fakemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/llm/script"
)

// request sends a request with the client's header.
func request(t *testing.T, s *Server, method, path, body string, header http.Header) (int, string) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for name := range header {
		r.Header.Set(name, header.Get(name))
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// sides has, for each protocol, requests without tools that require an answer for a
// schema.
var sides = map[Protocol]string{
	Anthropic: `{"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "title?"}], "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}}`,
	Chat:      `{"model": "m", "messages": [{"role": "user", "content": "title?"}], "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}}`,
	Responses: `{"model": "m", "input": "title?", "text": {"format": {"type": "json_schema", "name": "x", "schema": SCHEMA}}}`,
	Gemini:    `{"contents": [{"role": "user", "parts": [{"text": "title?"}]}], "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}}`,
}

// TestSideRequests: side requests use up no turn of the conversation. They get a turn for
// side requests, or else the smallest answer that fits the schema.
func TestSideRequests(t *testing.T) {
	t.Parallel()
	const schema = `{"type": "object", "properties": {"title": {"type": "string"}, "next": {"enum": ["user", "model"]}, "n": {"type": ["integer", "null"], "minimum": 2}, "list": {"type": "array"}, "one": {"anyOf": [{"type": "boolean"}, {}]}}}`
	for _, p := range Protocols {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			marked := Turn{Entry: script.Answered(llm.Chunk{Parts: []llm.Part{llm.Text{Text: "A title"}}, FinishReason: "STOP"})}
			s := New(Options{Turns: []Turn{says("never"), marked}, Strict: true})
			path, body := strings.Replace(paths[p], "streamGenerateContent?alt=sse", "generateContent", 1), strings.Replace(sides[p], "SCHEMA", schema, 1)
			_, first := post(t, s, path, body)
			assert.Contains(t, first, "A title")
			_, second := post(t, s, path, body)
			assert.Contains(t, second, `{\"list\":[],\"n\":2,\"next\":\"user\",\"one\":false,\"title\":\"OK\"}`)
			assert.Equal(t, 1, s.Left())
			for _, rec := range s.Log() {
				assert.True(t, rec.Side)
				assert.Empty(t, rec.Problems)
				assert.Equal(t, []llm.Message{llm.UserText("title?")}, rec.Parsed.Messages)
			}
			every := New(Options{Turns: []Turn{says("now")}, ToolLess: true})
			if p == Gemini {
				path = paths[p]
			}
			_, got := post(t, every, path, body)
			assert.Contains(t, got, "now")
			assert.Zero(t, every.Left())
		})
	}
}

// TestActions: an action is sent as the calls that the driver translates it to, or without
// a driver as Gemini CLI's own call.
func TestActions(t *testing.T) {
	t.Parallel()
	act := Turn{Entry: script.Streamed(
		llm.Chunk{Parts: []llm.Part{llm.Text{Text: "I run"}}},
		llm.Chunk{Parts: []llm.Part{llm.ToolCall{Name: "run_shell_command"}}, FinishReason: "STOP"},
	), Actions: map[int]script.Action{1: {Kind: script.DoShell, Command: "ls"}}}
	translate := func(a script.Action, offered []Tool) ([]llm.ToolCall, error) {
		if a.Command != "ls" || len(offered) != 1 || offered[0].Name != "run" {
			return nil, errors.New("no tool of this kind")
		}
		return []llm.ToolCall{{Name: "run", Args: map[string]any{"cmd": "ls"}}, {Name: "run", Args: map[string]any{"cmd": "pwd"}}}, nil
	}
	for _, p := range Protocols {
		s := New(Options{Turns: []Turn{act, act}, Translate: translate})
		status, body := post(t, s, paths[p], conversations[p])
		assert.Equal(t, http.StatusOK, status, body)
		rec := s.Log()[0]
		assert.Empty(t, rec.Problems, "%s", p)
		require.Len(t, rec.Calls, 2, "%s", p)
		for _, c := range rec.Calls {
			assert.Equal(t, "run", c.Name)
			require.NotNil(t, c.Action)
			assert.Equal(t, "ls", c.Action.Command)
			if p != Gemini { // Gemini's calls may have no id
				assert.NotEmpty(t, c.ID)
				assert.Contains(t, body, c.ID)
			}
		}
		assert.NotContains(t, body, "run_shell_command")

		post(t, s, paths[p], strings.ReplaceAll(conversations[p], `"run"`, `"other"`))
		assert.Equal(t, []string{"the script's shell cannot be done: no tool of this kind"}, s.Log()[1].Problems, "%s", p)
		assert.GreaterOrEqual(t, s.Log()[1].Status, 400)

		plain := New(Options{Turns: []Turn{act}})
		_, body = post(t, plain, paths[p], conversations[p])
		assert.Contains(t, body, "run_shell_command", "%s", p)
		assert.Equal(t, []string{"the script calls run_shell_command, which the request does not offer: it offers run"}, plain.Log()[0].Problems, "%s", p)
	}
}

// TestCallsFit: a call that does not match the request's schema is reported. An agent
// rejects it before any hook sees it, and a test of it proves nothing.
func TestCallsFit(t *testing.T) {
	t.Parallel()
	for _, p := range Protocols {
		s := New(Options{Turns: []Turn{calls("run", map[string]any{"cmd": "ls"}), calls("run", map[string]any{"command": "ls"}), calls("run", map[string]any{"cmd": 5})}})
		for range 3 {
			post(t, s, paths[p], conversations[p])
		}
		log := s.Log()
		assert.Empty(t, log[0].Problems, "%s", p)
		assert.Equal(t, []string{"the script's call of run does not fit the schema that the request has for it: params must have required property 'cmd'"}, log[1].Problems, "%s", p)
		assert.Contains(t, strings.Join(log[2].Problems, ""), "params/cmd must be string", "%s", p)
	}
	custom := `{"model": "m", "input": "x", "tools": [{"type": "custom", "name": "patch"}, {"type": "namespace", "name": "agents", "tools": [{"type": "function", "name": "spawn", "parameters": null}]}, {"type": "web_search"}]}`
	s := New(Options{Turns: []Turn{calls("patch", map[string]any{"text": "x"}), calls("spawn", nil), calls("search", nil)}, Strict: true})
	for range 3 {
		post(t, s, paths[Responses], custom)
	}
	log := s.Log()
	assert.Equal(t, []string{`the script's call of patch needs one argument, {"input": TEXT}: it takes free text`}, log[0].Problems)
	assert.Empty(t, log[1].Problems)
	assert.Equal(t, []Tool{{Name: "patch", Kind: "custom"}, {Name: "spawn", Kind: "function", Namespace: "agents"}, {Kind: "web_search"}}, log[1].Tools)
	assert.Equal(t, []string{"the script calls search, which the request does not offer: it offers patch, spawn, web_search"}, log[2].Problems)
}

// TestEnd: the answers after the end of the script.
func TestEnd(t *testing.T) {
	t.Parallel()
	for _, p := range Protocols {
		again := says("again")
		again.Repeat = true
		s := New(Options{Turns: []Turn{says("one"), again}})
		for _, want := range []string{"one", "again", "again", "again"} {
			_, body := post(t, s, paths[p], conversations[p])
			assert.Contains(t, body, want, "%s", p)
		}
		empty := says("that was all")
		for _, o := range []Options{{}, {Empty: &empty}} {
			s := New(o)
			status, body := post(t, s, paths[p], conversations[p])
			rec := s.Log()[0]
			assert.True(t, rec.Missing, "%s", p)
			assert.Contains(t, rec.Problems, "the script has no answer left for this request")
			if o.Empty == nil {
				assert.GreaterOrEqual(t, status, 400, "%s", p)
				assert.Contains(t, body, "no answer left", "%s", p)
			} else {
				assert.Contains(t, body, "that was all", "%s", p)
			}
		}
	}
}

// TestFaultsKeepTheTurn: a fault of a request keeps the turn for the next attempt. A fault
// in the script uses up its line.
func TestFaultsKeepTheTurn(t *testing.T) {
	t.Parallel()
	for _, p := range Protocols {
		broken := says("never")
		broken.Fault = json.RawMessage(`{"status":503,"retryDelay":"3s"}`)
		s := New(Options{Turns: []Turn{says("one"), broken, says("two")}, Faults: []Fault{{Request: 1, Status: 429}, {Request: 2, Status: 500, After: 1}}})
		for _, want := range []int{429, 200, 200, 503, 200} {
			status, body := post(t, s, paths[p], conversations[p])
			assert.Equal(t, want, status, "%s: %s", p, body)
		}
		assert.Zero(t, s.Left(), "%s", p)
		log := s.Log()
		assert.Equal(t, 429, log[0].Fault.Status, "%s", p)
		assert.Equal(t, 500, log[1].Fault.Status, "%s", p)
		assert.Nil(t, log[2].Fault, "%s", p)
		assert.Equal(t, 503, log[3].Fault.Status, "%s", p)
	}
}

// TestErrorsAreFinal: if the script says that a failure is permanent, the clients of
// Anthropic and OpenAI are told not to retry.
func TestErrorsAreFinal(t *testing.T) {
	t.Parallel()
	broken := says("")
	broken.Fault = json.RawMessage(`{"status":503,"final":true,"retryDelay":"3s"}`)
	s := New(Options{Turns: []Turn{broken}})
	r := httptest.NewRequest(http.MethodPost, paths[Chat], strings.NewReader(conversations[Chat]))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	assert.Equal(t, "false", w.Header().Get("X-Should-Retry"))
	assert.Equal(t, "3", w.Header().Get("Retry-After"))
}

// TestErrorsStay: a client that repeats a request does not get the next turn, but an error
// on which it gives up.
func TestErrorsStay(t *testing.T) {
	t.Parallel()
	for _, p := range Protocols {
		broken := says("")
		broken.Fault = json.RawMessage(`{"status":503,"message":"try later","final":true}`)
		s := New(Options{Turns: []Turn{broken, says("next")}})
		for _, want := range []int{503, 403, 403} {
			status, body := post(t, s, paths[p], conversations[p])
			assert.Equal(t, want, status, "%s", p)
			assert.Contains(t, body, "try later", "%s", p)
		}
		status, body := post(t, s, paths[p], strings.Replace(conversations[p], "again", "something else", 1))
		assert.Equal(t, 200, status, "%s", p)
		assert.Contains(t, body, "next", "%s", p)
		var again []bool
		for _, rec := range s.Log() {
			again = append(again, rec.Again)
		}
		assert.Equal(t, []bool{false, true, true, false}, again, "%s", p)
	}
}

// TestDropped: a dropped connection is logged too.
func TestDropped(t *testing.T) {
	t.Parallel()
	for _, p := range Protocols {
		s := New(Options{Turns: []Turn{says("never")}, Faults: []Fault{{Cut: true}}})
		url, stop, err := s.Start("127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(stop)
		_, err = http.Post(url+paths[p], "application/json", strings.NewReader(conversations[p])) //nolint:bodyclose // there is none
		require.ErrorIs(t, err, io.EOF, "%s", p)
		require.Len(t, s.Log(), 1)
		assert.True(t, s.Log()[0].Fault.Cut, "%s", p)
		assert.Equal(t, 1, s.Left(), "%s", p)
	}
}

// TestOtherRequests: requests that are not for a model, and keys.
func TestOtherRequests(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var seen []Request
	s := New(Options{Turns: []Turn{says("x")}, Key: "right", LogTo: &log, Seen: func(r Request) { seen = append(seen, r) }})
	claude := http.Header{"Anthropic-Version": {"2023-06-01"}, "X-Api-Key": {"right"}}
	right := http.Header{"Authorization": {"Bearer right"}}
	bearer := http.Header{"Authorization": {"Bearer wrong"}, "X-Api-Key": {""}}
	for _, tt := range []struct {
		method, path string
		header       http.Header
		status       int
		body         string
	}{
		{http.MethodHead, "/", nil, 200, ""},
		{http.MethodGet, "/v1/models", right, 200, `"object":"list"`},
		{http.MethodGet, "/v1/models", claude, 200, `"display_name":"fake-model"`},
		{http.MethodGet, "/v1/models/other", right, 200, `"id":"other"`},
		{http.MethodGet, "/v1/models", nil, 401, "invalid_api_key"},
		{http.MethodGet, "/v1/messages", claude, 405, "GET is not POST"},
		{http.MethodPost, "/v1/other", nil, 404, "does not know POST /v1/other"},
		{http.MethodConnect, "/", nil, 404, ""},
		{http.MethodPost, "/prefix/v1/messages", claude, 400, "reading the request"},
		{http.MethodPost, "/v1/messages", bearer, 401, "authentication_error"},
		{http.MethodPost, "/v1/responses", bearer, 401, "invalid_api_key"},
		{http.MethodPost, "/v1beta/models/m:generateContent?key=wrong", nil, 403, "unregistered"},
	} {
		status, body := request(t, s, tt.method, tt.path, "[]", tt.header)
		assert.Equal(t, tt.status, status, "%s %s: %s", tt.method, tt.path, body)
		assert.Contains(t, body, tt.body, "%s %s", tt.method, tt.path)
	}
	assert.Equal(t, 1, s.Left())
	require.Equal(t, s.Log(), seen)
	assert.Equal(t, len(seen), strings.Count(log.String(), "\n"))
	for _, secret := range []string{"right", "wrong"} {
		assert.NotContains(t, log.String(), secret)
	}
	assert.Equal(t, []string{"no API has POST /v1/other"}, seen[6].Problems)
}

// TestVariables: the variables that fake-api prints.
func TestVariables(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range Protocols {
		got = append(got, p.Variable("http://h"))
	}
	assert.Equal(t, []string{"ANTHROPIC_BASE_URL=http://h", "OPENAI_BASE_URL=http://h/v1", "OPENAI_BASE_URL=http://h/v1", "GOOGLE_GEMINI_BASE_URL=http://h"}, got)
}

package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/llm"
	"minigem/llm/gemini"
	"minigem/llm/script"
)

const key = "AIzaSecretSecretSecret"

// serve starts a fake API and returns options to reach it.
func serve(t *testing.T, o fakemodel.Options) (*fakemodel.Server, gemini.Options) {
	t.Helper()
	s := fakemodel.New(o)
	url, stop, err := s.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(stop)
	return s, gemini.Options{Auth: gemini.AuthAPIKey, APIKey: key, BaseURL: url, Version: "1.2.3", MaxAttempts: 1}
}

func chunk(text, finish string) llm.Chunk {
	return llm.Chunk{Parts: []llm.Part{llm.Text{Text: text}}, FinishReason: finish}
}

func ask(text string) llm.Request {
	return llm.Request{Model: "gemini-3-flash", Messages: []llm.Message{llm.UserText(text)}}
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

func asError(t *testing.T, err error) *llm.Error {
	t.Helper()
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	assert.NotContains(t, fmt.Sprintf("%v %+v %v", e, *e, e.Err), key, "the key must never be seen")
	assert.NotEmpty(t, e.Message)
	assert.NotRegexp(t, `\.$`, e.Message)
	return e
}

func ptr[T any](v T) *T { return &v }

var fullRequest = llm.Request{
	Model:  "gemini-3-flash",
	System: "be kind",
	Messages: []llm.Message{
		llm.UserText("old"), llm.ModelText("older"),
		{Role: llm.RoleUser, Parts: []llm.Part{
			llm.Text{Text: "hello <>"}, llm.Blob{MIMEType: "image/png", Data: []byte{1, 2}}, llm.FileRef{MIMEType: "text/plain", URI: "gs://x"},
			llm.Opaque{JSON: json.RawMessage(`{"hologram":{"depth":3}}`)},
		}},
		{Role: llm.RoleModel, Parts: []llm.Part{
			llm.Text{Signature: []byte("s0")},
			llm.ToolCall{ID: "glob__abc", Name: "glob", Args: map[string]any{"pattern": "*"}, Signature: llm.SkipSignature()},
			llm.ToolCall{ID: "glob__glob_1_2", Name: "glob"},
		}},
		{Role: llm.RoleUser, Parts: []llm.Part{
			llm.ToolResult{ID: "glob__abc", Name: "glob", Response: map[string]any{"output": "x"}, Parts: []llm.Part{llm.Blob{MIMEType: "image/png", Data: []byte{3}}}},
			llm.ToolResult{ID: "glob__glob_1_2", Name: "glob", Response: map[string]any{"error": "y"}},
		}},
	},
	Tools: []llm.ToolSpec{
		{Name: "glob", Description: "finds", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","maximum":1048576}}}`)},
		{Name: "noargs", Description: "does"},
	},
	Choice: llm.ToolChoice{Mode: llm.ToolModeAny, Allowed: []string{"glob"}},
	Sampling: llm.Sampling{
		Temperature: ptr(1.0), TopP: ptr(0.95), TopK: ptr(64.0), MaxOutputTokens: ptr(100), StopSequences: []string{"END"},
		Thinking: &llm.Thinking{IncludeThoughts: true, Budget: ptr(0), Level: "HIGH"}, JSONSchema: json.RawMessage(`{"type":"string"}`),
	},
	Builtins: llm.Builtins{GoogleSearch: true, URLContext: true},
}

var fullChunks = []llm.Chunk{
	{Parts: []llm.Part{llm.Thought{Text: "**Plan** think", Signature: []byte{0xfb, 0xff}}, llm.Text{Text: "a <b>"}}, ModelVersion: "gemini-3-flash-001", ResponseID: "r1"},
	{Parts: []llm.Part{
		llm.ToolCall{ID: "c1", Name: "glob", Args: map[string]any{"pattern": "*", "n": 2.5}, Signature: []byte("sig")}, llm.ToolCall{Name: "noargs"},
		llm.Blob{MIMEType: "image/png", Data: []byte{9}, Signature: []byte("b")}, llm.FileRef{MIMEType: "text/plain", URI: "gs://y"},
		llm.Opaque{JSON: json.RawMessage(`{"executableCode":{"code":"1+1","language":"PYTHON"}}`)},
	}},
	{
		Parts: []llm.Part{llm.Text{Text: "", Signature: []byte("end")}}, FinishReason: "STOP",
		SafetyRatings: []llm.SafetyRating{{Category: "HARM_CATEGORY_HARASSMENT", Probability: "LOW", Blocked: true}},
		Usage:         &llm.Usage{Prompt: 1, Candidates: 2, Total: 21, Cached: 3, Thoughts: 4, ToolUse: 5},
		Grounding:     json.RawMessage(`{"groundingChunks":[{"web":{"title":"t","uri":"https://e"}}],"webSearchQueries":["q"]}`),
		URLContext:    json.RawMessage(`{"urlMetadata":[{"retrievedUrl":"https://e","urlRetrievalStatus":"URL_RETRIEVAL_STATUS_SUCCESS"}]}`),
	},
}

func TestStreamCarriesEverythingBothWays(t *testing.T) {
	t.Parallel()
	s, o := serve(t, fakemodel.Options{Entries: []script.Entry{script.Streamed(fullChunks...)}, Strict: true, Key: key})
	chunks, err := collect(gemini.New(o).Stream(t.Context(), fullRequest))
	require.NoError(t, err)
	assert.Equal(t, fullChunks, chunks)

	log := s.Log()
	require.Len(t, log, 1)
	assert.Equal(t, "/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse", log[0].Path)
	want, err := json.Marshal(fullRequest)
	require.NoError(t, err)
	assert.JSONEq(t, string(want), string(log[0].Body), "the body is the one that llm writes")
	assert.Equal(t, fullRequest.Tools, log[0].Parsed.Tools, "a schema keeps the order of its properties")
	assert.Regexp(t, `^GeminiCLI-minigem/1\.2\.3/gemini-3-flash \(\w+; \w+; terminal\)$`, log[0].Header.Get("User-Agent"))
}

func TestGenerateAndCount(t *testing.T) {
	t.Parallel()
	whole := fullChunks[2]
	s, o := serve(t, fakemodel.Options{Entries: []script.Entry{script.Answered(whole), script.Counted(42)}, Strict: true})
	c := gemini.New(o)
	got, err := c.Generate(t.Context(), fullRequest)
	require.NoError(t, err)
	assert.Equal(t, whole, got)
	n, err := c.CountTokens(t.Context(), fullRequest)
	require.NoError(t, err)
	assert.Equal(t, 42, n)

	log := s.Log()
	require.Len(t, log, 2)
	assert.Equal(t, "/v1beta/models/gemini-3-flash:generateContent", log[0].Path)
	assert.Equal(t, "/v1beta/models/gemini-3-flash:countTokens", log[1].Path)
	assert.Equal(t, log[0].Parsed, log[1].Parsed, "instructions and tools count too")
	var body struct {
		Request struct{ Model string } `json:"generateContentRequest"`
	}
	require.NoError(t, json.Unmarshal(log[1].Body, &body))
	assert.Equal(t, "models/gemini-3-flash", body.Request.Model)
	assert.Equal(t, log[0].Addr, log[1].Addr, "the connection is used again")
}

func TestConnectionIsKeptAcrossStreams(t *testing.T) {
	t.Parallel()
	e := script.Streamed(chunk("a", ""), chunk("b", "STOP"))
	s, o := serve(t, fakemodel.Options{Entries: []script.Entry{e, e, e}})
	c := gemini.New(o)
	for range 3 {
		_, err := collect(c.Stream(t.Context(), ask("x")))
		require.NoError(t, err)
	}
	log := s.Log()
	require.Len(t, log, 3)
	assert.Equal(t, log[0].Addr, log[1].Addr)
	assert.Equal(t, log[0].Addr, log[2].Addr)
}

func TestPromptRefused(t *testing.T) {
	t.Parallel()
	_, o := serve(t, fakemodel.Options{Entries: []script.Entry{script.Streamed(llm.Chunk{BlockReason: "SAFETY"}), script.Streamed()}})
	c := gemini.New(o)
	chunks, err := collect(c.Stream(t.Context(), ask("x")))
	require.NoError(t, err)
	assert.Equal(t, []llm.Chunk{{BlockReason: "SAFETY"}}, chunks)

	chunks, err = collect(c.Stream(t.Context(), ask("x")))
	require.NoError(t, err, "an answer of nothing is for the agent to judge")
	assert.Empty(t, chunks)
}

func TestConsumerMayLeave(t *testing.T) {
	t.Parallel()
	e := script.Streamed(chunk("a", ""), chunk("b", "STOP"))
	_, o := serve(t, fakemodel.Options{Entries: []script.Entry{e}, Faults: []fakemodel.Fault{{After: 1, Silent: true}}})
	for c, err := range gemini.New(o).Stream(t.Context(), ask("x")) {
		require.NoError(t, err)
		assert.Equal(t, "a", c.Text())
		break
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	e := script.Streamed(chunk("a", ""), chunk("b", "STOP"))
	tests := []struct {
		name  string
		fault fakemodel.Fault
		want  []llm.Chunk
	}{
		{"before the answer", fakemodel.Fault{Silent: true}, nil},
		{"in the middle of it", fakemodel.Fault{After: 1, Silent: true}, []llm.Chunk{chunk("a", "")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, o := serve(t, fakemodel.Options{Entries: []script.Entry{e}, Faults: []fakemodel.Fault{tt.fault}})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.want == nil {
				time.AfterFunc(50*time.Millisecond, cancel)
			}
			chunks, err := collect(func(yield func(llm.Chunk, error) bool) {
				for c, err := range gemini.New(o).Stream(ctx, ask("x")) {
					if yield(c, err); err == nil {
						cancel()
					}
				}
			})
			assert.Equal(t, context.Canceled, err)
			assert.Equal(t, tt.want, chunks)
		})
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		o    gemini.Options
		want map[string]string // "" means absent
	}{
		{"key", gemini.Options{Auth: gemini.AuthAPIKey, APIKey: key}, map[string]string{"X-Goog-Api-Key": key, "Authorization": ""}},
		{"bearer", gemini.Options{Auth: gemini.AuthAPIKey, APIKey: key, Bearer: true}, map[string]string{"X-Goog-Api-Key": key, "Authorization": "Bearer " + key}},
		{"gateway without a key", gemini.Options{Auth: gemini.AuthGateway}, map[string]string{"X-Goog-Api-Key": "", "Authorization": ""}},
		{"gateway with a key", gemini.Options{Auth: gemini.AuthGateway, APIKey: key}, map[string]string{"X-Goog-Api-Key": key}},
		{"one's own", gemini.Options{Auth: gemini.AuthGateway, Headers: http.Header{"X-Team": {"a"}, "User-Agent": {"me"}}}, map[string]string{"X-Team": "a", "User-Agent": "me"}},
		{"Vertex AI with a key", gemini.Options{Auth: gemini.AuthVertex, APIKey: key}, map[string]string{"X-Goog-Api-Key": key, "Authorization": ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got *http.Request
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r
				fmt.Fprint(w, `{"candidates":[]}`)
			}))
			t.Cleanup(server.Close)
			tt.o.BaseURL = server.URL
			_, err := gemini.New(tt.o).Generate(t.Context(), ask("x"))
			require.NoError(t, err)
			assert.NotContains(t, got.URL.String(), key)
			for name, want := range tt.want {
				assert.Equal(t, want, got.Header.Get(name), name)
			}
		})
	}
}

func TestVertexPaths(t *testing.T) {
	t.Parallel()
	s, o := serve(t, fakemodel.Options{Entries: []script.Entry{script.Streamed(chunk("a", "STOP")), script.Counted(3)}, Strict: true})
	o.Auth = gemini.AuthVertex
	c := gemini.New(o)
	chunks, err := collect(c.Stream(t.Context(), fullRequest))
	require.NoError(t, err)
	assert.Equal(t, []llm.Chunk{chunk("a", "STOP")}, chunks)
	n, err := c.CountTokens(t.Context(), fullRequest)
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	log := s.Log()
	assert.Equal(t, "/v1beta1/publishers/google/models/gemini-3-flash:streamGenerateContent?alt=sse", log[0].Path)
	assert.Equal(t, "/v1beta1/publishers/google/models/gemini-3-flash:countTokens", log[1].Path)
	assert.Equal(t, log[0].Parsed, log[1].Parsed)
}

func TestAPIVersion(t *testing.T) {
	t.Parallel()
	s, o := serve(t, fakemodel.Options{Entries: []script.Entry{script.Answered(chunk("a", "STOP"))}})
	o.APIVersion = "v1alpha"
	_, err := gemini.New(o).Generate(t.Context(), ask("x"))
	require.NoError(t, err)
	assert.Equal(t, "/v1alpha/models/gemini-3-flash:generateContent", s.Log()[0].Path)
}

func TestRequestsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	_, o := serve(t, fakemodel.Options{})
	c := gemini.New(o)
	_, err := collect(c.Stream(t.Context(), llm.Request{Model: "a/../b", Messages: ask("x").Messages}))
	assert.Equal(t, llm.ErrInvalid, asError(t, err).Kind)
	bad := ask("x")
	bad.Messages = append(bad.Messages, llm.Message{Role: llm.RoleModel, Parts: []llm.Part{llm.ToolCall{Name: "x", Args: map[string]any{"f": func() {}}}}})
	_, err = collect(c.Stream(t.Context(), bad))
	assert.Equal(t, "the request cannot be written as JSON", asError(t, err).Message)
	_, err = c.CountTokens(t.Context(), bad)
	assert.Equal(t, llm.ErrInvalid, asError(t, err).Kind)
}

func TestSecondClientCallAfterAFailedSetup(t *testing.T) {
	t.Parallel()
	c := gemini.New(gemini.Options{})
	for range 2 {
		_, err := collect(c.Stream(t.Context(), ask("x")))
		assert.Equal(t, "no way of signing in to Gemini is configured", asError(t, err).Message)
	}
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	var entries []script.Entry
	for range 8 {
		entries = append(entries, script.Streamed(chunk("a", ""), chunk("b", "STOP")))
	}
	_, o := serve(t, fakemodel.Options{Entries: entries})
	c := gemini.New(o)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			chunks, err := collect(c.Stream(t.Context(), ask("x")))
			assert.NoError(t, err)
			assert.Len(t, chunks, 2)
		})
	}
	wg.Wait()
}

func TestStandardErrorsAreWrapped(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	o := gemini.Options{Auth: gemini.AuthAPIKey, APIKey: key, MaxAttempts: 1, Transport: failing{boom}}
	_, err := gemini.New(o).Generate(t.Context(), ask("x"))
	assert.ErrorIs(t, err, boom)
	assert.Equal(t, "the Gemini API cannot be reached: boom", asError(t, err).Message)
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

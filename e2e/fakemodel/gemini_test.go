package fakemodel

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
	"minigem/llm"
	"minigem/llm/script"
)

const (
	streamPath = "/v1beta/models/m:streamGenerateContent?alt=sse"
	wholePath  = "/v1beta/models/m:generateContent"
	countPath  = "/v1beta/models/m:countTokens"
	hello      = `{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}`
)

func geminiText(s, finish string) llm.Chunk {
	return llm.Chunk{Parts: []llm.Part{llm.Text{Text: s}}, FinishReason: finish}
}

// postGemini calls h without a network. Faults that drop the connection panic.
func postGemini(h http.Handler, path, body string, headers ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	h.ServeHTTP(w, r)
	return w
}

// geminiSaid returns the status and message of an error response.
func geminiSaid(t *testing.T, w *httptest.ResponseRecorder) (status, message string) {
	t.Helper()
	var body struct {
		Error struct {
			Code            int
			Status, Message string
		}
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body), w.Body.String())
	assert.Equal(t, w.Code, body.Error.Code)
	return body.Error.Status, body.Error.Message
}

func TestGeminiAnswers(t *testing.T) {
	t.Parallel()
	s := New(Options{Entries: []script.Entry{
		script.Streamed(geminiText("a", ""), geminiText("b", "STOP")), script.Answered(geminiText("c", "STOP")), script.Counted(7),
	}})
	w := postGemini(s, streamPath, hello)
	assert.Equal(t, "text/event-stream; charset=utf-8", w.Header().Get("Content-Type"))
	assert.Equal(t, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}],\"role\":\"model\"},\"index\":0}]}\r\n\r\n"+
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0}]}\r\n\r\n", w.Body.String())

	w = postGemini(s, "/v1beta1/projects/p/locations/l/publishers/google/models/m:generateContent", hello)
	assert.JSONEq(t, `{"candidates":[{"content":{"parts":[{"text":"c"}],"role":"model"},"finishReason":"STOP","index":0}]}`, w.Body.String())
	w = postGemini(s, countPath, `{"generateContentRequest":`+hello+`}`)
	assert.JSONEq(t, `{"totalTokens":7}`, w.Body.String())
	assert.Zero(t, s.Left())

	w = postGemini(s, streamPath, hello)
	status, message := geminiSaid(t, w)
	assert.Equal(t, "INVALID_ARGUMENT", status)
	assert.Contains(t, message, "fake model: request 4 (generateContentStream) has no answer left in the script (answers used: 3)")

	for _, r := range s.Log() {
		assert.Equal(t, []llm.Message{llm.UserText("hello")}, r.Parsed.Messages)
		assert.Equal(t, "m", r.Parsed.Model)
	}
}

func TestGeminiRefusals(t *testing.T) {
	t.Parallel()
	const invalid = `{"contents":[{"role":"model","parts":[]}]}`
	tests := []struct {
		name, path, body, key string
		code                  int
		message               string
	}{
		{"no key", wholePath, hello, "", 403, "unregistered callers"},
		{"a wrong key", wholePath, hello, "wrong", 400, "API key not valid"},
		{"no such method", "/v1beta/models/m:embedContent", hello, "good", 404, "the fake model does not know POST"},
		{"no such path", "/v1beta/files", hello, "good", 404, "the fake model does not know POST"},
		{"no SSE", "/v1beta/models/m:streamGenerateContent", hello, "good", 400, "alt=sse"},
		{"no JSON", wholePath, "hello", "good", 400, "not JSON"},
		{"not a request", wholePath, `{"contents":7}`, "good", 400, "reading request"},
		{"not valid", wholePath, invalid, "good", 400, "contents[0]: a conversation starts with the user; contents[0]: a request ends with the user; contents[0]: no parts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := New(Options{Entries: []script.Entry{script.Answered(geminiText("a", "STOP"))}, Strict: true, Key: "good"})
			w := postGemini(s, tt.path, tt.body, "x-goog-api-key", tt.key)
			assert.Equal(t, tt.code, w.Code)
			_, message := geminiSaid(t, w)
			assert.Contains(t, message, tt.message)
			assert.Equal(t, 1, s.Left(), "a refused request uses no answer up")
			assert.Equal(t, tt.code, s.Log()[0].Status)
		})
	}
	s := New(Options{Entries: []script.Entry{script.Answered(geminiText("a", "STOP"))}})
	assert.Equal(t, http.StatusOK, postGemini(s, wholePath, invalid).Code, "only a strict server refuses")
	assert.Len(t, s.Log()[0].Problems, 3, "but each one says what is wrong")
}

func TestGeminiBearerKey(t *testing.T) {
	t.Parallel()
	s := New(Options{Entries: []script.Entry{script.Counted(1)}, Key: "good"})
	assert.Equal(t, http.StatusOK, postGemini(s, countPath, hello, "Authorization", "Bearer good").Code)
}

func TestGeminiGetIsRefused(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	New(Options{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, countPath, strings.NewReader("{}")))
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
}

func TestServedSignaturesHaveToComeBack(t *testing.T) {
	t.Parallel()
	s := New(Options{Strict: true, Entries: []script.Entry{
		script.Streamed(llm.Chunk{Parts: []llm.Part{llm.ToolCall{Name: "x", Signature: []byte("sig")}}, FinishReason: "STOP"}),
		script.Streamed(geminiText("done", "STOP")),
	}})
	require.Equal(t, http.StatusOK, postGemini(s, streamPath, hello).Code)
	next := func(sig string) string {
		return `{"contents":[{"role":"user","parts":[{"text":"hello"}]},{"role":"model","parts":[{"functionCall":{"name":"x","args":{}}` + sig +
			`}]},{"role":"user","parts":[{"functionResponse":{"name":"x","response":{"output":"y"}}}]}]}`
	}
	_, message := geminiSaid(t, postGemini(s, streamPath, next("")))
	assert.Equal(t, "contents[1]: function call x: not the thoughtSignature that it was given", message)
	assert.Equal(t, http.StatusOK, postGemini(s, streamPath, next(`,"thoughtSignature":"c2ln"`)).Code)
}

func TestFaultsOfTheList(t *testing.T) {
	t.Parallel()
	s := New(Options{
		Entries: []script.Entry{script.Streamed(geminiText("a", ""), geminiText("b", "STOP"))},
		Faults: []Fault{
			{Request: 1, Status: 429, RetryDelay: 1500 * time.Millisecond, PerDay: true, Reason: "R"},
			{Request: 2, After: 1, Garbage: true},
			{Request: 3, After: 1, Status: 503, Message: "Busy"},
			{Request: 4, ChunkDelay: time.Microsecond},
		},
	})
	w := postGemini(s, streamPath, hello)
	assert.JSONEq(t, `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Too Many Requests (a fault that was asked for).","details":[
		{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"googleapis.com"},
		{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel"}]},
		{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"}]}}`, w.Body.String())
	assert.Contains(t, postGemini(s, streamPath, hello).Body.String(), "data: {\"type\": \"content_block\r\n\r\n")
	assert.Contains(t, postGemini(s, streamPath, hello).Body.String(), `data: {"error":{"code":503,"message":"Busy","status":"UNAVAILABLE"}}`)
	assert.Equal(t, 1, s.Left(), "none of these had the whole answer")
	assert.Contains(t, postGemini(s, streamPath, hello).Body.String(), `"finishReason":"STOP"`)
	assert.Zero(t, s.Left())
	assert.Equal(t, 429, s.Log()[0].Fault.Status)
}

func TestFaultsOfTheScript(t *testing.T) {
	t.Parallel()
	entries, err := script.Parse("f", strings.NewReader(`{"method":"generateContentStream","fault":{"status":503}}
{"method":"generateContentStream","response":[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},{}],"fault":{"after":1,"cut":true}}
{"method":"generateContentStream","fault":{"retryDelay":"soon"}}
{"method":"generateContentStream","response":[]}`))
	require.NoError(t, err)
	s := New(Options{Entries: entries})
	assert.Equal(t, http.StatusServiceUnavailable, postGemini(s, streamPath, hello).Code)
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { postGemini(s, streamPath, hello) })
	_, message := geminiSaid(t, postGemini(s, streamPath, hello))
	assert.Contains(t, message, "f:3: reading fault: retryDelay: ")
	assert.Equal(t, http.StatusOK, postGemini(s, streamPath, hello).Code)

	var places []string
	for _, r := range s.Log() {
		places = append(places, r.Answer)
	}
	assert.Equal(t, []string{"f:1", "f:2", "f:3", "f:4"}, places)
}

func TestSilenceLastsUntilTheClientLeaves(t *testing.T) {
	t.Parallel()
	s := New(Options{Entries: []script.Entry{script.Counted(1)}, Faults: []Fault{{Silent: true}}})
	url, stop, err := s.Start("127.0.0.1:0")
	require.NoError(t, err)
	defer stop()
	client := &http.Client{Timeout: 50 * time.Millisecond}
	_, err = client.Post(url+countPath, "application/json", strings.NewReader(hello))
	assert.ErrorContains(t, err, "Client.Timeout")
	waittest.Until(t, func() bool { return len(s.Log()) == 1 }, "and then it is in the log")
	assert.Zero(t, s.Log()[0].Status)
}

func TestSlowness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := script.Streamed(geminiText("a", ""), geminiText("b", "STOP"))
		s := New(Options{Entries: []script.Entry{e, script.Answered(geminiText("c", "STOP"))}, Faults: []Fault{{ChunkDelay: time.Minute}}})
		start := time.Now()
		postGemini(s, streamPath, hello)
		assert.Equal(t, 2*time.Minute, time.Since(start))
		postGemini(s, wholePath, hello)
		assert.Equal(t, 3*time.Minute, time.Since(start))
	})
}

func TestLogIsWrittenWithoutSecrets(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := New(Options{Entries: []script.Entry{script.Counted(1)}, LogTo: &out, NonStrict: true})
	postGemini(s, countPath, hello, "x-goog-api-key", "sesame", "Authorization", "Bearer sesame", "X-Other", "o")
	postGemini(s, countPath, "not JSON")
	assert.NotContains(t, out.String(), "sesame")

	var lines []Request
	for dec := json.NewDecoder(&out); ; {
		var r Request
		err := dec.Decode(&r)
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		lines = append(lines, r)
	}
	require.Len(t, lines, 2)
	assert.Equal(t, "***", lines[0].Header.Get("X-Goog-Api-Key"))
	assert.Equal(t, "o", lines[0].Header.Get("X-Other"))
	assert.JSONEq(t, hello, string(lines[0].Body))
	assert.JSONEq(t, `"not JSON"`, string(lines[1].Body))
	assert.Equal(t, Gemini, lines[0].Protocol)
}

func TestFaultJSON(t *testing.T) {
	t.Parallel()
	f := Fault{Request: 1, After: 2, Status: 429, Cut: true, Garbage: true, Silent: true, Message: "m", Reason: "r",
		RetryDelay: 2 * time.Second, PerDay: true, ChunkDelay: 10 * time.Millisecond}
	data, err := json.Marshal(f)
	require.NoError(t, err)
	assert.JSONEq(t, `{"request":1,"after":2,"status":429,"cut":true,"garbage":true,"silent":true,"message":"m","reason":"r","retryDelay":"2s","perDay":true,"chunkDelay":"10ms"}`, string(data))
	var back Fault
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, f, back)
	assert.ErrorContains(t, json.Unmarshal([]byte(`{"status":"x"}`), &back), "reading fault: ")
}

func TestStartOnAnAddressThatIsTaken(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	url, stop, err := s.Start("127.0.0.1:0")
	require.NoError(t, err)
	defer stop()
	_, _, err = s.Start(strings.TrimPrefix(url, "http://"))
	assert.ErrorContains(t, err, "listening for the fake model: ")
}

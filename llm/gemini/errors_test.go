package gemini_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/llm"
	"minigem/llm/gemini"
	"minigem/llm/script"
)

func TestErrorsOfTheAPI(t *testing.T) {
	t.Parallel()
	type fault = fakemodel.Fault
	tests := []struct {
		name    string
		fault   fault
		kind    llm.ErrorKind
		message string
		hint    string
		after   time.Duration
	}{
		{"bad key", fault{Status: 400, Reason: "API_KEY_INVALID", Message: "API key not valid: " + key + "."}, llm.ErrAuth, "the API key is not valid: API key not valid: [REDACTED]", "GEMINI_API_KEY", 0},
		{"expired", fault{Status: 400, Message: "API key expired."}, llm.ErrAuth, "the API key is not valid: API key expired", "GEMINI_API_KEY", 0},
		{"no credentials", fault{Status: 401, Message: "Login!"}, llm.ErrAuth, "the credentials were refused: Login!", "gcloud auth", 0},
		{"no right", fault{Status: 403, Message: "Denied."}, llm.ErrAuth, "access to gemini-3-flash was denied: Denied", "may use", 0},
		{"no model", fault{Status: 404, Message: "Not found"}, llm.ErrNotFound, "there is no model gemini-3-flash: Not found", "--model", 0},
		{"per day", fault{Status: 429, PerDay: true, RetryDelay: 7 * time.Second, Message: "Quota"}, llm.ErrQuota, "the quota of gemini-3-flash for today is used up: Quota", "tomorrow", 7 * time.Second},
		{"too fast", fault{Status: 429, RetryDelay: 1500 * time.Millisecond, Message: "Slow\n  down"}, llm.ErrRateLimit, "too many requests for gemini-3-flash: Slow down", "wait 2s", 1500 * time.Millisecond},
		{"too fast, no delay", fault{Status: 429, Message: "Slow"}, llm.ErrRateLimit, "too many requests for gemini-3-flash: Slow", "wait a moment", 0},
		{"given up", fault{Status: 499, Message: "Gone"}, llm.ErrOverloaded, "the server of gemini-3-flash has trouble (499: Gone)", "try again", 0},
		{"internal", fault{Status: 500, Message: "Oops"}, llm.ErrOverloaded, "the server of gemini-3-flash has trouble (500: Oops)", "try again", 0},
		{"overloaded", fault{Status: 503, Message: "Busy"}, llm.ErrOverloaded, "the server of gemini-3-flash has trouble (503: Busy)", "try again", 0},
		{"bad request", fault{Status: 400, Message: "Bad"}, llm.ErrInvalid, "the request was refused (400: Bad)", "hook", 0},
		{"too long", fault{Status: 400, Message: "The input token count (9) exceeds the maximum"}, llm.ErrInvalid, "the request was refused (400: The input token count (9) exceeds the maximum)", "/compress", 0},
		{"wrong country", fault{Status: 400, Message: "User location is not supported"}, llm.ErrInvalid, "the request was refused (400: User location is not supported)", "Vertex", 0},
		{"elsewhere", fault{Status: 302}, llm.ErrInvalid, "the server redirects to another address (302)", "GOOGLE_GEMINI_BASE_URL", 0},
		{"long-winded", fault{Status: 400, Message: strings.Repeat("é", 400)}, llm.ErrInvalid, "the request was refused (400: " + strings.Repeat("é", 150) + "...)", "hook", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, o := serve(t, fakemodel.Options{Entries: []script.Entry{script.Streamed(chunk("a", "STOP"))}, Faults: []fault{tt.fault}})
			c := gemini.New(o)
			_, err := collect(c.Stream(t.Context(), ask("x")))
			e := asError(t, err)
			assert.Equal(t, llm.Error{Kind: tt.kind, Status: tt.fault.Status, Message: tt.message, Hint: e.Hint, RetryAfter: tt.after, Err: e.Err}, *e)
			assert.Contains(t, e.Hint, tt.hint)

			_, err = c.Generate(t.Context(), ask("x"))
			assert.Equal(t, tt.message, asError(t, err).Message, "generateContent says the same")
			_, err = c.CountTokens(t.Context(), ask("x"))
			assert.Equal(t, tt.message, asError(t, err).Message, "countTokens says the same")
		})
	}
}

func TestErrorsOfTheStream(t *testing.T) {
	t.Parallel()
	type fault = fakemodel.Fault
	e := script.Streamed(chunk("a", ""), chunk("b", "STOP"))
	tests := []struct {
		name    string
		fault   fault
		chunks  int
		kind    llm.ErrorKind
		status  int
		opened  bool
		message string
	}{
		// after the first chunk
		{"cut", fault{After: 1, Cut: true}, 1, llm.ErrStream, 200, true, "the answer broke off"},
		{"garbage", fault{After: 1, Garbage: true}, 1, llm.ErrStream, 200, true, `the answer cannot be read: the server sent "{\"type\": \"content_block"`},
		{"silence", fault{After: 1, Silent: true}, 1, llm.ErrStream, 0, true, "the server of gemini-3-flash said nothing for 2s"},
		{"an error as an event", fault{After: 1, Status: 503, Message: "Busy"}, 1, llm.ErrStream, 503, true, "the server of gemini-3-flash has trouble (503: Busy)"},
		{"one that will come again", fault{After: 1, Status: 400, Message: "Bad"}, 1, llm.ErrInvalid, 400, true, "the request was refused (400: Bad)"},
		// instead of it
		{"cut before", fault{Cut: true}, 0, llm.ErrOffline, 0, false, "the Gemini API cannot be reached: EOF"},
		{"garbage at once", fault{Garbage: true}, 0, llm.ErrStream, 200, true, `the answer cannot be read: the server sent "{\"type\": \"content_block"`},
		{"silence before", fault{Silent: true}, 0, llm.ErrOffline, 0, false, "the server of gemini-3-flash said nothing for 100ms"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, o := serve(t, fakemodel.Options{Entries: []script.Entry{e}, Faults: []fault{tt.fault}})
			switch {
			case tt.fault.Silent && tt.chunks == 0:
				o.Silence = 100 * time.Millisecond
			case tt.fault.Silent: // on a busy machine too, the first chunk arrives before
				o.Silence = 2 * time.Second
			}
			chunks, err := collect(gemini.New(o).Stream(t.Context(), ask("x")))
			assert.Len(t, chunks, tt.chunks)
			got := asError(t, err)
			assert.Equal(t, llm.Error{Kind: tt.kind, Status: tt.status, Opened: tt.opened, Message: tt.message, Hint: got.Hint, Err: got.Err}, *got)
			assert.NotEmpty(t, got.Hint)
		})
	}
}

func TestErrorEventBeforeTheFirstChunkIsRetried(t *testing.T) {
	t.Parallel()
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls == 1 {
			fmt.Fprint(w, "data: {\"error\":{\"code\":503,\"message\":\"Busy\",\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"0.001s\"}]}}\n\n")
			return
		}
		fmt.Fprint(w, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]},\"finishReason\":\"STOP\"}]}\n\n")
	}))
	t.Cleanup(server.Close)
	chunks, err := collect(gemini.New(gemini.Options{Auth: gemini.AuthGateway, BaseURL: server.URL}).Stream(t.Context(), ask("x")))
	require.NoError(t, err)
	assert.Equal(t, []llm.Chunk{chunk("a", "STOP")}, chunks)
	assert.Equal(t, 2, calls)
}

func TestErrorsThatAreNotGoogles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body, message string
		status              int
	}{
		{"a proxy's page", "<html>Bad   gateway</html>", "the server of gemini-3-flash has trouble (502: <html>Bad gateway</html>)", 502},
		{"nothing", "", "the server of gemini-3-flash has trouble (503: Service Unavailable)", 503},
		{"an error without a code", `{"error":{"message":"hm"}}`, "the server of gemini-3-flash has trouble (500: hm)", 500},
		{"some other JSON", `{"fault":"x"}`, `the request was refused (418: {"fault":"x"})`, 418},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			}))
			t.Cleanup(server.Close)
			c := gemini.New(gemini.Options{Auth: gemini.AuthGateway, BaseURL: server.URL, MaxAttempts: 1})
			_, err := collect(c.Stream(t.Context(), ask("x")))
			assert.Equal(t, tt.message, asError(t, err).Message)
			assert.Equal(t, tt.status, asError(t, err).Status)
		})
	}
}

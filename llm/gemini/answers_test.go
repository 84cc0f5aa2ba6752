package gemini_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/llm/gemini"
)

// answering returns a client of a server that answers with body, in pieces of size
// bytes.
func answering(t testing.TB, status int, body string, size int) *gemini.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		for rest := body; rest != ""; {
			n := min(size, len(rest))
			_, _ = io.WriteString(w, rest[:n])
			w.(http.Flusher).Flush()
			rest = rest[n:]
		}
	}))
	t.Cleanup(s.Close)
	return gemini.New(gemini.Options{Auth: gemini.AuthAPIKey, APIKey: key, BaseURL: s.URL, MaxAttempts: 1})
}

func event(text string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[{"text":"` + text + `"}]}}]}`
}

// TestStreamsAsGatewaysSendThem checks that all forms of server-sent events that the
// standard allows are read, however they are split.
func TestStreamsAsGatewaysSendThem(t *testing.T) {
	t.Parallel()
	a, b := event("a"), event("b")
	for name, body := range map[string]string{
		"plain":               "data: " + a + "\n\ndata: " + b + "\n\n",
		"no space":            "data:" + a + "\n\ndata:" + b + "\n\n",
		"comments":            ": hello\n\ndata: " + a + "\n: keep-alive\n\n:\n\ndata: " + b + "\n\n: bye\n",
		"fields":              "event: message\nid: 7\nretry: 1000\ndata: " + a + "\n\nid\nevent:x\ndata: " + b + "\n\n",
		"unknown field":       "trace: 7\ndata: " + a + "\n\nx-y\ndata: " + b + "\n\n",
		"DONE":                "data: " + a + "\n\ndata: " + b + "\n\ndata: [DONE]\n\ndata: " + a + "\n\n",
		"byte order mark":     "\xef\xbb\xbfdata: " + a + "\n\ndata: " + b + "\n\n",
		"CRLF":                "data: " + a + "\r\n\r\ndata: " + b + "\r\n\r\n",
		"CR":                  "data: " + a + "\r\rdata: " + b + "\r\r",
		"several data lines":  "data: {\ndata: \"candidates\":\ndata:  [" + strings.TrimSuffix(strings.TrimPrefix(a, `{"candidates":[`), "]}") + "\ndata\ndata: ]}\n\ndata: " + b + "\n\n",
		"no empty line":       "data: " + a + "\n\ndata: " + b,
		"many empty lines":    "\n\n\ndata: " + a + "\n\n\n\ndata: " + b + "\n\n\n",
		"empty data":          "data:\n\ndata: " + a + "\n\ndata: \n\ndata: " + b + "\n\n",
		"comments that split": "data: " + a + "\n\n:" + strings.Repeat("x", 70_000) + "\ndata: " + b + "\n\n",
	} {
		for _, size := range []int{1, 2, 7, 1 << 20} {
			if size < 7 && len(body) > 10_000 {
				continue
			}
			t.Run(fmt.Sprint(name, " in pieces of ", size), func(t *testing.T) {
				t.Parallel()
				chunks, err := collect(answering(t, 200, body, size).Stream(t.Context(), ask("x")))
				require.NoError(t, err)
				assert.Equal(t, []llm.Chunk{chunk("a", ""), chunk("b", "")}, chunks)
			})
		}
	}
}

// TestStreamsOfCommentsAlone checks that a stream with only keep-alive comments is an
// empty answer and not an error. The agent reports it.
func TestStreamsOfCommentsAlone(t *testing.T) {
	t.Parallel()
	for _, body := range []string{": keep-alive\n\n: keep-alive\n\n", ":\n", ": no end", "\xef\xbb\xbf:\n\n", ": a\n\nevent: ping\nid: 7\n\n: b\n\n", ": a\n\ndata: [DONE]\n\n", ":" + strings.Repeat("x", 70_000) + "\n\n"} {
		for _, size := range []int{1 << 20, 3} {
			if size == 3 && len(body) > 10_000 {
				continue
			}
			chunks, err := collect(answering(t, 200, body, size).Stream(t.Context(), ask("x")))
			require.NoError(t, err, "%.40q", body)
			assert.Empty(t, chunks, "%.40q", body)
		}
	}
}

// oddShapes are JSON in the API's form, with a wrong type somewhere.
func oddShapes() []string {
	odd := []string{"null", "5", "[]", "[5]", "[null]", "{}", `""`, `"x"`, "true", `[[]]`, `[{}]`, `{"":null}`}
	var all []string
	for _, form := range []string{
		"%s", `{"candidates":%s}`, `{"candidates":[{"content":%s}]}`, `{"candidates":[{"content":{"parts":%s}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":%s}]}}]}`, `{"candidates":[{"content":{"parts":[{"functionCall":%s}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":%s,"args":%[1]s}}]}}]}`, `{"candidates":[{"content":{"parts":[{"inlineData":%s}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"fileData":%s,"thought":%[1]s,"thoughtSignature":%[1]s}]}}]}`, `{"candidates":[{"finishReason":%s}]}`,
		`{"candidates":[{"citationMetadata":%s}]}`, `{"candidates":[{"citationMetadata":{"citationSources":%s}}]}`, `{"candidates":[{"safetyRatings":%s}]}`, `{"candidates":[{"groundingMetadata":%s}]}`,
		`{"candidates":[{"urlContextMetadata":%s}]}`, `{"candidates":[{"index":%s}]}`, `{"candidates":[{"tokenCount":%s,"avgLogprobs":%[1]s,"logprobsResult":%[1]s}]}`,
		`{"usageMetadata":%s}`, `{"usageMetadata":{"promptTokenCount":%s}}`, `{"usageMetadata":{"promptTokensDetails":%s}}`,
		`{"promptFeedback":%s}`, `{"promptFeedback":{"blockReason":%s}}`, `{"modelVersion":%s}`, `{"responseId":%s}`, `{"createTime":%s}`,
		`{"error":%s}`, `{"error":{"code":%s}}`, `{"error":{"details":%s}}`, `{"totalTokens":%s}`, `{"sdkHttpResponse":%s}`, `{"modelStatus":%s}`,
	} {
		for _, value := range odd {
			all = append(all, fmt.Sprintf(form, value))
		}
	}
	return all
}

// TestOddShapesEndNothing checks that any JSON, in a stream, whole or as a count,
// yields an answer or an error that says what was sent.
func TestOddShapesEndNothing(t *testing.T) {
	t.Parallel()
	unread := 0
	for _, body := range oddShapes() {
		check := func(err error) {
			if err == nil {
				return
			}
			e := asError(t, err)
			if e.Kind == llm.ErrStream {
				unread++
				assert.Contains(t, e.Message, "the answer cannot be read: the server sent ", body)
			}
		}
		_, err := collect(answering(t, 200, "data: "+body+"\n\n", 1<<20).Stream(t.Context(), ask("x")))
		check(err)
		for _, status := range []int{200, 500} {
			c := answering(t, status, body, 1<<20)
			_, err = c.Generate(t.Context(), ask("x"))
			check(err)
			_, err = c.CountTokens(t.Context(), ask("x"))
			check(err)
		}
	}
	assert.Greater(t, unread, 100, "most of these cannot be read")
}

// TestUnreadableIsNamedAsItCame checks that the error quotes the answer, cleaned and
// shortened.
func TestUnreadableIsNamedAsItCame(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 5000)
	for body, want := range map[string]string{
		"<!DOCTYPE html>\n<html>\x1b[2J</html>":                            `the server sent "<!DOCTYPE html>"`,
		"upstream \x1b[2Jerror: gone\n\n":                                  `the server sent "upstream \x1b[2Jerror: gone"`,
		"Error: no healthy upstream":                                       `the server sent "Error: no healthy upstream"`,
		"data: {\"candidates\": [\n\n":                                     `the server sent "{\"candidates\": ["`,
		"data: nonsense \u202e\n\n":                                        `the server sent "nonsense \u202e"`,
		"[" + event("a") + ",\n" + event("b"):                              `the server sent "[{\"candidates\"`,
		`data: {"candidates":[5]}` + "\n\n":                                `the server sent "{\"candidates\":[5]}"`,
		`data: {"a":` + deep + strings.Repeat("]", 5000) + "}\n\n":         "the server sent objects and lists nested more than 200 deep",
		`data: {"a":[1` + strings.Repeat(",1", 200_000) + "]}\n\n":         "the server sent more than 100000 values at once",
		`data: {"candidates":[],"a":"` + strings.Repeat("x", 9<<20) + `"}`: "the server sent an event of more than 8 MiB",
		strings.Repeat("x", 9<<20):                                         "the server sent an event of more than 8 MiB",
		"data: " + key + "\n\n":                                            `the server sent "[REDACTED]"`,
	} {
		_, err := collect(answering(t, 200, body, 1<<20).Stream(t.Context(), ask("x")))
		e := asError(t, err)
		assert.Equal(t, llm.ErrStream, e.Kind)
		assert.Contains(t, e.Message, "the answer cannot be read: "+want)
		assert.Less(t, len(e.Message), 400)
	}
	_, err := answering(t, 200, strings.Repeat(" ", 9<<20), 1<<20).Generate(t.Context(), ask("x"))
	assert.ErrorContains(t, err, "the server sent an answer of more than 8 MiB")
}

// TestAPanicOfTheConsumerIsNotCaught checks this because such a panic is a bug of the
// program, not a fault of the answer.
func TestAPanicOfTheConsumerIsNotCaught(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "data: "+event("a")+"\n\n", 1<<20)
	assert.PanicsWithValue(t, "mine", func() {
		for range c.Stream(t.Context(), ask("x")) {
			panic("mine")
		}
	})
}

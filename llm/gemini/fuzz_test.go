package gemini_test

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	"minigem/llm"
	"minigem/llm/gemini"
)

// FuzzAnswers checks that any answer of a server, in a stream or whole, yields chunks
// or one of the client's errors.
func FuzzAnswers(f *testing.F) {
	log.SetOutput(io.Discard) // genai logs remarks about its input
	for _, body := range oddShapes() {
		f.Add([]byte("data: "+body+"\n\n"), 200)
		f.Add([]byte(body), 200)
	}
	f.Add([]byte("\xef\xbb\xbf: c\r\nevent: x\rdata: "+event("a")+"\n\ndata: [DONE]\n\n"), 200)
	f.Add([]byte(`{"error":{"code":429,"message":"m","details":[{"@type":"x.RetryInfo","retryDelay":"7s"},{"@type":"x.QuotaFailure","violations":[{"quotaId":"PerDay"}]}]}}`), 429)
	var body []byte
	var status int
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	f.Cleanup(s.Close)
	c := gemini.New(gemini.Options{Auth: gemini.AuthAPIKey, APIKey: key, BaseURL: s.URL, MaxAttempts: 1})
	f.Fuzz(func(t *testing.T, data []byte, code int) {
		body, status = data, 200+(code%400+400)%400
		if status == 204 || status == 304 {
			return // these statuses have no body
		}
		_, streamed := collect(c.Stream(t.Context(), ask("x")))
		_, whole := c.Generate(t.Context(), ask("x"))
		_, counted := c.CountTokens(t.Context(), ask("x"))
		for _, err := range []error{streamed, whole, counted} {
			if err != nil && !errors.As(err, new(*llm.Error)) {
				t.Fatalf("%q: not one of ours: %v", data, err)
			}
		}
	})
}

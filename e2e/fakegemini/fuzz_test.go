package fakegemini

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/llm/script"
)

// FuzzFault: a fault is read or refused; one that was read and written is read
// as the same.
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

// FuzzRequest: whatever a client sends, the server answers it, with an error of
// the API where it cannot be meant.
func FuzzRequest(f *testing.F) {
	for _, seed := range [][2]string{
		{"/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"a"}]}],"tools":[{"functionDeclarations":[{"name":"x","parameters":{"type":5}}]}]}`}, {"/v1beta/models/m:countTokens", `{"generateContentRequest":{"contents":[null]}}`},
		{"/v1beta/models/m:streamGenerateContent?alt=sse", `{"contents":[{"parts":[{"functionResponse":null},{}]}],"tools":[null],"toolConfig":5}`}, {"/", `{`}, {"/v1beta/models/:x", `null`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, path string, body []byte) {
		target, err := url.ParseRequestURI(path)
		if err != nil || target.Path == "" || target.Path[0] != '/' {
			return
		}
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.URL, r.RequestURI = target, path
		w := httptest.NewRecorder()
		New(Options{NonStrict: true, Entries: []script.Entry{script.Counted(5), script.Streamed()}}).ServeHTTP(w, r)
		require.GreaterOrEqual(t, w.Code, 200)
		require.Less(t, w.Code, 600)
		if w.Code >= 400 {
			require.True(t, json.Valid(w.Body.Bytes()), "%q", w.Body)
		}
	})
}

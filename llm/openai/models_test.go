package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/llm/openai"
)

// TestModels checks a server's list of models, and the replacement if it has none.
func TestModels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		want   string
	}{
		{200, `{"object": "list", "data": [{"id": "a"}, {"id": "b/c"}]}`, "[a b/c] <nil>"},
		{200, `{}`, "[] <nil>"},
		{200, `{"data": [1]}`, `[] the answer cannot be read: the server sent "{\"data\": [1]}"`},
		{200, `<html>`, `[] the answer cannot be read: the server sent "<html>"`},
		{401, `{"error": {"message": "no ` + key + `"}}`, "[] the key was refused: no "},
		{404, `no such page`, "[] there is no model"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, "GET /v1/models Bearer "+key, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		names, err := openai.New(openai.Options{Model: "small", BaseURL: s.URL + "/v1", APIKey: key}).Models(t.Context())
		s.Close()
		got := fmt.Sprint(names, " ", err)
		assert.True(t, strings.HasPrefix(got, c.want), got)
		assert.NotContains(t, got, key)
	}
}

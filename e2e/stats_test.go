package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStatsOfEveryRequest: the numbers of the json format include a search's requests to a
// model outside the conversation, and an answer that was discarded.
func TestStatsOfEveryRequest(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	h.write(t, "answers.jsonl", `{"method": "generateContentStream", "response": [{"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "google_web_search", "args": {"query": "q"}}}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 1, "totalTokenCount": 11}}]}
{"method": "generateContent", "response": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Found."}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 100, "totalTokenCount": 1100}}}
{"method": "generateContentStream", "response": [{"candidates": [{"content": {"role": "model", "parts": [{"text": "hm", "thought": true}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 20, "candidatesTokenCount": 2, "totalTokenCount": 22}}]}
{"method": "generateContentStream", "response": [{"candidates": [{"content": {"role": "model", "parts": [{"text": "Done."}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 20, "candidatesTokenCount": 2, "totalTokenCount": 22}}]}
`)
	o := h.run(t, run{Args: []string{"-m", "gemini-2.5-pro", "--fake-responses", "answers.jsonl", "-o", "json", "-p", "look it up"}})
	require.Equal(t, 0, o.Code, o.Stderr)
	type role struct {
		TotalRequests int
		Tokens        struct{ Prompt, Candidates, Total int }
	}
	var doc struct {
		Response string
		Stats    struct {
			Models map[string]struct{ Roles map[string]role }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(o.Stdout), &doc))
	assert.Equal(t, "Done.", doc.Response)
	roles := map[string]role{}
	for _, m := range doc.Stats.Models {
		for name, r := range m.Roles {
			roles[name] = r
		}
	}
	assert.Equal(t, map[string]role{
		"main":         {3, struct{ Prompt, Candidates, Total int }{50, 5, 55}},
		"utility_tool": {1, struct{ Prompt, Candidates, Total int }{1000, 100, 1100}},
	}, roles)
}

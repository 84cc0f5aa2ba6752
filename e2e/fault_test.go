package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFaultsOfTheAPI: what the user reads when the API or the connection to it fails.
// Standard output contains only the model's text.
func TestFaultsOfTheAPI(t *testing.T) {
	t.Parallel()
	const once = `{"general": {"maxAttempts": 1}}`
	for _, c := range []struct {
		name     string
		settings string // the user's
		answers  string
		code     int
		stdout   string
		stderr   string // complete
		requests int
	}{
		// Not retried.
		{"401", "", `fault {"status": 401, "message": "Who are you?"}`, 41, "", "minigem: the credentials were refused: Who are you?: check the key; for Vertex AI run: gcloud auth application-default login\n", 1},
		{"403", "", `fault {"status": 403, "message": "Not you"}`, 41, "", "minigem: access to gemini-2.5-flash was denied: Not you: check that the key's project may use the Gemini API and this model\n", 1},
		{"a bad key", "", `fault {"status": 400, "reason": "API_KEY_INVALID", "message": "API key not valid"}`, 41, "", "minigem: the API key is not valid: API key not valid: check GEMINI_API_KEY, or create a new key at https://aistudio.google.com/apikey\n", 1},
		{"404", "", `fault {"status": 404, "message": "No such model"}`, 1, "", "minigem: there is no model gemini-2.5-flash: No such model: choose another one with --model\n", 1},
		{"400", "", `fault {"status": 400, "message": "contents is empty"}`, 1, "", "minigem: the request was refused (400: contents is empty): if a hook changes requests or history, look there first; /clear starts over\n", 1},
		{"429 for the day", "", `fault {"status": 429, "perDay": true, "message": "Quota exceeded"}`, 1, "", "minigem: the quota of gemini-2.5-flash for today is used up: Quota exceeded: wait until tomorrow, choose another model with --model, let minigem choose one (\"model\": {\"fallback\": \"always\"} in the settings), or use a key with billing\n", 1},
		// Retried, and reported.
		{"429 with a delay", "", "fault {\"status\": 429, \"retryDelay\": \"100ms\", \"message\": \"Slow down\"}\n\nsay Hi.", 0, "Hi.\n", "[WARNING] too many requests for gemini-2.5-flash: Slow down (attempt 1 of 10); trying again in 100ms\n", 2},
		{"503 twice, then fine", "", "fault {\"status\": 503, \"retryDelay\": \"100ms\", \"message\": \"Busy\"}\n\nfault {\"status\": 503, \"retryDelay\": \"100ms\", \"message\": \"Busy\"}\n\nsay Hi.", 0, "Hi.\n", "[WARNING] the server of gemini-2.5-flash has trouble (503: Busy) (attempt 1 of 10); trying again in 100ms\n[WARNING] the server of gemini-2.5-flash has trouble (503: Busy) (attempt 2 of 10); trying again in 100ms\n", 3},
		{"503 once too often", once, `fault {"status": 503, "message": "Busy"}`, 1, "", "minigem: the server of gemini-2.5-flash has trouble (503: Busy): try again later, or choose another model with --model\n", 1},
		// Connection failures.
		{"dropped before the answer", once, `fault {"cut": true}`, 1, "", "minigem: the Gemini API cannot be reached: EOF: check the network, the proxy and GOOGLE_GEMINI_BASE_URL\n", 1},
		{"an answer that is not JSON", "", "fault {\"garbage\": true}\n\nsay Hi.", 0, "Hi.\n", "[WARNING] the answer cannot be read: the server sent \"{\\\"type\\\": \\\"content_block\"; asking again in 1s\n", 2},
		{"a stream that is cut", "", "say One,\nsay two.\nfault {\"after\": 1, \"cut\": true}\n\nsay One,\nsay two.", 0, "One,two.\n", "[WARNING] the answer broke off; asking again in 1s\n", 2},
		{"a stream that becomes garbage", "", "say One,\nsay two.\nfault {\"after\": 1, \"garbage\": true}\n\nsay Something else.", 0, "Something else.\n", "[WARNING] the answer cannot be read: the server sent \"{\\\"type\\\": \\\"content_block\"; asking again in 1s\n", 2},
		{"an error in the stream", "", "say One,\nsay two.\nfault {\"after\": 1, \"status\": 500, \"message\": \"Oops\"}\n\nsay One,\nsay two.", 0, "One,two.\n", "[WARNING] the server of gemini-2.5-flash has trouble (500: Oops); asking again in 1s\n", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			entries, err := parseAnswers("answers", c.answers)
			require.NoError(t, err)
			server := startFakeAPI(t, entries)
			h := newHome(t, nil)
			if c.settings != "" {
				h.write(t, "../.gemini/settings.json", c.settings)
			}
			o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-p", "hello"}, Env: server.env()})
			assert.Equal(t, c.code, o.Code)
			assert.Equal(t, c.stdout, o.Stdout)
			assert.Equal(t, c.stderr, o.Stderr)
			assert.Len(t, server.Log(), c.requests)
			h.assertTidy(t, o)
		})
	}
}

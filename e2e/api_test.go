package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/llm"
	"minigem/llm/script"
)

// api is the fake Gemini API, served on the loopback interface.
type api struct {
	*fakemodel.Server
	URL string
}

// startFakeAPI serves entries, and refuses what the real API would refuse.
func startFakeAPI(t testing.TB, entries []script.Entry, faults ...fakemodel.Fault) api {
	t.Helper()
	s := fakemodel.New(fakemodel.Options{Entries: entries, Strict: true, Faults: faults})
	url, stop, err := s.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(stop)
	return api{s, url}
}

// env returns the variables that make minigem use the fake API.
func (a api) env() []string {
	return []string{"GEMINI_API_KEY=test-key", "GOOGLE_GEMINI_BASE_URL=" + a.URL}
}

// problems returns the problems of all requests.
func (a api) problems() []string {
	var out []string
	for _, r := range a.Log() {
		out = append(out, r.Problems...)
	}
	return out
}

func textAnswer(text string) script.Entry {
	return script.Streamed(llm.Chunk{
		Parts: []llm.Part{llm.Text{Text: text}}, FinishReason: "STOP",
		Usage: &llm.Usage{Prompt: 100, Candidates: 10, Total: 110},
	})
}

func callAnswer(calls ...llm.ToolCall) script.Entry {
	c := llm.Chunk{FinishReason: "STOP", Usage: &llm.Usage{Prompt: 100, Candidates: 10, Total: 110}}
	for _, call := range calls {
		c.Parts = append(c.Parts, call)
	}
	return script.Streamed(c)
}

func textAnswers(_ testing.TB, text string, n int) []script.Entry {
	entries := make([]script.Entry, n)
	for i := range entries {
		entries[i] = textAnswer(text)
	}
	return entries
}

// TestFourRoundsOverHTTP covers the whole path, including the genai client and HTTP: files
// are edited, a command runs, and the API accepts every request.
func TestFourRoundsOverHTTP(t *testing.T) {
	t.Parallel()
	signed := func(c llm.ToolCall, signature string) llm.ToolCall { c.Signature = []byte(signature); return c }
	server := startFakeAPI(t, []script.Entry{
		callAnswer(
			signed(llm.ToolCall{ID: "a1", Name: "read_file", Args: map[string]any{"file_path": "notes.txt"}}, "signature one"),
			llm.ToolCall{ID: "a2", Name: "read_file", Args: map[string]any{"file_path": "missing.txt"}}),
		callAnswer(signed(llm.ToolCall{Name: "replace", Args: map[string]any{"file_path": "notes.txt", "instruction": "greet", "old_string": "hello", "new_string": "goodbye"}}, "signature two")),
		callAnswer(llm.ToolCall{Name: "run_shell_command", Args: map[string]any{"command": "cat notes.txt > copy.txt"}}),
		textAnswer("All done."),
	})
	h := newHome(t, map[string]string{"notes.txt": "hello world\n"})
	o := h.run(t, run{Args: []string{"--yolo", "-m", "gemini-3-flash-preview", "-p", "Change the greeting"}, Env: server.env()})

	assert.Equal(t, 0, o.Code, o.Stderr)
	assert.Equal(t, "All done.\n", o.Stdout)
	assert.Equal(t, "goodbye world\n", h.read(t, "copy.txt"))
	assert.Empty(t, server.problems())
	log := server.Log()
	require.Len(t, log, 4)
	last := log[3].Parsed.Messages
	assert.Equal(t, []byte("signature one"), last[1].Calls()[0].Signature)
	assert.Equal(t, []byte("signature two"), last[3].Calls()[0].Signature)
}

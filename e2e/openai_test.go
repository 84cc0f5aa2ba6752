package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/llm"
	"minigem/llm/script"
)

// startFakeChat serves chat completions, as OpenAI and Ollama do, and refuses what OpenAI
// would refuse.
func startFakeChat(t *testing.T, turns ...fakemodel.Turn) api {
	t.Helper()
	s := fakemodel.New(fakemodel.Options{Turns: turns, Strict: true})
	url, stop, err := s.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(stop)
	return api{s, url}
}

// TestOpenAIModel: a model with chat completions works as Gemini does, with hooks, tools,
// a resumed session, and the message if it is unavailable.
func TestOpenAIModel(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {
		"BeforeTool": [{"matcher": "write_file", "hooks": [{"type": "command", "command": "cat > before.json; echo '{\"hookSpecificOutput\": {\"tool_input\": {\"content\": \"by the hook\"}}}'"}]}],
		"BeforeModel": [{"hooks": [{"type": "command", "command": "cat > model.json"}]}]}}`})
	call := func(name string, args map[string]any) fakemodel.Turn {
		return fakemodel.Turn{Entry: script.Streamed(llm.Chunk{Parts: []llm.Part{llm.Text{Text: "I write. "}, llm.ToolCall{Name: name, Args: args}}, FinishReason: "STOP"})}
	}
	server := startFakeChat(t, call("write_file", map[string]any{"file_path": "a.txt", "content": "by the model"}), fakemodel.Turn{Entry: textAnswer("Done.")}, fakemodel.Turn{Entry: textAnswer("Again.")})
	env := []string{"OPENAI_BASE_URL=" + server.URL + "/v1", "OPENAI_API_KEY=sk-not-a-real-key", "GEMINI_CLI_TRUST_WORKSPACE=true"}
	o := h.run(t, run{Args: []string{"--yolo", "-m", "openai/small", "-p", "write"}, Env: env})
	require.Equal(t, 0, o.Code, o.Stderr)
	assert.Equal(t, "I write. \nDone.\n", o.Stdout)
	written, err := os.ReadFile(filepath.Join(h.workspace, "a.txt"))
	require.NoError(t, err)
	assert.Equal(t, "by the hook", string(written))
	read, err := os.ReadFile(filepath.Join(h.workspace, "model.json"))
	require.NoError(t, err)
	assert.Contains(t, string(read), `"model":"openai/small"`)

	o = h.run(t, run{Args: []string{"-m", "openai/small", "-r", "latest", "-p", "once more"}, Env: env})
	require.Equal(t, 0, o.Code, o.Stderr)
	assert.Equal(t, "Again.\n", o.Stdout)
	assert.Empty(t, server.problems())
	for _, r := range server.Log() {
		assert.Equal(t, fakemodel.Chat, r.Protocol)
		assert.Equal(t, "small", r.Parsed.Model)
	}
}

// TestUnavailableOpenAIModel: each failure is reported at once, in one sentence that
// says what to do.
func TestUnavailableOpenAIModel(t *testing.T) {
	t.Parallel()
	enforced := `{"security": {"auth": {"enforcedType": "gemini-api-key"}}}`
	tests := []struct {
		model, settings string
		env             []string
		code            int
		says            string
	}{
		{"openai/small", "", nil, 41, "there is no OpenAI API key: put it into the variable OPENAI_API_KEY"},
		{"openai/small", "", []string{"OPENAI_BASE_URL=nowhere"}, 41, `"nowhere" is not the address of a server`},
		{"ollama/small", "", []string{"OLLAMA_HOST=127.0.0.1:1"}, 1, "the server at http://127.0.0.1:1/v1 cannot be reached"},
		{"ollama/small", enforced, nil, 41, "but the current type is 'ollama'"},
	}
	for _, test := range tests {
		h := newHome(t, nil)
		if test.settings != "" {
			require.NoError(t, os.MkdirAll(filepath.Join(h.dir, ".gemini"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(h.dir, ".gemini", "settings.json"), []byte(test.settings), 0o600))
		}
		o := h.run(t, run{Args: []string{"-m", test.model, "-p", "hi"}, Env: test.env})
		assert.Equal(t, test.code, o.Code, o.Stderr)
		assert.Contains(t, o.Stderr, test.says)
	}
}

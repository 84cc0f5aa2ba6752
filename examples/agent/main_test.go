package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
)

func call(name string, args map[string]any) llm.FakeAnswer {
	return llm.FakeCalls(llm.ToolCall{Name: name, Args: args})
}

func write(text string) llm.FakeAnswer {
	return call("write_file", map[string]any{"file_path": "notes.txt", "content": text})
}

// Each part of the example has its effect: its own tool, the file tools, the policy,
// both hooks and the resumed session.
func TestAsk(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	model := &llm.Fake{Answers: []llm.FakeAnswer{
		call("count_letters", map[string]any{"Word": "gem"}),
		call("run_shell_command", map[string]any{"command": "touch ran"}),
		write("SECRET\n"), write("TODO: the rest\n"),
		llm.FakeText("Done."), // the shell hook refuses this
		write("all of it\n"), llm.FakeText("Done now."),
		llm.FakeText("As I said."),
	}}
	answer, err := ask(t.Context(), model, home, dir, "Write the notes.")
	require.NoError(t, err)
	assert.Equal(t, "Done now.", answer)
	data, err := os.ReadFile(filepath.Join(dir, "notes.txt"))
	require.NoError(t, err)
	assert.Equal(t, "all of it\n", string(data))
	assert.NoFileExists(t, filepath.Join(dir, "ran"))

	var results []any
	for _, m := range model.Requests()[6].Messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.ToolResult:
				results = append(results, p.Response["output"], p.Response["error"])
			case llm.Text:
				results = append(results, p.Text)
			}
		}
	}
	for _, want := range []any{"3", "Tool execution blocked: Secrets stay where they are.", "TODO: the rest"} {
		assert.Contains(t, results, want)
	}

	answer, err = ask(t.Context(), model, home, dir, "What did you write?")
	require.NoError(t, err)
	assert.Equal(t, "As I said.", answer)
	last := model.Requests()[7].Messages
	assert.Equal(t, "Write the notes.", llm.PartsText(last[0].Parts), "the session goes on")
	assert.Equal(t, "What did you write?", llm.PartsText(last[len(last)-1].Parts))
}

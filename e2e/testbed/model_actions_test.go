package testbed

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/llm"
	"minigem/llm/script"
)

func TestParseActions(t *testing.T) {
	t.Parallel()
	call := func(name string, pairs ...string) llm.ToolCall {
		c := llm.ToolCall{Name: name, Args: map[string]any{}}
		for i := 0; i < len(pairs); i += 2 {
			c.Args[pairs[i]] = pairs[i+1]
		}
		return c
	}
	for _, tt := range []struct {
		in     string
		action script.Action
		call   llm.ToolCall // minigem's call
	}{
		{"shell go test ./... && echo \"done\"", script.Action{Kind: script.DoShell, Command: `go test ./... && echo "done"`}, call("run_shell_command", "command", `go test ./... && echo "done"`)},
		{`shell "echo 1\necho 2"`, script.Action{Kind: script.DoShell, Command: "echo 1\necho 2"}, call("run_shell_command", "command", "echo 1\necho 2")},
		{`shell "my prog" --all`, script.Action{Kind: script.DoShell, Command: `"my prog" --all`}, call("run_shell_command", "command", `"my prog" --all`)},
		{"write a.txt one two", script.Action{Kind: script.DoWrite, Path: "a.txt", Text: "one two"}, call("write_file", "file_path", "a.txt", "content", "one two")},
		{`write 'a b.txt' "one\ntwo\n"`, script.Action{Kind: script.DoWrite, Path: "a b.txt", Text: "one\ntwo\n"}, call("write_file", "file_path", "a b.txt", "content", "one\ntwo\n")},
		{`write empty ""`, script.Action{Kind: script.DoWrite, Path: "empty"}, call("write_file", "file_path", "empty", "content", "")},
		{"write a.go <<END\n\tx := 1\n\n---\n# no comment\nEND", script.Action{Kind: script.DoWrite, Path: "a.go", Text: "\tx := 1\n\n---\n# no comment\n"}, call("write_file", "file_path", "a.go", "content", "\tx := 1\n\n---\n# no comment\n")},
		{`edit a.go "x := 1" 'x := "2"'`, script.Action{Kind: script.DoEdit, Path: "a.go", Old: "x := 1", New: `x := "2"`}, call("replace", "file_path", "a.go", "instruction", "Replace the text", "old_string", "x := 1", "new_string", `x := "2"`)},
		{`edit a.go gone ""`, script.Action{Kind: script.DoEdit, Path: "a.go", Old: "gone"}, call("replace", "file_path", "a.go", "instruction", "Replace the text", "old_string", "gone", "new_string", "")},
		{"read src/a.go", script.Action{Kind: script.DoRead, Path: "src/a.go"}, call("read_file", "file_path", "src/a.go")},
		{"search TODO", script.Action{Kind: script.DoSearch, Pattern: "TODO"}, call("grep_search", "pattern", "TODO")},
		{`search 'func .*\(' src`, script.Action{Kind: script.DoSearch, Pattern: `func .*\(`, Path: "src"}, call("grep_search", "pattern", `func .*\(`, "dir_path", "src")},
	} {
		got, err := ParseModel("f", 1, "text first\n"+tt.in+"\ntext last\n")
		require.NoError(t, err, tt.in)
		require.Len(t, got, 1, tt.in)
		assert.Equal(t, map[int]script.Action{1: tt.action}, got[0].Actions, tt.in)
		require.Len(t, got[0].Chunks, 3, tt.in)
		assert.Equal(t, []llm.Part{tt.call}, got[0].Chunks[1].Parts, tt.in)
		assert.Equal(t, "STOP", got[0].Chunks[2].FinishReason)
	}
}

func TestParseActionFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"shell", "f:1: shell needs a command"},
		{"write", "f:1: write needs a path and a text"},
		{"write a.txt", "f:1: write needs a path and a text"},
		{"write 'a x", "f:1: write needs a path and a text"},
		{"write a <<", "f:1: write needs a path and a text"},
		{"write a <<A B\nA", "f:1: write needs a path and a text"},
		{"text a\nwrite a.txt <<END\none\n\ntwo\n", "the text of the write on line 2 has no end: add a line that is just END"},
		{"edit a.go x", "f:1: edit needs a path, the old text and the new text"},
		{`edit a.go "" x`, "f:1: edit needs a path"},
		{"edit a.go a b c", "f:1: edit needs a path"},
		{"read", "f:1: read needs a path"},
		{"read a b", "f:1: read needs a path"},
		{"search", "f:1: search needs a pattern"},
		{"search a b c", "f:1: search needs a pattern"},
		{"generate\nshell ls\n\n", "f:3: an answer to generateContent runs no tools"},
		{"sehll ls", `f:1: "sehll" is not a line of a model's answer (did you mean "shell"?)`},
	} {
		_, err := ParseModel("f", 1, tt.in)
		assert.ErrorContains(t, err, tt.want, tt.in)
	}
}

// TestTurns: a fake model gets what a case says, including portable actions.
func TestTurns(t *testing.T) {
	t.Parallel()
	rounds, err := ParseModel("f", 1, "shell ls\nrepeat\n\nerror 503 try later\n")
	require.NoError(t, err)
	require.Len(t, rounds, 2)
	assert.True(t, rounds[0].Repeat)
	assert.Equal(t, "ls", rounds[0].Actions[0].Command)

	model := fakemodel.New(fakemodel.Options{Turns: rounds[1:]})
	request := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(
		`{"model":"m","messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"x"}}]}`))
	got := httptest.NewRecorder()
	model.ServeHTTP(got, request)
	assert.Equal(t, 503, got.Code)
	assert.Contains(t, got.Body.String(), "try later")
	assert.Equal(t, &fakemodel.Fault{Status: 503, Message: "try later", Final: true}, model.Log()[0].Fault)
}

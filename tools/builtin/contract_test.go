package builtin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/internal/workspace"
	"minigem/tools"
	"minigem/tools/toolstest"
)

// calls are one valid call of every built-in tool.
var calls = map[string]map[string]any{
	"list_directory":            {"dir_path": "."},
	"read_file":                 {"file_path": "a.txt", "start_line": 1, "end_line": 2},
	"grep_search":               {"pattern": "one"},
	"glob":                      {"pattern": "**"},
	"replace":                   {"file_path": "a.txt", "instruction": "i", "old_string": "one", "new_string": "two", "allow_multiple": true},
	"write_file":                {"file_path": "sub/new.txt", "content": "x\n"},
	"run_shell_command":         {"command": "touch b.txt", "description": "d", "dir_path": "sub"},
	"list_background_processes": {},
	"read_background_output":    {"pid": 1, "lines": 3},
	"ask_user":                  {"questions": []any{map[string]any{"question": "Which?", "header": "H", "type": "text"}}},
	"write_todos":               {"todos": []any{map[string]any{"description": "d", "status": "pending"}}},
	"save_memory":               {"fact": "f"},
}

func TestContract(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, tool := range All(Options{Workspace: project(t, dir, map[string]string{"a.txt": "one\none\n", "sub/x": ""})}) {
		name := tool.Spec().Name
		t.Run(name, func(t *testing.T) {
			require.Contains(t, calls, name, "every tool has a call here")
			toolstest.Run(t, toolstest.Case{Tool: tool, Args: calls[name], Dir: dir})
		})
	}
}

// TestInfo pins what screens, policy and transcripts show of the tools.
func TestInfo(t *testing.T) {
	t.Parallel()
	type row struct {
		name, display string
		kind          tools.Kind
		markdown      bool
	}
	want := []row{
		{"read_file", "ReadFile", tools.KindRead, true},
		{"replace", "Edit", tools.KindEdit, true},
		{"write_file", "WriteFile", tools.KindEdit, true},
		{"run_shell_command", "Shell", tools.KindExecute, false},
		{"list_background_processes", "List Background Processes", tools.KindRead, true},
		{"read_background_output", "Read Background Output", tools.KindRead, true},
	}
	var r tools.Registry
	r.Add(All(Options{Workspace: project(t, t.TempDir(), nil)})...)
	for _, w := range want {
		tool := r.Lookup(w.name)
		require.NotNil(t, tool, w.name)
		i := tool.Info()
		require.Equal(t, w, row{tool.Spec().Name, i.DisplayName, i.Kind, i.Markdown})
	}
}

// project makes files in dir and opens it as a workspace.
func project(t testing.TB, dir string, files map[string]string) *workspace.Workspace {
	t.Helper()
	put(t, dir, files)
	ws, err := workspace.New(dir)
	require.NoError(t, err)
	return ws
}

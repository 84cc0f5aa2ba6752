package builtin

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/tools"
	"minigem/tools/toolstest"
	"minigem/tools/workspace"
)

// calls has one valid call of every built-in tool.
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
	"activate_skill":            {"name": "review"},
	"ask_user":                  {"questions": []any{map[string]any{"question": "Which?", "header": "H", "type": "text"}}},
	"write_todos":               {"todos": []any{map[string]any{"description": "d", "status": "pending"}}},
	"save_memory":               {"fact": "f"},
	"enter_plan_mode":           {"reason": "r"},
	"exit_plan_mode":            {"plan_filename": "a.md"},
	"update_topic":              {"title": "t", "summary": "s", "strategic_intent": "i"},
	"read_many_files":           {"include": []any{"**"}},
	"web_fetch":                 {"prompt": "sum https://93.184.216.34/"},
	"google_web_search":         {"query": "q"},
}

func TestContract(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, tool := range all(t, everything(t, project(t, dir, map[string]string{"a.txt": "one\none\n", "sub/x": ""}))) {
		name := tool.Spec().Name
		t.Run(name, func(t *testing.T) {
			require.Contains(t, calls, name, "every tool has a call here")
			toolstest.Run(t, toolstest.Case{Tool: tool, Args: calls[name], Dir: dir})
		})
	}
}

func all(t *testing.T, o Options) []tools.Tool {
	t.Helper()
	ts, err := All(o)
	require.NoError(t, err)
	return ts
}

// Without a workspace there are no tools. A tool that is made anyway reaches no file.
func TestNoWorkspace(t *testing.T) {
	t.Parallel()
	_, err := All(Options{})
	require.ErrorContains(t, err, "Options.Workspace is missing")
	for _, ws := range []*workspace.Workspace{nil, {}} {
		for _, tool := range []tools.Tool{
			ReadFile(ws, workspace.Ignore{}), WriteFile(ws), Replace(ws), ListDirectory(ws, workspace.Ignore{}), Glob(ws, workspace.Ignore{}, time.Now),
			GrepSearch(ws, workspace.Ignore{}), ReadManyFiles(ws, workspace.Ignore{}), RunShellCommand(ws, ShellOptions{Processes: &Processes{}}),
		} {
			name := tool.Spec().Name
			inv, err := tool.Prepare(calls[name])
			if err != nil {
				continue
			}
			res, err := inv.Run(t.Context())
			if err == nil {
				require.Regexp(t, "^No (files|matches) found|^No files", res.Parts[0].(llm.Text).Text, name)
			}
		}
	}
}

// everything returns options that offer every tool.
func everything(t *testing.T, ws *workspace.Workspace) Options {
	return Options{
		Workspace: ws,
		Web:       WebOptions{Generator: &llm.Fake{Answers: slices.Repeat([]llm.FakeAnswer{llm.FakeText("answer")}, 20)}},
		Asker:     silentUser{},
		Skills: Skills{
			List: func() []Skill {
				return []Skill{{Name: "review", Description: "Reviews.", Instructions: "Look.", Dir: "/skills/review"}}
			},
			Tree:     func(context.Context, string) string { return "tree" },
			Activate: func(Skill) error { return nil },
		},
		Session: func() string { return "s" },
		Plans: Plans{
			Dir: func() string { return filepath.Join(ws.Root(), "plans") }, Active: func() bool { return false },
			Enter: func() error { return nil }, Leave: func(tools.PlanIntent, Leaving) (string, error) { return "default", nil },
		},
		Memory: MemoryFiles{User: filepath.Join(t.TempDir(), "GEMINI.md")},
	}
}

// silentUser gives no answers.
type silentUser struct{}

func (silentUser) AskQuestions(context.Context, []Question) (map[int]string, bool, error) {
	return nil, true, nil
}

// Tools that need missing options are not offered. The order is Gemini CLI's.
func TestAll(t *testing.T) {
	t.Parallel()
	offered := func(o Options) string {
		var r tools.Registry
		r.Add(all(t, o)...)
		return strings.Join(r.Names(), " ")
	}
	o := everything(t, project(t, t.TempDir(), nil))
	require.Equal(t, "update_topic list_directory read_file grep_search glob replace write_file web_fetch run_shell_command list_background_processes read_background_output "+
		"google_web_search enter_plan_mode exit_plan_mode activate_skill ask_user write_todos read_many_files save_memory", offered(o))
	require.Equal(t, "list_directory read_file grep_search glob replace write_file run_shell_command list_background_processes read_background_output "+
		"write_todos read_many_files", offered(Options{Workspace: o.Workspace}))
}

// TestInfo pins what screens, policy and transcripts show of the tools.
func TestInfo(t *testing.T) {
	t.Parallel()
	type row struct {
		name, display string
		kind          tools.Kind
		markdown      bool
		alone         bool // never concurrent with another call of the batch
	}
	want := []row{
		{"list_directory", "ReadFolder", tools.KindSearch, true, false},
		{"read_file", "ReadFile", tools.KindRead, true, false},
		{"grep_search", "SearchText", tools.KindSearch, true, false},
		{"search_file_content", "SearchText", tools.KindSearch, true, false},
		{"glob", "FindFiles", tools.KindSearch, true, false},
		{"web_fetch", "WebFetch", tools.KindFetch, true, false},
		{"google_web_search", "GoogleSearch", tools.KindSearch, true, false},
		{"ask_user", "Ask User", tools.KindCommunicate, true, true},
		{"write_todos", "WriteTodos", tools.KindThink, true, false},
		{"read_many_files", "ReadManyFiles", tools.KindRead, true, false},
		{"replace", "Edit", tools.KindEdit, true, true},
		{"write_file", "WriteFile", tools.KindEdit, true, true},
		{"run_shell_command", "Shell", tools.KindExecute, false, false},
		{"list_background_processes", "List Background Processes", tools.KindRead, true, false},
		{"read_background_output", "Read Background Output", tools.KindRead, true, false},
	}
	var r tools.Registry
	r.Add(all(t, everything(t, project(t, t.TempDir(), nil)))...)
	for _, w := range want {
		tool := r.Lookup(w.name)
		require.NotNil(t, tool, w.name)
		i := tool.Info()
		require.Equal(t, w, row{w.name, i.DisplayName, i.Kind, i.Markdown, i.Sequential})
	}
}

// project writes files in dir and opens it as a workspace.
func project(t testing.TB, dir string, files map[string]string) *workspace.Workspace {
	t.Helper()
	put(t, dir, files)
	ws, err := workspace.New(dir)
	require.NoError(t, err)
	return ws
}

package builtin_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
	"minigem/tools/builtin"
)

func todo(description, status string) any {
	return args{"description": description, "status": status}
}

func TestWriteTodos(t *testing.T) {
	t.Parallel()
	ws := project(t, nil)
	for _, tt := range []struct {
		args args
		want outcome
	}{
		{args{"todos": []any{todo("a", "in_progress"), todo("b", "pending")}}, outcome{desc: "Set 2 todo(s)",
			text:    "Successfully updated the todo list. The current list is now:\n1. [in_progress] a\n2. [pending] b",
			display: `{"todos":[{"description":"a","status":"in_progress"},{"description":"b","status":"pending"}]}`}},
		{args{"todos": []any{todo("a", "completed"), todo("b", "cancelled"), todo("c", "blocked")}}, outcome{desc: "Set 3 todo(s)",
			text:    "Successfully updated the todo list. The current list is now:\n1. [completed] a\n2. [cancelled] b\n3. [blocked] c",
			display: `{"todos":[{"description":"a","status":"completed"},{"description":"b","status":"cancelled"},{"description":"c","status":"blocked"}]}`}},
		{args{"todos": []any{}}, outcome{desc: "Cleared todo list", text: "Successfully cleared the todo list.", display: `{"todos":[]}`}},
		// Faults.
		{args{}, outcome{kind: tools.ErrInvalidParams, failure: "params must have required property 'todos'"}},
		{args{"todos": "x"}, outcome{kind: tools.ErrInvalidParams, failure: "params/todos must be array"}},
		{args{"todos": []any{"x"}}, outcome{kind: tools.ErrInvalidParams, failure: "params/todos/0 must be object"}},
		{args{"todos": []any{args{"description": "a"}}}, outcome{kind: tools.ErrInvalidParams, failure: "params/todos/0 must have required property 'status'"}},
		{args{"todos": []any{todo("x", "zz")}}, outcome{kind: tools.ErrInvalidParams, failure: "params/todos/0/status must be equal to one of the allowed values"}},
		{args{"todos": []any{args{"description": "a", "status": "pending", "foo": 1}}}, outcome{kind: tools.ErrInvalidParams, failure: "params/todos/0 must NOT have additional properties"}},
		{args{"todos": []any{todo(" ", "pending")}}, outcome{kind: tools.ErrInvalidParams, failure: "Each todo must have a non-empty description string"}},
		{args{"todos": []any{todo("a", "in_progress"), todo("b", "in_progress")}}, outcome{kind: tools.ErrInvalidParams, failure: `Invalid parameters: Only one task can be "in_progress" at a time.`}},
	} {
		assert.Equal(t, tt.want, use(t, ws, builtin.WriteTodos(), tt.args), "%v", tt.args)
	}
}

func TestSaveMemory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before, fact, after string
	}{
		{"a new file", "", "I like tea.", "## Gemini Added Memories\n\n- I like tea.\n"},
		{"a file without memories", "# Me\n\nText.\n\n\n", "x", "# Me\n\nText.\n\n## Gemini Added Memories\n\n- x\n"},
		{"no newline at the end", "# Me", "x", "# Me\n\n## Gemini Added Memories\n\n- x\n"},
		{"a second one", "## Gemini Added Memories\n\n- a\n", "b", "## Gemini Added Memories\n\n- a\n- b\n"},
		{"as older versions wrote it", "Hi\n## Gemini Added Memories\n- a", "b", "Hi\n## Gemini Added Memories\n- a\n- b\n"},
		{"text below", "## Gemini Added Memories\n- a\n\n## Next\nx\n", "b", "## Gemini Added Memories\n- a\n- b\n\n## Next\nx\n"},
		{"an empty section", "## Gemini Added Memories\n", "b", "## Gemini Added Memories\n\n- b\n"},
		{"the heading inside a line", "See ## Gemini Added Memories\n### Gemini Added Memories, old\n", "b", "See ## Gemini Added Memories\n### Gemini Added Memories, old\n\n## Gemini Added Memories\n\n- b\n"},
		// A fact stays one item of the list.
		{"newlines", "", "a\n## Heading\r\n- b", "## Gemini Added Memories\n\n- a ## Heading - b\n"},
		{"a list item", "", " - - a", "## Gemini Added Memories\n\n- a\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "new", "GEMINI.md")
			if tt.before != "" {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
				require.NoError(t, os.WriteFile(file, []byte(tt.before), 0o640))
			}
			inv, err := builtin.SaveMemory(builtin.MemoryFiles{User: file}).Prepare(args{"fact": tt.fact})
			require.NoError(t, err)
			assert.Equal(t, tt.after, inv.Intent().Edit.New, "what is shown is what is done")
			assert.Equal(t, tt.before == "", inv.Intent().Edit.IsNew)
			_, err = inv.Run(context.Background())
			require.NoError(t, err)
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, tt.after, string(got))
		})
	}
}

// A call that is over makes no folder, and waits for no other call.
func TestSaveMemoryIsOver(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	inv, err := builtin.SaveMemory(builtin.MemoryFiles{User: filepath.Join(dir, "GEMINI.md")}).Prepare(args{"fact": "f"})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = inv.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.NoDirExists(t, dir)
}

func TestSaveMemoryScopes(t *testing.T) {
	t.Parallel()
	ws := project(t, map[string]string{"dotfiles/me.md": "mine\n", "home/GEMINI.md": "-> ../dotfiles/me.md", "p/": ""})
	files := builtin.MemoryFiles{User: filepath.Join(ws.Root(), "home", "GEMINI.md"), Project: filepath.Join(ws.Root(), "p", "GEMINI.md")}
	tool := builtin.SaveMemory(files)
	assert.Equal(t, "Remembered in ROOT/dotfiles/me.md: a", use(t, ws, tool, args{"fact": "a"}).text, "links of the user are followed")
	assert.Equal(t, "Remembered in ROOT/p/GEMINI.md: b", use(t, ws, tool, args{"fact": "b", "scope": "project"}).text)
	assert.Equal(t, "The 'fact' parameter must be non-empty.", use(t, ws, tool, args{"fact": " -\n"}).failure)
	assert.Equal(t, "params/scope must be equal to one of the allowed values", use(t, ws, builtin.SaveMemory(builtin.MemoryFiles{User: files.User}), args{"fact": "a", "scope": "project"}).failure)

	// A project must not be able to redirect a memory out of it.
	require.NoError(t, os.Remove(files.Project))
	require.NoError(t, os.Symlink("/tmp/elsewhere.md", files.Project))
	assert.Equal(t, tools.ErrPathNotInWorkspace, use(t, ws, tool, args{"fact": "c", "scope": "project"}).kind)
}

// TestSaveMemoryKeeps checks that a memory of the project reaches no file that the
// workspace keeps, by a link either.
func TestSaveMemoryKeeps(t *testing.T) {
	t.Parallel()
	ws := project(t, map[string]string{".husky/pre-commit": "mine\n", "GEMINI.md": "-> .husky/pre-commit"})
	ws.Keep(func(path string) bool { return strings.Contains(path, ".husky") })
	tool := builtin.SaveMemory(builtin.MemoryFiles{User: filepath.Join(t.TempDir(), "GEMINI.md"),
		Project: filepath.Join(ws.Root(), "GEMINI.md"), Workspace: ws})
	assert.Equal(t, tools.ErrFileWrite, use(t, ws, tool, args{"fact": "b", "scope": "project"}).kind)
	text, err := os.ReadFile(filepath.Join(ws.Root(), ".husky", "pre-commit"))
	require.NoError(t, err)
	assert.Equal(t, "mine\n", string(text))
}

func TestSaveMemoryTogether(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "GEMINI.md")
	tool := builtin.SaveMemory(builtin.MemoryFiles{User: file})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			inv, err := tool.Prepare(args{"fact": "x"})
			require.NoError(t, err)
			_, err = inv.Run(context.Background())
			require.NoError(t, err)
		})
	}
	wg.Wait()
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "## Gemini Added Memories\n\n- x\n- x\n- x\n- x\n- x\n- x\n- x\n- x\n", string(got))
}

// If several processes remember something at the same time, nothing is lost.
func TestSaveMemoryOfFourProcesses(t *testing.T) {
	const processes, facts = 4, 25
	remember := func(file, who string) {
		tool := builtin.SaveMemory(builtin.MemoryFiles{User: file})
		for i := range facts {
			inv, err := tool.Prepare(args{"fact": fmt.Sprintf("%s knows %d", who, i)})
			require.NoError(t, err)
			_, err = inv.Run(t.Context())
			require.NoError(t, err)
		}
	}
	if who := os.Getenv("MEMORY_TEST_PROCESS"); who != "" {
		_, err := os.Stdin.Read(make([]byte, 1)) // all begin when the pipe is closed
		require.ErrorIs(t, err, io.EOF)
		remember(os.Getenv("MEMORY_TEST_FILE"), who)
		return
	}
	t.Parallel()
	file := filepath.Join(t.TempDir(), "GEMINI.md")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	children := make([]*exec.Cmd, processes)
	outputs := make([]bytes.Buffer, processes)
	for i := range children {
		c := exec.Command(os.Args[0], "-test.run=^TestSaveMemoryOfFourProcesses$")
		c.Env = append(os.Environ(), fmt.Sprint("MEMORY_TEST_PROCESS=p", i), "MEMORY_TEST_FILE="+file)
		c.Stdin, c.Stdout, c.Stderr = r, &outputs[i], &outputs[i]
		require.NoError(t, c.Start())
		children[i] = c
	}
	require.NoError(t, r.Close())
	require.NoError(t, w.Close())
	for i, c := range children {
		assert.NoError(t, c.Wait(), &outputs[i])
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, processes*facts, strings.Count(string(got), "\n- "))
	for p := range processes {
		for i := range facts {
			assert.Contains(t, string(got), fmt.Sprintf("- p%d knows %d\n", p, i))
		}
	}
}

// fakeAsker gives prepared answers.
type fakeAsker struct {
	answers map[int]string
	ok      bool
	err     error
	asked   []builtin.Question
}

func (f *fakeAsker) AskQuestions(_ context.Context, qs []builtin.Question) (map[int]string, bool, error) {
	f.asked = qs
	return f.answers, f.ok, f.err
}

func TestAskUser(t *testing.T) {
	t.Parallel()
	ws := project(t, nil)
	options := []any{args{"label": "A", "description": "first"}, args{"label": "B", "description": "second"}}
	two := args{"questions": []any{
		args{"question": "Which?", "header": "Choice", "type": "choice", "options": options, "multiSelect": true},
		args{"question": "Name?", "header": "Name", "type": "text", "placeholder": "x"},
	}}
	asker := &fakeAsker{answers: map[int]string{0: "A, B", 1: "<b> & c"}, ok: true}
	assert.Equal(t, outcome{desc: "Asking user: Choice, Name", text: `{"answers":{"0":"A, B","1":"<b> & c"}}`,
		display: `"User answered:\n  Choice → A, B\n  Name → \u003cb\u003e \u0026 c"`}, use(t, ws, builtin.AskUser(asker), two))
	assert.Equal(t, []builtin.Question{
		{Question: "Which?", Header: "Choice", Type: "choice", Options: []builtin.Option{{Label: "A", Description: "first"}, {Label: "B", Description: "second"}}, MultiSelect: true},
		{Question: "Name?", Header: "Name", Type: "text", Placeholder: "x"},
	}, asker.asked)

	assert.Equal(t, `{"answers":{}}`, use(t, ws, builtin.AskUser(&fakeAsker{ok: true}), two).text)
	assert.Equal(t, "User dismissed the questions without answering.", use(t, ws, builtin.AskUser(&fakeAsker{}), two).text)
	assert.Equal(t, "asking the user: no terminal", use(t, ws, builtin.AskUser(&fakeAsker{err: errors.New("no terminal")}), two).failure)

	question := func(kind string, options ...any) args {
		return args{"questions": []any{args{"question": "q", "header": "h", "type": kind, "options": append([]any{}, options...)}}}
	}
	for want, a := range map[string]args{
		"params must have required property 'questions'":                     {},
		"params/questions must NOT have fewer than 1 items":                  {"questions": []any{}},
		"params/questions must NOT have more than 4 items":                   {"questions": []any{1, 2, 3, 4, 5}},
		"params/questions/0/type must be equal to one of the allowed values": question("other"),
		"Question 1: type 'choice' requires 2 to 4 options, not 1.":          question("choice", options[0]),
	} {
		assert.Equal(t, want, use(t, ws, builtin.AskUser(asker), a).failure)
	}
}

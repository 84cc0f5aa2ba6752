package builtin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
)

// TestPlans checks which names lead to a plan, in which files, and what does not count
// as a plan.
func TestPlans(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws := project(t, dir, map[string]string{"plans/a.md": "# Do it\n", "plans/empty.md": " \n", "plans/sub/b.md": "x", "other/a.md": "y"})
	require.NoError(t, os.Symlink(filepath.Join(dir, "other", "a.md"), filepath.Join(dir, "plans", "link.md")))
	var left tools.PlanIntent
	var how Leaving
	planning := true
	p := Plans{
		Dir: func() string { return filepath.Join(dir, "plans") }, Active: func() bool { return planning },
		Leave: func(plan tools.PlanIntent, l Leaving) (string, error) { left, how = plan, l; return "default", nil },
	}
	exit, write := ExitPlanMode(ws, p), forPlans(WriteFile(ws), p)
	for _, tt := range []struct{ name, path, wrong string }{
		{"a.md", "plans/a.md", ""},
		{"./a.md", "plans/a.md", ""},
		{"plans/a.md", "plans/a.md", ""},
		{".gemini/tmp/x/y/plans/a.md", "plans/a.md", ""},
		{filepath.Join(dir, "plans", "a.md"), "plans/a.md", ""},
		{"sub/b.md", "plans/sub/b.md", ""},
		{"other/a.md", "plans/other/a.md", "does not exist"},
		{"none.md", "plans/none.md", "does not exist"},
		{"empty.md", "plans/empty.md", "Plan file is empty"},
		{"sub", "plans/sub", "is not a file"},
		{"link.md", "", "must be within"},
		{"../other/a.md", "", "must be within"},
		{filepath.Join(dir, "other", "a.md"), "", "must be within"},
		{"/etc/passwd", "", "must be within"},
		{".", "", "must be within"},
		{" ", "", "must be non-empty"},
	} {
		inv, err := exit.Prepare(map[string]any{"plan_filename": tt.name})
		if tt.path == "" {
			require.ErrorContains(t, err, tt.wrong, tt.name)
			continue
		}
		require.NoError(t, err, tt.name)
		assert.Equal(t, []string{filepath.Join(dir, filepath.FromSlash(tt.path))}, inv.Intent().Paths, tt.name)
		if err := inv.(tools.Checkable).Check(); tt.wrong != "" {
			require.ErrorContains(t, err, tt.wrong, tt.name)
			_, err = inv.Run(t.Context())
			require.ErrorContains(t, err, tt.wrong, tt.name)
			continue
		} else {
			require.NoError(t, err, tt.name)
		}
		_, err = inv.Run(t.Context())
		require.NoError(t, err, tt.name)
		assert.Equal(t, LeaveAsBefore, how)
	}
	assert.Equal(t, filepath.Join(dir, "plans", "sub", "b.md"), left.Path)

	for name, path := range map[string]string{"a.md": "plans/a.md", "plans/b-1.md": "plans/b-1.md", "docs/a.md": "docs/a.md", "a.txt": "a.txt"} {
		inv, err := write.Prepare(map[string]any{"file_path": name, "content": "x"})
		require.NoError(t, err)
		assert.Equal(t, []string{filepath.Join(dir, filepath.FromSlash(path))}, inv.Intent().Paths, name)
	}
	assert.Contains(t, write.Spec().Description, "for plans alone")
	planning = false
	inv, err := write.Prepare(map[string]any{"file_path": "a.md", "content": "x"})
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "a.md")}, inv.Intent().Paths)
	assert.NotContains(t, write.Spec().Description, "for plans alone")
}

// TestPlanAnswers checks what follows each answer of the user.
func TestPlanAnswers(t *testing.T) {
	t.Parallel()
	ws := project(t, t.TempDir(), map[string]string{"plans/a.md": "x"})
	var how []Leaving
	exit := ExitPlanMode(ws, Plans{
		Dir:   func() string { return filepath.Join(ws.Root(), "plans") },
		Leave: func(_ tools.PlanIntent, l Leaving) (string, error) { how = append(how, l); return "m", nil },
	})
	run := func(allowed, always bool, feedback string) (bool, string) {
		inv, err := exit.Prepare(map[string]any{"plan_filename": "a.md"})
		require.NoError(t, err)
		runs := inv.(tools.Answerable).Answered(allowed, always, feedback)
		if !runs {
			return false, ""
		}
		res, err := inv.Run(t.Context())
		require.NoError(t, err)
		return runs, text(res)
	}
	_, said := run(true, true, "")
	assert.Contains(t, said, "Plan approved. The approval mode is m now.")
	run(true, false, "")
	runs, said := run(false, false, "more tests")
	assert.True(t, runs)
	assert.Contains(t, said, "Plan rejected. User feedback: more tests")
	runs, _ = run(false, false, " ")
	assert.False(t, runs)
	assert.Equal(t, []Leaving{LeaveEditing, LeaveAsking}, how)
}

// shown is an editor that shows texts by path.
type shown map[string]string

func (s shown) Read(path string) (string, bool) { text, ok := s[path]; return text, ok }
func (s shown) Write(path, text string) error   { s[path] = text; return nil }

// TestPlanOfAnEditor checks that a plan is read as the user sees it, saved or not.
func TestPlanOfAnEditor(t *testing.T) {
	t.Parallel()
	ws := project(t, t.TempDir(), map[string]string{"plans/a.md": "old"})
	path := filepath.Join(ws.Root(), "plans", "a.md")
	ws.SetBuffers(shown{path: "new"})
	exit := ExitPlanMode(ws, Plans{Dir: func() string { return filepath.Dir(path) }})
	inv, err := exit.Prepare(map[string]any{"plan_filename": "a.md"})
	require.NoError(t, err)
	assert.Equal(t, &tools.PlanIntent{Path: path, Text: "new"}, inv.Intent().Plan)
}

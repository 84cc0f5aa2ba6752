package testbed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKeptFoldersHoldNoCases: the folders that --keep leaves in a project hold copies of
// its cases, which are not cases of the project.
func TestKeptFoldersHoldNoCases(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	kept := filepath.Join(project, "kept")
	require.NoError(t, os.Mkdir(kept, 0o755))
	place, err := newPlace(kept, "tests/guard")
	require.NoError(t, err)
	for _, file := range []string{filepath.Join(project, "a.txtar"), filepath.Join(place.workspace, "a.txtar")} {
		require.NoError(t, os.WriteFile(file, []byte("prompt Hi\n"), 0o644))
	}
	found, err := (&Suite{Paths: []string{project}}).Find()
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(project, "a.txtar")}, found)
	found, err = (&Suite{Paths: []string{place.top}}).Find()
	require.NoError(t, err)
	assert.Len(t, found, 1, "whoever names it wants it")
}

// TestAnnotationsAreRelativeToTheWorkspace: GitHub shows an annotation only if its file is
// relative to the workspace.
func TestAnnotationsAreRelativeToTheWorkspace(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	for workspace, want := range map[string]string{
		"":                               "file=../x/a.txtar,line=3",
		filepath.Dir(here):               "file=x/a.txtar,line=3",
		filepath.Dir(filepath.Dir(here)): "file=e2e/x/a.txtar,line=3",
		filepath.Join(here, "below"):     "file=../x/a.txtar,line=3",
	} {
		var b strings.Builder
		f := NewFormat("github", &b, false, workspace)
		f.Result(Result{Case: &Case{Path: "../x/a.txtar"}, Failures: []Failure{{Where: "../x/a.txtar:3", Command: "exit 0", Actual: "1"}}})
		assert.Contains(t, b.String(), "::error "+want+",", workspace)
	}
}

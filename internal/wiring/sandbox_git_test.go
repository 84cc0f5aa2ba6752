package wiring

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGitPrograms checks that what git runs or reads in a folder is found wherever it is.
func TestGitPrograms(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	for _, args := range [][]string{
		{"init", "-q", "--separate-git-dir=meta"}, {"config", "core.hooksPath", "tools/git-hooks"}, {"config", "include.path", "../tools/more"},
	} {
		c := exec.Command("git", args...)
		c.Dir, c.Env = dir, env
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	got := gitPrograms([]string{dir}, env)
	for _, name := range []string{"meta/config", "tools/git-hooks", "tools/more"} {
		assert.Contains(t, got, filepath.Join(dir, name))
	}
	assert.Empty(t, gitPrograms([]string{t.TempDir()}, env))
}

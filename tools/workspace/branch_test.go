package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools/workspace"
)

// TestBranch reads branches as git writes them, in the repository, below it, and in a
// worktree.
func TestBranch(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	repo, sub, tree := filepath.Join(top, "repo"), filepath.Join(top, "repo", "a", "b"), filepath.Join(top, "tree")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	require.NoError(t, os.MkdirAll(sub, 0o700))
	assert.Empty(t, workspace.Branch(repo))
	git("init", "-q", "-b", "one/two")
	git("commit", "-q", "--allow-empty", "-m", "x")
	git("worktree", "add", "-q", "-b", "aside", tree)
	assert.Equal(t, "one/two", workspace.Branch(repo))
	assert.Equal(t, "one/two", workspace.Branch(sub))
	assert.Equal(t, "aside", workspace.Branch(tree))
	git("checkout", "-q", "--detach")
	assert.Regexp(t, "^[0-9a-f]{7}$", workspace.Branch(sub))
}

// TestNoBranch checks that a text that git would not write is not a name.
func TestNoBranch(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"", "ref: refs/tags/v1\n", "0123456789abcdef\n", "\x1b[31m\n"} {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte(head), 0o600))
		assert.Empty(t, workspace.Branch(dir), "%q", head)
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git", "HEAD"), 0o700))
	assert.Empty(t, workspace.Branch(dir), "a folder")
}

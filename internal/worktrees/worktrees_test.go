package worktrees

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repository makes a repository with one commit, and returns the environment for its
// git.
func repository(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "a.txt"), []byte("a\n"), 0o600))
	for _, args := range []string{"init -q", "add .", "commit -qm first"} {
		run(t, dir, env, strings.Fields(args)...)
	}
	return dir, env
}

func run(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

func TestAdd(t *testing.T) {
	t.Parallel()
	dir, env := repository(t)
	other, _ := repository(t)
	w, err := Add(t.Context(), filepath.Join(dir, "sub"), "fix", append(env, "GIT_DIR="+filepath.Join(other, ".git"), "GIT_WORK_TREE="+other))
	require.NoError(t, err)
	assert.Equal(t, Worktree{Dir: filepath.Join(dir, ".gemini", "worktrees", "fix"), Branch: "worktree-fix"}, w)
	assert.FileExists(t, filepath.Join(w.Dir, "sub", "a.txt"))
	assert.Equal(t, "worktree-fix", run(t, w.Dir, env, "branch", "--show-current"))
	assert.Empty(t, run(t, dir, env, "status", "--short"), "the repository does not see its worktrees")
	_, err = Add(t.Context(), dir, "fix", env)
	require.ErrorContains(t, err, "there is a worktree \"fix\" already: change to the folder "+w.Dir)
	// Now the folder is gone, but the branch still exists.
	run(t, dir, env, "worktree", "remove", w.Dir)
	_, err = Add(t.Context(), dir, "fix", env)
	require.ErrorContains(t, err, "there is a branch worktree-fix already")
	inside, err := Add(t.Context(), dir, "two", env)
	require.NoError(t, err)
	below, err := Add(t.Context(), inside.Dir, "three", env)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(inside.Dir, ".gemini", "worktrees", "three"), below.Dir)
}

func TestNames(t *testing.T) {
	t.Parallel()
	dir, env := repository(t)
	for _, name := range []string{"", "-b", ".", "..", "a/b", `a\b`, "../x", "a b", "a..b", "a.lock", "a.", ".git", "a\nb", "é", strings.Repeat("a", 65)} {
		_, err := Add(t.Context(), dir, name, env)
		assert.ErrorContains(t, err, "is no name for a worktree", name)
	}
	assert.NoDirExists(t, filepath.Join(dir, ".gemini"))
}

// TestNoRepository checks that the error says what is missing, and that nothing is left
// behind.
func TestNoRepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	_, err := Add(t.Context(), dir, "a", env)
	require.ErrorContains(t, err, "a worktree needs a git repository")
	run(t, dir, env, "init", "-q")
	_, err = Add(t.Context(), dir, "a", env)
	require.ErrorContains(t, err, "git made no worktree")
	assert.NoDirExists(t, filepath.Join(dir, ".gemini", "worktrees", "a"))
}

// TestLinksLeadNowhere checks that worktrees are made in the repository, not where a
// link in it leads.
func TestLinksLeadNowhere(t *testing.T) {
	t.Parallel()
	for _, link := range []string{".gemini", ".gemini/worktrees"} {
		dir, env := repository(t)
		elsewhere := t.TempDir()
		at := filepath.Join(dir, filepath.FromSlash(link))
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(t, os.Symlink(elsewhere, at))
		_, err := Add(t.Context(), dir, "a", env)
		require.ErrorContains(t, err, "worktrees stay in the repository")
		assert.NoFileExists(t, filepath.Join(elsewhere, "worktrees", "a", "sub", "a.txt"))
		assert.NoDirExists(t, filepath.Join(elsewhere, "a"))
	}
}

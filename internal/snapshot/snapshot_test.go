package snapshot

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type project struct {
	t *testing.T
	Store
}

func newProject(t *testing.T, files map[string]string) project {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	p := project{t, Store{Dir: filepath.Join(dir, "home", "history", "p"), Root: filepath.Join(dir, "p"), Env: []string{"PATH=" + os.Getenv("PATH")}}}
	require.NoError(t, os.MkdirAll(p.Root, 0o755))
	p.write(files)
	return p
}

func (p project) write(files map[string]string) {
	p.t.Helper()
	for name, content := range files {
		path := filepath.Join(p.Root, name)
		require.NoError(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(p.t, os.WriteFile(path, []byte(content), 0o644))
	}
}

// files returns the project's files, except git's own.
func (p project) files() map[string]string {
	p.t.Helper()
	out := map[string]string{}
	require.NoError(p.t, filepath.WalkDir(p.Root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if err == nil && e.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(p.Root, path)
		out[rel] = string(data)
		return err
	}))
	return out
}

func TestTakeAndRestore(t *testing.T) {
	t.Parallel()
	first := map[string]string{"a.txt": "one\r\n", "dir/b.txt": "two", "gone.txt": "three", ".gitignore": "ignored\n", "ignored": "kept as it is"}
	p := newProject(t, first)
	id, err := p.Take(t.Context(), "first")
	require.NoError(t, err)
	assert.Regexp(t, "^[0-9a-f]{40,64}$", id)

	p.write(map[string]string{"a.txt": "changed", "new/c.txt": "made", "ignored": "later"})
	require.NoError(t, os.Remove(filepath.Join(p.Root, "gone.txt")))
	second := p.files()
	var before string
	err = p.Restore(t.Context(), id, func(id string) error { before = id; return nil })
	require.NoError(t, err)
	first["ignored"] = "later"
	assert.Equal(t, first, p.files(), "byte for byte; what git ignores is left alone")

	err = p.Restore(t.Context(), before, unkept)
	require.NoError(t, err)
	assert.Equal(t, second, p.files(), "and back again")
}

// The project's own repository, its hooks and its index are not touched.
func TestProjectsOwnRepository(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.txt": "one"})
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = p.Root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	git("init", "--quiet")
	hook := filepath.Join(p.Root, ".git", "hooks", "pre-commit")
	require.NoError(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	require.NoError(t, os.WriteFile(hook, []byte("#!/bin/sh\ntouch "+filepath.Join(p.Root, "ran")+"\n"), 0o755))
	status := git("status", "--porcelain")
	id, err := p.Take(t.Context(), "first")
	require.NoError(t, err)
	p.write(map[string]string{"a.txt": "two"})
	err = p.Restore(t.Context(), id, unkept)
	require.NoError(t, err)
	assert.Equal(t, status, git("status", "--porcelain"))
	assert.Equal(t, map[string]string{"a.txt": "one"}, p.files())
}

// If the home is inside the project, the data stored there is left out.
func TestHomeWithinProject(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.txt": "one"})
	p.Dir = filepath.Join(p.Root, ".gemini", "history", "p")
	for range 2 {
		_, err := p.Take(t.Context(), "again")
		require.NoError(t, err)
	}
	listed, err := p.git(t.Context(), "ls-files")
	require.NoError(t, err)
	assert.Equal(t, "a.txt", listed)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.txt": "one"})
	_, err := p.Take(t.Context(), "first")
	require.NoError(t, err)
	for _, id := range []string{"", "nope", "--all", "0000000000000000000000000000000000000000"} {
		err := p.Restore(t.Context(), id, unkept)
		assert.ErrorIs(t, err, ErrUnknown, id)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Take(ctx, "late")
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, map[string]string{"a.txt": "one"}, p.files())

	file := filepath.Join(p.Root, "a.txt")
	_, err = Store{Dir: filepath.Join(file, "x"), Root: p.Root}.Take(t.Context(), "no room")
	assert.ErrorContains(t, err, "taking a snapshot of "+p.Root)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"same": "x\n", "changed": "1\n2\n", "gone": "a\nb\n", "bin": "\x00\x01", ".gitignore": "ignored\n"})
	id, err := p.Take(t.Context(), "before")
	require.NoError(t, err)
	none, err := p.Compare(t.Context(), id)
	require.NoError(t, err)
	assert.Empty(t, none)
	p.write(map[string]string{"changed": "1\n3\n4\n", "new dir/é": "n\n", "bin": "\x00\x02", "ignored": "i\n"})
	require.NoError(t, os.Remove(filepath.Join(p.Root, "gone")))
	changes, err := p.Compare(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, []Change{
		{filepath.Join(p.Root, "bin"), 0, 0},
		{filepath.Join(p.Root, "changed"), 2, 1},
		{filepath.Join(p.Root, "gone"), 0, 2},
		{filepath.Join(p.Root, "new dir/é"), 1, 0},
	}, changes)
	for _, unknown := range []string{"nope", "--output=x"} {
		_, err = p.Compare(t.Context(), unknown)
		assert.ErrorIs(t, err, ErrUnknown)
	}
}

func unkept(string) error { return nil }

// TestNestedRepositoriesRunNothing checks that nothing of a repository within the
// project runs. Such a repository may come from anyone, and name programs that git runs
// to see what changed in it.
func TestNestedRepositoriesRunNothing(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.txt": "one", "sub/.gitattributes": "* filter=evil\n"})
	sub, proof := filepath.Join(p.Root, "sub"), filepath.Join(p.Root, "..", "proof")
	for i, args := range [][]string{
		{"init", "--quiet"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x", "commit", "--quiet", "-m", "x"},
		{"config", "core.fsmonitor", "echo fsmonitor >> '" + proof + "'; false"}, {"config", "filter.evil.clean", "echo filter >> '" + proof + "'; cat"},
		{"status"}, // proves that the attack works
	} {
		c := exec.Command("git", args...)
		c.Dir, c.Env = sub, append(p.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		if i == 4 {
			p.write(map[string]string{"sub/.gitattributes": "* filter=evil\n#\n", "sub/later.txt": "later"})
		}
	}
	require.FileExists(t, proof)
	require.NoError(t, os.Remove(proof))
	first, err := p.Take(t.Context(), "first")
	require.NoError(t, err)
	p.write(map[string]string{"a.txt": "two", "sub/.gitattributes": "* filter=evil\n##\n"})
	_, err = p.Compare(t.Context(), first)
	require.NoError(t, err)
	require.NoError(t, p.Restore(t.Context(), first, func(string) error { return nil }))
	assert.Equal(t, "one", p.files()["a.txt"])
	assert.Equal(t, "later", p.files()["sub/later.txt"])
	assert.NoFileExists(t, proof)
}

package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteFile(t *testing.T) {
	t.Parallel()
	w, root, _ := fixture(t)
	for _, tt := range []struct{ path, file string }{
		{"a.txt", "a.txt"},
		{"new/dir/x", "new/dir/x"},
		{"in", "sub/b.txt"},                // through a link,
		{"newin", "sub/new.txt"},           // a dangling one too,
		{"absin/x/y", "sub/x/y"},           // or a directory's
		{"up/project/z", "z"},              // out and in again
		{strings.Repeat("n", 200), "nnnn"}, // the temporary name is not longer than names may be
	} {
		require.NoError(t, w.WriteFile(tt.path, []byte("new")), tt.path)
		if tt.file != "nnnn" {
			b, err := os.ReadFile(filepath.Join(root, tt.file))
			require.NoError(t, err)
			assert.Equal(t, "new", string(b))
		}
	}
	target, err := os.Readlink(filepath.Join(root, "in"))
	require.NoError(t, err)
	assert.Equal(t, "sub/b.txt", target, "a link stays a link")
	for _, line := range listing(t, root) {
		assert.NotContains(t, line, ".minigem-", "nothing temporary is left")
	}
}

func TestWriteKeepsMode(t *testing.T) {
	t.Parallel()
	w, root, _ := fixture(t)
	for _, mode := range []fs.FileMode{0o755, 0o600, 0o666, 0o640} {
		file := filepath.Join(root, "a.txt")
		require.NoError(t, os.Chmod(file, mode))
		require.NoError(t, w.WriteFile("a.txt", []byte("x")))
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm())
	}
}

func TestWriteFails(t *testing.T) {
	t.Parallel()
	w, root, _ := fixture(t)
	require.NoError(t, os.Chmod(filepath.Join(root, "a.txt"), 0o444))
	before := listing(t, root)
	for _, tt := range []struct {
		path string
		want error
	}{
		{"a.txt", fs.ErrPermission},
		{"sub", ErrIsDirectory},
		{".", ErrIsDirectory},
		{"sub/b.txt/x", nil},
		{strings.Repeat("n", 300), nil},
	} {
		err := w.WriteFile(tt.path, []byte("x"))
		require.Error(t, err, tt.path)
		if tt.want != nil {
			assert.ErrorIs(t, err, tt.want)
		}
	}
	assert.Equal(t, before, listing(t, root))
}

// TestReplaceChanged checks that changes since the snapshot are kept.
func TestReplaceChanged(t *testing.T) {
	t.Parallel()
	for name, meddle := range map[string]func(file string) error{
		"changed":     func(f string) error { return os.WriteFile(f, []byte("theirs"), 0o644) },
		"same length": func(f string) error { return os.WriteFile(f, []byte("A.txt"), 0o644) },
		"removed":     os.Remove,
		"directory":   func(f string) error { return errors.Join(os.Remove(f), os.Mkdir(f, 0o755)) },
		"link":        func(f string) error { return errors.Join(os.Remove(f), os.Symlink("sub/b.txt", f)) },
		"link out":    func(f string) error { return errors.Join(os.Remove(f), os.Symlink("../outside/secret", f)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, root, _ := fixture(t)
			s, err := w.Snapshot("a.txt", 100)
			require.NoError(t, err)
			require.NoError(t, meddle(filepath.Join(root, "a.txt")))
			before := listing(t, filepath.Dir(root))
			require.Error(t, w.Replace(s, []byte("ours")))
			assert.Equal(t, before, listing(t, filepath.Dir(root)))
		})
	}
	w, root, _ := fixture(t)
	s, err := w.Snapshot("fresh", 0)
	require.NoError(t, err)
	assert.Equal(t, Snapshot{Path: filepath.Join(root, "fresh")}, s)
	require.NoError(t, os.WriteFile(filepath.Join(root, "fresh"), nil, 0o644))
	assert.ErrorIs(t, w.Replace(s, []byte("ours")), ErrChanged)
}

func TestSnapshotLimit(t *testing.T) {
	t.Parallel()
	w, root, _ := fixture(t)
	_, err := w.Snapshot("a.txt", 4)
	assert.ErrorIs(t, err, ErrTooLarge)
	s, err := w.Snapshot("a.txt", 5)
	require.NoError(t, err)
	assert.Equal(t, Snapshot{Path: filepath.Join(root, "a.txt"), Exists: true, Data: []byte("a.txt"), Mode: 0o644}, s)
	_, err = w.Snapshot("sub", 0)
	assert.ErrorIs(t, err, ErrIsDirectory)
}

func TestMkdirAll(t *testing.T) {
	t.Parallel()
	w, root, _ := fixture(t)
	require.NoError(t, w.MkdirAll("x/y/z"))
	require.NoError(t, w.MkdirAll("x/y/z"))
	require.NoError(t, w.MkdirAll("absin/new"))
	assert.DirExists(t, filepath.Join(root, "x/y/z"))
	assert.DirExists(t, filepath.Join(root, "sub/new"))
	assert.Error(t, w.MkdirAll("a.txt/x"))
}

func TestRemove(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "x")
	for _, path := range []string{filepath.Join(dir, "a"), filepath.Join(dir, "changed"), filepath.Join(dir, ".env"), outside} {
		require.NoError(t, os.WriteFile(path, []byte("1"), 0o644))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	w, err := New(dir)
	require.NoError(t, err)
	was := func(name string) Snapshot {
		s, err := w.Snapshot(name, 0)
		require.NoError(t, err)
		return s
	}
	require.NoError(t, w.Remove(was("a")))
	assert.NoFileExists(t, filepath.Join(dir, "a"))
	for _, gone := range []string{"a", "nowhere/b"} {
		require.NoError(t, w.Remove(was(gone)), "what is not there is no error")
	}
	changed := was("changed")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "changed"), []byte("2"), 0o644))
	require.ErrorIs(t, w.Remove(changed), ErrChanged)
	assert.FileExists(t, filepath.Join(dir, "changed"))
	for path, want := range map[string]error{
		outside: ErrOutside, filepath.Join(dir, ".env"): ErrOutside, filepath.Join(dir, "sub"): ErrIsDirectory,
	} {
		require.ErrorIs(t, w.Remove(Snapshot{Path: path, Exists: true, Data: []byte("1")}), want, path)
	}
	assert.FileExists(t, outside)
}

package atomicfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	for _, content := range []string{"first, and longer", "second"} {
		require.NoError(t, WriteFile(path, []byte(content), 0o600))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, content, string(got))
		require.NoError(t, WriteText(path, content+" as text", 0o600))
		got, err = os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, content+" as text", string(got))
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left next to the file")
}

// An existing file keeps permissions that the umask would remove from a new one.
func TestRewriteKeepsPermissions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, mode := range []os.FileMode{0o600, 0o640, 0o666, 0o755} {
		path := filepath.Join(dir, mode.String())
		require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
		require.NoError(t, os.Chmod(path, mode))
		before, err := os.Stat(path)
		require.NoError(t, err)
		require.NoError(t, Rewrite(path, []byte("new"), 0o600))
		after, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, before.Mode(), after.Mode())
	}
	require.NoError(t, Rewrite(filepath.Join(dir, "fresh"), []byte("new"), 0o600))
	assert.Len(t, names(t, dir), 5)
}

func TestFailureLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "held")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "inside"), 0o755))
	require.Error(t, WriteFile(path, []byte("x"), 0o600), "a directory is in the way")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	require.Error(t, WriteFile(filepath.Join(dir, "no", "such", "dir"), nil, 0o600))
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

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
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left beside the file")
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

package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
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
	assert.Len(t, entries, 1, "nothing is left beside the file")
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

func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stay := []string{".minigem-short.tmp", ".minigem-ABCDEFGHIJKLMNOPQRSTUVWXYZ.txt", "ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp", "a.json"}
	for _, name := range append([]string{TempName(), TempName()}, stay...) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	folder := TempName()
	require.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
	Sweep(dir, filepath.Join(dir, "none"))
	assert.ElementsMatch(t, append(stay, folder), names(t, dir))
}

// A sweep during writes loses no file.
func TestSweepWhileWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	done := make(chan struct{})
	var sweeper, writers sync.WaitGroup
	sweeper.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				Sweep(dir)
			}
		}
	})
	for i := range 4 {
		writers.Go(func() {
			path := filepath.Join(dir, fmt.Sprint(i))
			for j := range 10 {
				if err := WriteFile(path, fmt.Append(nil, j), 0o600); err != nil {
					assert.ErrorIs(t, err, os.ErrNotExist) // the file was swept five times in a row
					continue
				}
				got, err := os.ReadFile(path)
				assert.NoError(t, err)
				assert.Equal(t, fmt.Sprint(j), string(got))
			}
		})
	}
	writers.Wait()
	close(done)
	sweeper.Wait()
	Sweep(dir)
	for _, name := range names(t, dir) {
		assert.Len(t, name, 1, "only the files themselves are left")
	}
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

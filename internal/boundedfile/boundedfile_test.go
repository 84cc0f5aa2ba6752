package boundedfile_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/boundedfile"
)

func TestReadUpToTheLimit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	for n := range 5 {
		want := bytes.Repeat([]byte("x"), n)
		require.NoError(t, os.WriteFile(path, want, 0o600))
		got, err := boundedfile.Read(path, 3)
		if n > 3 {
			require.ErrorIs(t, err, boundedfile.ErrTooLarge, n)
			assert.ErrorContains(t, err, path+": larger than 3 bytes, the limit for such a file")
			continue
		}
		require.NoError(t, err, n)
		assert.Equal(t, string(want), string(got))
	}
	_, err := boundedfile.ReadAll(strings.NewReader("four"), "stdin", 3)
	require.ErrorIs(t, err, boundedfile.ErrTooLarge)
	assert.ErrorContains(t, err, "read stdin: larger than")
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := boundedfile.Read(filepath.Join(dir, "none"), 3)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = boundedfile.Read(dir, 3)
	require.ErrorIs(t, err, syscall.EISDIR)
	sparse := filepath.Join(dir, "sparse")
	require.NoError(t, os.WriteFile(sparse, nil, 0o600))
	require.NoError(t, os.Truncate(sparse, 1<<40)) // reading it would use up the machine
	_, err = boundedfile.Read(sparse, boundedfile.Recorded)
	require.ErrorIs(t, err, boundedfile.ErrTooLarge)
	assert.ErrorContains(t, err, "larger than 256 MiB")
}

// TestFindTakesTheFolderLiterally: the brackets of its name are no pattern.
func TestFindTakesTheFolderLiterally(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "[slug]", "*")
	for _, name := range []string{"a.sh", "b.sh", "b.md", "chats/c.sh"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	assert.Equal(t, []string{filepath.Join(dir, "a.sh"), filepath.Join(dir, "b.sh")}, boundedfile.Find(dir, "*.sh"))
	assert.Equal(t, []string{filepath.Join(dir, "chats", "c.sh")}, boundedfile.Find(dir, "*/*.sh"))
	assert.Empty(t, boundedfile.Find(filepath.Join(dir, "none"), "*"))
}

package jsonc_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/jsonc"
)

func TestUpdateKeepsLinksAndPermissions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, "real.json")
	link := filepath.Join(dir, "link.json")
	require.NoError(t, os.WriteFile(target, []byte("old"), 0o640))
	require.NoError(t, os.Symlink("real.json", link))

	require.NoError(t, jsonc.Update(link, 0o600, func(data []byte) ([]byte, error) {
		assert.Equal(t, "old", string(data))
		return []byte("new"), nil
	}))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.Equal(t, os.ModeSymlink, info.Mode().Type())
	got, err := os.ReadFile(target)
	require.NoError(t, err)
	assert.Equal(t, "new", string(got))
	info, err = os.Stat(target)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
}

func TestUpdateOfAMissingFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "b.json")
	broken := errors.New("broken")
	require.ErrorIs(t, jsonc.Update(path, 0o600, func([]byte) ([]byte, error) { return nil, broken }), broken)
	assert.NoFileExists(t, path)

	require.NoError(t, jsonc.Update(path, 0o600, func(data []byte) ([]byte, error) {
		assert.Nil(t, data)
		return []byte("{}"), nil
	}))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestUpdatesFollowEachOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "n")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			assert.NoError(t, jsonc.Update(path, 0o600, func(data []byte) ([]byte, error) {
				n, _ := strconv.Atoi(string(data))
				return []byte(strconv.Itoa(n + 1)), nil
			}))
		})
	}
	wg.Wait()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "20", string(got))
}

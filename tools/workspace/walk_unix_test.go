//go:build unix

package workspace_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools/workspace"
	"minigem/tools/workspace/filetest"
)

// Opening a pipe without a writer would block forever.
func TestEntryOpenPipe(t *testing.T) {
	t.Parallel()
	dir := filetest.Tree(t, map[string]string{"pipe": "a file when it was listed"})
	require.NoError(t, open(t, dir).Walk(context.Background(), "", workspace.Walk{}, func(e *workspace.Entry) error {
		require.NoError(t, os.Remove(filepath.Join(dir, e.Path)))
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, e.Path), 0o600))
		_, _, err := e.Open()
		assert.EqualError(t, err, "open pipe: not a regular file: invalid argument")
		return nil
	}))
	require.NoError(t, os.Remove(filepath.Join(dir, "pipe")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	assert.Empty(t, walked(t, open(t, dir), "", workspace.Walk{}), "a pipe is not a file")
}

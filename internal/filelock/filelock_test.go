package filelock_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/filelock"
)

func TestWait(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	release, err := filelock.Wait(t.Context(), path)
	require.NoError(t, err)

	ended, end := context.WithCancel(t.Context())
	end()
	_, err = filelock.Wait(ended, path)
	assert.ErrorIs(t, err, context.Canceled, "who need not wait any more does not")

	taken := make(chan error)
	go func() {
		again, err := filelock.Wait(t.Context(), path)
		if err == nil {
			again()
		}
		taken <- err
	}()
	release()
	assert.NoError(t, <-taken)

	release, err = filelock.Wait(t.Context(), filepath.Join(path, "no such directory", "f"))
	require.NoError(t, err, "where nothing can be locked nobody waits")
	release()
}

//go:build unix

package wiring

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVariablesOfAPipe checks that only regular files left by SessionStart hooks are
// read before a command.
func TestVariablesOfAPipe(t *testing.T) {
	t.Parallel()
	c := forClaude{dir: t.TempDir()}
	file, err := c.envFile()
	require.NoError(t, err)
	require.NoError(t, syscall.Mkfifo(file, 0o600))
	assert.Empty(t, c.prelude())
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(c.dir, "sessionstart-hook-1.sh")))
	assert.Empty(t, c.prelude())
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.WriteFile(file, []byte("A=1"), 0o600))
	assert.Equal(t, ". "+file+"; ", c.prelude())
}

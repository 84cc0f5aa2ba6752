package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
)

// TestFullDisk writes to a file system of 64 KiB.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("mounting a small file system needs privileges: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	ws := project(t, dir, map[string]string{"f": "ours a\n"})
	much := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		tool tools.Tool
		args args
	}{
		{WriteFile(ws), args{"file_path": "f", "content": much}},
		{WriteFile(ws), args{"file_path": "new", "content": much}},
		{Replace(ws), args{"file_path": "f", "old_string": "a", "new_string": much, "instruction": "i"}},
	} {
		_, failed := call(t, c.tool, c.args)
		require.NotNil(t, failed)
		assert.Equal(t, tools.ErrNoSpace, failed.Type, failed.Message)
		assert.Contains(t, failed.Message, "no space left on device")
	}
	assert.Equal(t, "ours a\n", get(t, dir, "f"), "the file is as it was")
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	hidden, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, names, 1)
	assert.Len(t, hidden, 1, "nothing temporary is left")
}

package e2e

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// mountSmall mounts a disk of size bytes at dir, if that is permitted.
func mountSmall(t *testing.T, dir string, size int) {
	t.Helper()
	mountTmpfs(t, dir, 0, fmt.Sprintf("size=%d", size))
}

// mountReadOnly makes dir read-only, even for root.
func mountReadOnly(t *testing.T, dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return // its mode is enough
	}
	mountTmpfs(t, dir, syscall.MS_RDONLY, "size=64k")
}

// growMount enlarges a small disk.
func growMount(dir string, size int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", size))
}

func mountTmpfs(t *testing.T, dir string, flags uintptr, options string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, options); err != nil {
		t.Skipf("mounting a small disk: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
}

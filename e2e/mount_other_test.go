//go:build !linux

package e2e

import (
	"os"
	"testing"
)

func mountSmall(t *testing.T, _ string, _ int) {
	t.Helper()
	t.Skip("a small disk can be mounted on Linux only")
}

func mountReadOnly(t *testing.T, _ string) {
	t.Helper()
	if os.Geteuid() <= 0 {
		t.Skip("a directory that cannot be written needs another user than root, and modes")
	}
}

func growMount(string, int) error { return nil }

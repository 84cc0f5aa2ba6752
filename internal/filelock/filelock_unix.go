//go:build !windows

package filelock

import (
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// newLock locks the directory: the file itself is replaced, so that a lock on
// it would hold nobody back, and no lock file is left in a project.
func newLock(path string) *flock.Flock {
	return flock.New(filepath.Dir(path), flock.SetFlag(os.O_RDONLY))
}

//go:build !windows

package filelock

import (
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// newLock locks the directory. A lock on the file would be useless, because the file is
// replaced, and no lock file should be left in a project.
func newLock(path string) *flock.Flock {
	return flock.New(filepath.Dir(path), flock.SetFlag(os.O_RDONLY))
}

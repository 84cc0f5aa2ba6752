//go:build !windows

package jsonc

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// newLock locks the directory: the file itself is replaced, so that a lock on
// it would hold nobody back, and no lock file is left in a project.
func newLock(path string) *flock.Flock {
	return flock.New(filepath.Dir(path), flock.SetFlag(os.O_RDONLY))
}

func replaceFile(path string, data []byte, perm fs.FileMode) error {
	return renameio.WriteFile(path, data, perm, renameio.WithTempDir(filepath.Dir(path)), renameio.WithExistingPermissions())
}

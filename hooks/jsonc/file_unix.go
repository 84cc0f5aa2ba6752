//go:build !windows

package jsonc

import (
	"io/fs"
	"path/filepath"

	"github.com/google/renameio/v2"
)

func replaceFile(path string, data []byte, perm fs.FileMode) error {
	return renameio.WriteFile(path, data, perm, renameio.WithTempDir(filepath.Dir(path)), renameio.WithExistingPermissions())
}

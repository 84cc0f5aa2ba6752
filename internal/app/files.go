package app

import (
	"path/filepath"
)

// Absolute resolves path against the directory where the command was started.
func Absolute(sys *System, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(sys.Dir, path)
}

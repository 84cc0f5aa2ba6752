package jsonc

import (
	"io/fs"
	"os"
)

// replaceFile renames over the old file: as near to atomic as Windows gets.
func replaceFile(path string, data []byte, perm fs.FileMode) error {
	temp := path + ".new"
	if err := os.WriteFile(temp, data, perm); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

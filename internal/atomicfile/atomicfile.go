// Package atomicfile writes whole files so that a reader finds the old content
// or the new one, never half of either.
package atomicfile

import "os"

// WriteFile makes the file at path hold data. Its directory must exist. An
// existing file is replaced as a whole and then has the permissions perm.
func WriteFile(path string, data []byte, perm os.FileMode) error { return write(path, data, perm) }

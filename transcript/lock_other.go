//go:build !windows

package transcript

import (
	"os"

	"github.com/gofrs/flock"
)

// fileLock is held by the process that writes a session file.
type fileLock = flock.Flock

// newFileLock returns the lock of the file itself, not of a second file next to it: it
// opens that for reading and writing and never creates it.
func newFileLock(path string) *fileLock { return flock.New(path, flock.SetFlag(os.O_RDWR)) }

//go:build !windows

package transcript

import (
	"os"

	"github.com/gofrs/flock"
)

// fileLock is held by the process that writes a session file.
type fileLock = flock.Flock

func newFileLock(path string) *fileLock { return flock.New(path, flock.SetFlag(os.O_RDWR)) }

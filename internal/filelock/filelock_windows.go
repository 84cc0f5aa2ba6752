package filelock

import "github.com/gofrs/flock"

// newLock needs a lock file, because Windows cannot lock directories.
func newLock(path string) *flock.Flock { return flock.New(path + ".lock") }

package filelock

import "github.com/gofrs/flock"

// newLock needs a file of its own here: directories cannot be locked.
func newLock(path string) *flock.Flock { return flock.New(path + ".lock") }

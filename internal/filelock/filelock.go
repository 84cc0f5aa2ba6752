// Package filelock keeps programs from changing a file at the same time where
// each of them reads it and puts a new one in its place.
package filelock

import (
	"context"
	"time"

	"github.com/gofrs/flock"
)

// New is the lock of the file at path, whose directory must exist. Programs that
// use it wait for each other; nobody else is kept from anything. Locks of other
// files in the directory may be the same one: hold one at a time.
func New(path string) *flock.Flock { return newLock(path) }

// patience is the time between two looks at a lock that another program holds.
const patience = 5 * time.Millisecond

// Wait takes the lock of path and returns what gives it back. It waits until
// ctx ends, whose error it then returns. Where the file system knows no locks
// nothing is taken, which is no error.
func Wait(ctx context.Context, path string) (release func(), err error) {
	lock := New(path)
	if _, err := lock.TryLockContext(ctx, patience); err != nil && ctx.Err() != nil {
		_ = lock.Close()
		return nil, context.Cause(ctx)
	}
	return func() { _ = lock.Close() }, nil
}

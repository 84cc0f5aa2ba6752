// Package filelock prevents programs from changing a file at the same time when
// each of them reads it and replaces it.
package filelock

import (
	"context"
	"time"

	"github.com/gofrs/flock"
)

// New returns the lock of the file at path, whose directory must exist. It only affects
// programs that use it. Files in one directory may share a lock, so hold only one at a
// time.
func New(path string) *flock.Flock { return newLock(path) }

// pollInterval is the time between two attempts to get a lock.
const pollInterval = 5 * time.Millisecond

// Wait takes the lock of path and returns a function that releases it. If ctx ends
// first, it returns ctx's error. If the file system has no locks, it takes none and
// returns no error.
func Wait(ctx context.Context, path string) (release func(), err error) {
	lock := New(path)
	if _, err := lock.TryLockContext(ctx, pollInterval); err != nil && ctx.Err() != nil {
		_ = lock.Close()
		return nil, context.Cause(ctx)
	}
	return func() { _ = lock.Close() }, nil
}

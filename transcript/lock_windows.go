package transcript

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// fileLock is held by the process that writes a session file. Windows prevents
// everybody else, even the same process by another handle, from reading and
// writing locked bytes, so the locked byte lies far beyond the size that a
// session file can have.
type fileLock struct {
	path string
	file *os.File // nil: not held
}

// newFileLock returns a lock that is not held yet.
func newFileLock(path string) *fileLock { return &fileLock{path: path} }

// TryLock reports whether it got the lock.
func (l *fileLock) TryLock() (bool, error) {
	if l.file != nil {
		return true, nil
	}
	f, err := os.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, f.Close()
	case err != nil:
		return false, errors.Join(err, f.Close())
	}
	l.file = f
	return true, nil
}

// Close releases the lock.
func (l *fileLock) Close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

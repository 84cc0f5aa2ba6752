//go:build unix

package workspace

import (
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A walk opens each file of a tree, and os.Root needs several times as many
// system calls as this. Here a directory is entered by one openat that refuses
// links, relative to the open directory above it. That is as strong, because
// each name is one component and nothing is checked before it is opened. A file
// takes openat, fstat, read and close.

// handle is an open directory that is closed when its last task is done.
type handle struct {
	fd    int
	users atomic.Int32
}

// newHandle takes ownership of root. It fails without read permission.
func newHandle(root *os.Root) (*handle, error) {
	defer root.Close()
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return held(fd), nil
}

func held(fd int) *handle {
	h := &handle{fd: fd}
	h.users.Store(1)
	return h
}

func (h *handle) release() {
	if h.users.Add(-1) == 0 {
		unix.Close(h.fd)
	}
}

// enter opens the subdirectory name, which must not be a link.
func (h *handle) enter(name string) (*handle, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := retry(func() (int, error) { return unix.Openat(h.fd, name, flags, 0) })
	if err != nil {
		return nil, err
	}
	return held(fd), nil
}

// modTime returns that of the file or link name.
func (h *handle) modTime(name string) (time.Time, error) {
	var st unix.Stat_t
	if _, err := retry(func() (int, error) { return 0, unix.Fstatat(h.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return time.Time{}, err
	}
	return time.Unix(st.Mtim.Unix()), nil
}

// open opens the regular file name, which must not be a link.
func (h *handle) open(name string) (io.ReadCloser, int64, error) {
	// O_NONBLOCK: opening must not block if a pipe replaced the file.
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	fd, err := retry(func() (int, error) { return unix.Openat(h.fd, name, flags, 0) })
	if err != nil {
		return nil, 0, err
	}
	var st unix.Stat_t
	if _, err = retry(func() (int, error) { return 0, unix.Fstat(fd, &st) }); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errSwapped
	}
	if err != nil {
		unix.Close(fd)
		return nil, 0, err
	}
	return descriptor(fd), st.Size, nil
}

// descriptor is an open regular file.
type descriptor int

func (d descriptor) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := retry(func() (int, error) { return unix.Read(int(d), p) })
	if n <= 0 && err == nil {
		err = io.EOF
	}
	return max(n, 0), err
}

func (d descriptor) Close() error { return unix.Close(int(d)) }

// retry repeats a system call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != unix.EINTR {
			return n, err
		}
	}
}

// kindOf returns the type of the entry name, for file systems that do not store
// it in directories; if asking fails the type is unknown.
func (h *handle) kindOf(name string) fs.FileMode {
	var st unix.Stat_t
	if _, err := retry(func() (int, error) { return 0, unix.Fstatat(h.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return fs.ModeIrregular
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}

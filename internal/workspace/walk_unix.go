//go:build unix

package workspace

import (
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// A walk opens each file of a tree, and os.Root takes twice the system calls
// that this needs: here they are openat, fstat, read and close.

// entries lists the directory without asking about each entry, which a file
// that came from an os.Root does.
func (h *handle) entries() []fs.DirEntry {
	fd, err := unix.FcntlInt(h.self.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), h.Name())
	defer f.Close()
	entries, _ := f.ReadDir(-1)
	return entries
}

// open opens the regular file name, which must not be a link.
func (h *handle) open(name string) (io.ReadCloser, int64, error) {
	// O_NONBLOCK: a pipe that took the file's place must not block.
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	fd, err := retry(func() (int, error) { return unix.Openat(int(h.self.Fd()), name, flags, 0) })
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

package workspace

import (
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"
)

// handle is an open directory. Its last task closes it.
type handle struct {
	root  *os.Root
	users atomic.Int32
}

// newHandle takes ownership of root.
func newHandle(root *os.Root) *handle {
	h := &handle{root: root}
	h.users.Store(1)
	return h
}

// release closes the directory when its last task is done.
func (h *handle) release() {
	if h.users.Add(-1) == 0 {
		h.root.Close()
	}
}

// enter opens the subdirectory name, which must not be a link.
func (h *handle) enter(name string) (*handle, error) {
	root, err := enter(h.root, name, false)
	if err != nil {
		return nil, err
	}
	return newHandle(root), nil
}

// read returns the entries of the directory, as many as can be read.
func (h *handle) read() []fs.DirEntry {
	dir, err := h.root.Open(".")
	if err != nil {
		return nil
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(-1)
	return entries
}

// modTime returns the modification time of the file or link name.
func (h *handle) modTime(name string) (time.Time, error) {
	info, err := h.root.Lstat(name)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// open opens the regular file name, which must not be a link.
func (h *handle) open(name string) (io.ReadCloser, int64, error) {
	f, err := openExact(h.root, name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errSwapped
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

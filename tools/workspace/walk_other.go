//go:build !unix

package workspace

import (
	"io"
	"os"
	"sync/atomic"
	"time"
)

// handle is an open directory that is closed when its last task is done.
type handle struct {
	root  *os.Root
	self  *os.File // the same directory, for listing
	users atomic.Int32
}

// newHandle takes ownership of root. It fails without read permission.
func newHandle(root *os.Root) (*handle, error) {
	self, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	h := &handle{root: root, self: self}
	h.users.Store(1)
	return h, nil
}

func (h *handle) release() {
	if h.users.Add(-1) == 0 {
		h.self.Close()
		h.root.Close()
	}
}

// enter opens the subdirectory name, which must not be a link.
func (h *handle) enter(name string) (*handle, error) {
	root, err := enter(h.root, name, false)
	if err != nil {
		return nil, err
	}
	return newHandle(root)
}

// read adds the entries of the directory to l.
func (h *handle) read(l *lister, before string) {
	entries, _ := h.self.ReadDir(-1)
	for _, e := range entries {
		add(l, before, e.Name(), e.Type())
	}
}

// modTime returns that of the file or link name.
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

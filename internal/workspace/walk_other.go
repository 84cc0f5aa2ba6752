//go:build !unix

package workspace

import (
	"io"
	"io/fs"
)

func (h *handle) entries() []fs.DirEntry {
	entries, _ := h.self.ReadDir(-1)
	return entries
}

// open opens the regular file name, which must not be a link.
func (h *handle) open(name string) (io.ReadCloser, int64, error) {
	f, err := openExact(h.Root, name)
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

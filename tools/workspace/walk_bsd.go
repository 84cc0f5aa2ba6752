//go:build unix && !linux

package workspace

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// read adds the entries of the directory to l. The record formats differ: the
// os package knows them.
func (h *handle) read(l *lister, before string) {
	fd, err := unix.FcntlInt(uintptr(h.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	entries, _ := f.ReadDir(-1)
	for _, e := range entries {
		kind := e.Type()
		if kind&fs.ModeIrregular != 0 {
			kind = h.kindOf(e.Name())
		}
		add(l, before, e.Name(), kind)
	}
}

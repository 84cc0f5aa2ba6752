package workspace

import (
	"bytes"
	"encoding/binary"
	"io/fs"

	"golang.org/x/sys/unix"
)

// direntBuffer holds some thousand entries.
const direntBuffer = 64 << 10

// read adds the entries of the directory to l.
func (h *handle) read(l *lister, before string) {
	if l.raw == nil {
		l.raw = make([]byte, direntBuffer)
	}
	for {
		n, err := retry(func() (int, error) { return unix.Getdents(h.fd, l.raw) })
		if n <= 0 || err != nil {
			return
		}
		h.parse(l, before, l.raw[:n])
	}
}

// parse parses records of getdents64(2): inode and offset of 8 bytes each, the
// record's length of 2, a type of 1, and the name up to a zero.
func (h *handle) parse(l *lister, before string, raw []byte) {
	const lengthAt, kindAt, nameAt = 16, 18, 19
	for len(raw) > nameAt {
		length := int(binary.NativeEndian.Uint16(raw[lengthAt:]))
		if length <= nameAt || length > len(raw) {
			return
		}
		name, _, _ := bytes.Cut(raw[nameAt:length], []byte{0})
		kind := raw[kindAt]
		deleted := binary.NativeEndian.Uint64(raw) == 0
		raw = raw[length:]
		if deleted || len(name) == 0 || string(name) == "." || string(name) == ".." {
			continue
		}
		add(l, before, name, h.kind(kind, name))
	}
}

func (h *handle) kind(raw byte, name []byte) fs.FileMode {
	switch raw {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_UNKNOWN:
		return h.kindOf(string(name))
	}
	return fs.ModeIrregular
}

// Package boundedfile reads files that somebody else may have written: a
// project, an extension, another program, another user. What lies under the
// name may be anything; reading it never waits for a writer, never goes on
// without end and never takes more memory than was allowed.
package boundedfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Limits, in bytes, of what is read of one file.
const (
	// Written bounds what people write by hand: settings, hooks, policies,
	// ignore files, commands, manifests, variables.
	Written int64 = 1 << 20
	// Kept bounds what programs keep: registries, stores of trust, histories
	// of prompts, cases, scripted answers.
	Kept int64 = 16 << 20
	// Recorded bounds what grows with a conversation: sessions, checkpoints,
	// traces.
	Recorded int64 = 256 << 20
)

// ErrTooLarge is what errors.Is finds where a file holds more than the limit.
var ErrTooLarge = errors.New("too large")

// ErrNotRegular is what errors.Is finds where the name leads to something that
// is neither a file nor a directory: a named pipe, a device, a socket.
var ErrNotRegular = errors.New("not a regular file")

// limitError says how much is too much.
type limitError struct{ limit int64 }

func (e limitError) Error() string {
	return fmt.Sprintf("larger than %s, the most that is read of such a file", size(e.limit))
}

func (e limitError) Is(target error) bool { return target == ErrTooLarge }

// kindError says what there is in place of a file.
type kindError struct{ mode fs.FileMode }

func (e kindError) Error() string {
	switch {
	case e.mode&fs.ModeNamedPipe != 0:
		return "is a named pipe, not a file"
	case e.mode&fs.ModeSocket != 0:
		return "is a socket, not a file"
	case e.mode&fs.ModeDevice != 0:
		return "is a device, not a file"
	}
	return "is not a regular file"
}

func (e kindError) Is(target error) bool { return target == ErrNotRegular }

func size(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	if n >= 1<<10 && n%(1<<10) == 0 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Read returns what the file at path holds; links are followed. Its error is a
// *fs.PathError whose cause is ErrTooLarge for more than limit bytes,
// syscall.EISDIR for a directory, ErrNotRegular for what is not a file at all, and
// otherwise what the system says.
func Read(path string, limit int64) ([]byte, error) {
	return read(path, limit, func(*os.File, int64) error { return nil })
}

// read is Read for a file that look, which leaves it at its beginning, lets pass.
func read(path string, limit int64, look func(f *os.File, size int64) error) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, TooLarge(path, limit)
	}
	if err := look(f, info.Size()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return readAll(f, path, limit, info.Size())
}

// Open opens the file at path for reading, without waiting for anybody; links
// are followed. It fails as Read does for all that is not a regular file.
func Open(path string) (*os.File, error) {
	// Opening a device may do something already, so look first.
	info, err := os.Stat(path)
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		pe.Op = "open" // what the caller did; Windows has other words for a look
	}
	if err != nil {
		return nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err = f.Stat() // it may be another one by now
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// OpenIn is Open for a name in the directory dir, and never leaves that.
func OpenIn(dir *os.Root, name string) (*os.File, error) {
	f, err := dir.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ReadAll reads r to its end. It waits as long as r does: it is for streams and
// for what the user named on the command line, which may be a pipe. More than
// limit bytes are an error as in Read; name stands for r in it.
func ReadAll(r io.Reader, name string, limit int64) ([]byte, error) {
	return readAll(r, name, limit, 0)
}

// ReadNamed reads a file that the user named on the command line, where a pipe
// such as bash's <(command) is welcome: one that is open already. A named pipe,
// to which perhaps nobody writes, and a device are refused as by Read.
func ReadNamed(path string, limit int64) ([]byte, error) {
	if !inherited(path) {
		return Read(path, limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, path, limit)
}

// inherited reports whether a path names what this process has open.
func inherited(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

func readAll(r io.Reader, name string, limit, expected int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(expected) + bytes.MinRead) // so that the end is seen without growing
	if _, err := b.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > limit {
		return nil, TooLarge(name, limit)
	}
	return b.Bytes(), nil
}

// TooLarge is the error of Read for a file that holds more than limit bytes, for
// those who read one in another way.
func TooLarge(path string, limit int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: limitError{limit}}
}

func regular(path string, info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	}
	return &fs.PathError{Op: "open", Path: path, Err: kindError{info.Mode()}}
}

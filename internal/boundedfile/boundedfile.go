// Package boundedfile reads files that somebody else may have written: a project, an
// extension, another program, another user. There may be anything under the name, but
// reading it never waits for a writer, never goes on forever and never takes more
// memory than allowed.
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

// Limits, in bytes, on what is read of one file.
const (
	// Written is the limit for what people write by hand: settings, hooks, policies,
	// ignore files, commands, manifests, variables.
	Written int64 = 1 << 20
	// Kept is the limit for what programs maintain: registries, stores of trust,
	// histories of prompts, cases, scripted answers.
	Kept int64 = 16 << 20
	// Recorded is the limit for what grows with a conversation: sessions, checkpoints,
	// traces.
	Recorded int64 = 256 << 20
)

// ErrTooLarge means that a file is larger than the limit.
var ErrTooLarge = errors.New("too large")

// ErrNotRegular means that the path leads to something that is neither a file nor a
// directory: a named pipe, a device, a socket.
var ErrNotRegular = errors.New("not a regular file")

// limitError says how much is too much.
type limitError struct{ limit int64 }

func (e limitError) Error() string {
	return fmt.Sprintf("larger than %s, the limit for such a file", size(e.limit))
}

func (e limitError) Is(target error) bool { return target == ErrTooLarge }

// kindError says what there is instead of a file.
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

// Read returns the contents of the file at path, following links. Its error is a
// *fs.PathError that wraps ErrTooLarge for more than limit bytes, syscall.EISDIR for a
// directory, ErrNotRegular for anything that is not a file, and otherwise the system's
// error.
func Read(path string, limit int64) ([]byte, error) {
	return read(path, limit, func(*os.File, int64) error { return nil })
}

// read is Read for a file that look accepts. look must leave the file at its beginning.
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

// Open opens the file at path for reading, without blocking, following links. Like
// Read, it fails for anything that is not a regular file.
func Open(path string) (*os.File, error) {
	// Just opening a device may have an effect, so look first.
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
	info, err = f.Stat() // it may have been replaced by now
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// OpenIn is Open for a name in the directory dir, and never leaves dir.
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

// ReadAll reads r to its end. It waits as long as r does, so it is for streams and for
// what the user named on the command line, which may be a pipe. More than limit bytes
// are an error as in Read, which calls the input name.
func ReadAll(r io.Reader, name string, limit int64) ([]byte, error) {
	size := int64(0)
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil {
			size = info.Size()
		}
	}
	if size > limit {
		return nil, TooLarge(name, limit) // before it is in memory
	}
	return readAll(r, name, limit, size)
}

// ReadNamed reads a file that the user named on the command line, which may be an
// already open pipe, such as bash's <(command). Like Read, it rejects a device, and a
// named pipe, which may have no writer.
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

// inherited reports whether path names something that this process has open.
func inherited(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

func readAll(r io.Reader, name string, limit, expected int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(expected) + bytes.MinRead) // so that the end is detected without growing
	if _, err := b.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > limit {
		return nil, TooLarge(name, limit)
	}
	return b.Bytes(), nil
}

// TooLarge returns the error of Read for a file of more than limit bytes, for code that
// reads a file in another way.
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

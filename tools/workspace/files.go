package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/boundedfile"
)

// errSwapped says that a component changed while it was being opened.
var errSwapped = errors.New("changed while it was being opened")

// Open opens a file or directory for reading; other kinds of files, such as pipes and
// devices, are refused. Its error is an [*OutsideError] or one of the file system, such
// as [fs.ErrNotExist]. The caller closes the file. [Buffers] do not count.
func (w *Workspace) Open(path string) (*os.File, error) {
	parent, base, err := w.parent(path)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	return openExact(parent, base)
}

// ReadFile reads a whole file of at most 256 MiB; see [Workspace.Open]. A larger file
// is an error.
func (w *Workspace) ReadFile(path string) ([]byte, error) {
	f, err := w.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return boundedfile.ReadAll(f, path, boundedfile.Recorded)
}

// Stat describes the file that path leads to, links followed; see [Workspace.Open]. A
// pipe or a device is described, too. The error wraps [fs.ErrNotExist] if nothing is
// there.
func (w *Workspace) Stat(path string) (fs.FileInfo, error) {
	parent, base, err := w.parent(path)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	return parent.Lstat(base)
}

// ReadDir lists a directory, sorted by name; see [Workspace.Open]. It lists protected
// names too, and does not follow links: [Workspace.Resolve] says whether one may be
// opened. It is an error if path is not a directory. If reading breaks off, the entries
// so far are returned with the error.
func (w *Workspace) ReadDir(path string) ([]fs.DirEntry, error) {
	f, err := w.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// parent opens the directory that contains path; see place.walk. The caller closes it.
func (w *Workspace) parent(path string) (*os.Root, string, error) {
	p, err := w.locate(w.Abs(path))
	if err != nil {
		return nil, "", err
	}
	return p.walk(false)
}

// walk opens the directory that contains p, one component at a time, so that
// none of them can be a link, and returns it with the last name. With create it
// makes missing directories. The caller closes the directory.
func (p place) walk(create bool) (*os.Root, string, error) {
	dirs, base := filepath.Split(p.rel)
	cur, err := p.root.OpenRoot(".")
	if err != nil {
		return nil, "", err
	}
	for name := range strings.SplitSeq(filepath.Clean(dirs), string(filepath.Separator)) {
		if name == "." || name == "" {
			continue
		}
		next, err := enter(cur, name, create)
		cur.Close()
		if err != nil {
			return nil, "", &fs.PathError{Op: "open", Path: filepath.Join(p.real, p.rel), Err: cause(err)}
		}
		cur = next
	}
	return cur, base, nil
}

// enter opens the subdirectory name of dir, which must not be a link.
func enter(dir *os.Root, name string, create bool) (*os.Root, error) {
	was, err := dir.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := dir.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		was, err = dir.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if was.Mode()&fs.ModeSymlink != 0 {
		return nil, errSwapped
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	is, err := next.Stat(".")
	if err == nil && !os.SameFile(was, is) {
		err = errSwapped
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// openExact opens name in dir for reading, never through a link.
func openExact(dir *os.Root, name string) (*os.File, error) {
	was, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if was.Mode()&fs.ModeSymlink != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errSwapped}
	}
	if !was.Mode().IsRegular() && !was.IsDir() {
		// Opening a pipe blocks until someone writes; opening a device may do
		// anything.
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("not a regular file: %w", fs.ErrInvalid)}
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	is, err := f.Stat()
	if err == nil && !os.SameFile(was, is) {
		err = &fs.PathError{Op: "open", Path: name, Err: errSwapped}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// cause removes the path from err, which names only a component.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

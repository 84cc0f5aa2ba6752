// Package workspace confines file access to the directories that a session may touch. It
// knows paths and files; what a file means, who may change it and what is ignored by a
// search is decided elsewhere.
//
//	w, err := workspace.New(root)
//	s, err := w.Snapshot("notes.txt", 0)
//	if err == nil {
//		err = w.Replace(s, append(s.Data, "more\n"...))
//	}
//
// Rules:
//   - A path is judged by where it leads, symbolic links followed, never by how it is
//     spelled. A dangling link leads to where it points.
//   - Every access walks from a directory handle that was opened once, one component at
//     a time, and refuses a component that became a symbolic link after it was judged. A
//     swap between check and use cannot escape.
//   - Names that hold secrets or other people's code (.git, .env and the like,
//     node_modules, gha-creds-*.json) are outside, at any depth.
//   - What lies in /proc differs from process to process: no link there is followed.
package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"minigem/internal/text"
)

// ErrOutside is what an [*OutsideError] unwraps to, for errors.Is.
var ErrOutside = errors.New("path not in workspace")

// OutsideError is the error for a path that is not in the workspace. Its text begins
// "Path not in workspace:" like Gemini CLI's, and lists the directories.
type OutsideError struct {
	// Path is absolute.
	Path string
	// Dirs are the directories of the project.
	Dirs []string
	// Temp are the temporary directories, which are allowed too.
	Temp []string
	// Name is the protected component, such as ".git"; empty if the path is elsewhere.
	Name string
}

// Error says what is allowed instead.
func (e *OutsideError) Error() string {
	where := strings.Join(e.Dirs, ", ")
	if len(e.Temp) > 0 {
		where += " or the project temp directory: " + strings.Join(e.Temp, ", ")
	}
	if e.Name != "" {
		return fmt.Sprintf("Path not in workspace: %q is protected (%s); allowed are other paths in %s", e.Path, e.Name,
			where)
	}
	return fmt.Sprintf("Path not in workspace: %q is outside the allowed directories: %s", e.Path, where)
}

// Unwrap returns [ErrOutside].
func (e *OutsideError) Unwrap() error { return ErrOutside }

// Workspace is a set of directories. It is safe for concurrent use. The zero Workspace,
// and a nil one, is empty: every path is outside it. It keeps a handle to each
// directory open for the life of the process.
type Workspace struct {
	// Announce, if not nil, is called with the absolute path before a temporary file is
	// created next to the file that is being written. If the process is killed before
	// it calls done, that file may remain. It must be set before the first write.
	Announce func(temp string) (done func())
	// Protects, if not nil, replaces [Protected]. It must be set before the first access.
	Protects func(rel string) string

	root string

	mu      sync.RWMutex
	dirs    []*dir // dirs[0] is the root
	kept    func(path string) bool
	buffers Buffers
}

// kind is what a directory of the workspace is for.
type kind int

const (
	project  kind = iota // part of the project: listed by Dirs
	temp                 // read and written, not searched
	readable             // read only, not searched
)

// dir is one allowed directory. It may not exist yet. Once it is opened, the
// handle pins it, wherever its name leads later.
type dir struct {
	name string // absolute, as given
	kind kind

	mu   sync.Mutex
	real string
	root *os.Root
}

// open returns the handle and the path without symbolic links. The handle stays open. A
// directory that does not exist yet is an error, and the next call tries again.
func (d *dir) open() (*os.Root, string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.root != nil {
		return d.root, d.real, nil
	}
	real, err := filepath.EvalSymlinks(d.name)
	if err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, "", err
	}
	d.root, d.real = root, real
	return root, real, nil
}

// New opens the workspace at root, with the additional project directories extra. root
// must exist; an extra one may be created later. Relative paths are taken from the
// working directory. The error says why root could not be opened, or comes from
// [Workspace.Add].
func New(root string, extra ...string) (*Workspace, error) {
	w := &Workspace{}
	if err := w.add(project, root); err != nil {
		return nil, err
	}
	w.root = w.dirs[0].name
	if _, _, err := w.dirs[0].open(); err != nil {
		return nil, fmt.Errorf("opening workspace %s: %w", w.root, err)
	}
	if err := w.Add(extra...); err != nil {
		return nil, err
	}
	return w, nil
}

// Add makes more directories part of the project. They need not exist yet. The error is
// that of [filepath.Abs], for a relative path without a working directory.
func (w *Workspace) Add(dirs ...string) error { return w.add(project, dirs...) }

// AddTemp allows directories to be read and written without being part of the project:
// searches skip them. The project's temporary directory is one. They need not exist
// yet. Errors are those of [Workspace.Add].
func (w *Workspace) AddTemp(dirs ...string) error { return w.add(temp, dirs...) }

// AddReadable allows directories to be read, such as an activated skill's, but not
// written. If one directory is inside another, the one that was added first counts.
// Errors are those of [Workspace.Add].
func (w *Workspace) AddReadable(dirs ...string) error { return w.add(readable, dirs...) }

// Keep makes files read-only: those for which kept returns true, given the absolute
// path as a tool names it, or the path that is opened, whose links are resolved. Changing
// one fails with [ErrKept]. nil keeps none. kept may be called from any goroutine.
func (w *Workspace) Keep(kept func(path string) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = kept
}

// add appends the directories, which must not be in the way of concurrent readers: list
// returns the slice itself, and an append never changes what it holds.
func (w *Workspace) add(k kind, names ...string) error {
	for _, name := range names {
		abs, err := filepath.Abs(name)
		if err != nil {
			return fmt.Errorf("adding %s to the workspace: %w", name, err)
		}
		w.mu.Lock()
		w.dirs = append(w.dirs, &dir{name: abs, kind: k})
		w.mu.Unlock()
	}
	return nil
}

// Root returns the absolute path of the project, as it was given to [New]; empty for an
// empty Workspace.
func (w *Workspace) Root() string {
	if w == nil {
		return ""
	}
	return w.root
}

// Dirs returns the absolute paths of the project's directories, the root first, as they
// were given. The slice is the caller's.
func (w *Workspace) Dirs() []string { return w.names(project) }

// list returns the current directories; the result must not be changed.
func (w *Workspace) list() []*dir {
	if w == nil {
		return nil
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.dirs
}

// names returns the names of the directories of kind k.
func (w *Workspace) names(k kind) []string {
	var names []string
	for _, d := range w.list() {
		if d.kind == k {
			names = append(names, d.name)
		}
	}
	return names
}

// Resolve returns the absolute, clean form of path, which is relative to the root. The
// result keeps its symbolic links, because people and models see it. The file need not
// exist. The error is an [*OutsideError] if path leads out of the workspace; abs is set
// all the same.
func (w *Workspace) Resolve(path string) (abs string, err error) {
	abs = w.Abs(path)
	_, err = w.locate(abs)
	return abs, err
}

// Real is like [Workspace.Resolve], with symbolic links followed. On error the path is
// empty.
func (w *Workspace) Real(path string) (string, error) {
	p, err := w.locate(w.Abs(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(p.real, p.rel), nil
}

// Writable reports whether files at path may be written as far as directories decide: it
// is inside the workspace and not in a readable directory. [Workspace.Keep] and the
// file's mode may still forbid it.
func (w *Workspace) Writable(path string) bool {
	p, err := w.locate(w.Abs(path))
	return err == nil && p.dir.kind != readable
}

// Rel returns abs relative to the root, with forward slashes; abs itself if it is not
// below the root.
func (w *Workspace) Rel(abs string) string {
	dirs := w.list()
	if len(dirs) == 0 {
		return abs
	}
	for _, base := range []string{w.root, dirs[0].real} {
		if rel, ok := text.Below(base, abs); ok {
			return filepath.ToSlash(rel)
		}
	}
	return abs
}

// Abs returns path, which is relative to the root, as an absolute, clean path, wherever
// it leads. It looks at no file.
func (w *Workspace) Abs(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(cmp.Or(w.Root(), string(filepath.Separator)), path)
	}
	return filepath.Clean(path)
}

// place is the target of a path: rel below an opened directory, without links. real is
// the absolute path of that directory without links, and rel is "." for the directory
// itself.
type place struct {
	dir  *dir
	root *os.Root
	real string
	rel  string // relative to dir
}

// locate resolves abs to a place.
func (w *Workspace) locate(abs string) (place, error) {
	real, err := Follow(abs)
	if err != nil {
		return place{}, err
	}
	for _, d := range w.list() {
		root, base, err := d.open()
		if err != nil {
			// It does not exist yet, so nothing is below it, and no tool may
			// create it.
			if made, err := Follow(d.name); err == nil && d.kind == readable {
				if _, ok := text.Below(made, real); ok {
					break
				}
			}
			continue
		}
		rel, ok := text.Below(base, real)
		if !ok {
			continue
		}
		if name := w.Protected(rel); name != "" {
			return place{}, w.outside(abs, name)
		}
		// The spelling counts too: .git may itself be a link to a harmless name.
		if given, ok := text.Below(d.name, abs); ok {
			if name := w.Protected(given); name != "" {
				return place{}, w.outside(abs, name)
			}
		}
		return place{dir: d, root: root, real: base, rel: rel}, nil
	}
	return place{}, w.outside(abs, "")
}

// outside returns the error for abs; name is the protected component, if that is why.
func (w *Workspace) outside(abs, name string) error {
	return &OutsideError{Path: abs, Dirs: w.names(project), Temp: w.names(temp), Name: name}
}

// maxLinks is Linux's limit of links in one path.
const maxLinks = 40

// Follow resolves the symbolic links of the absolute path abs, at most 40. Unlike
// [filepath.EvalSymlinks] it continues if nothing exists there, so that a new file's
// place and the target of a dangling link are known. A path that is relative or contains
// a zero byte is an error.
func Follow(abs string) (string, error) {
	if strings.ContainsRune(abs, 0) || !filepath.IsAbs(abs) {
		return "", fmt.Errorf("resolving %q: %w", abs, fs.ErrInvalid)
	}
	done := filepath.VolumeName(abs) + string(filepath.Separator)
	rest := abs[len(done):]
	for links := 0; rest != ""; {
		name, after, _ := strings.Cut(rest, string(filepath.Separator))
		rest = after
		if name == ".." {
			done = filepath.Dir(done) // correct, because done contains no links
			continue
		}
		next := filepath.Join(done, name)
		target, err := os.Readlink(next)
		if err != nil || strings.HasPrefix(next, "/proc/") {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("resolving %s: too many symbolic links", abs)
		}
		target = filepath.FromSlash(target)
		if filepath.IsAbs(target) {
			done = filepath.VolumeName(target) + string(filepath.Separator)
			target = target[len(done):]
		}
		rest = target + string(filepath.Separator) + rest
	}
	return done, nil
}

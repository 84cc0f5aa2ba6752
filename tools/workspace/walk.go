package workspace

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"
)

// Walk configures a walk through a directory of a workspace and everything below it. The
// zero value visits every file that is not protected.
type Walk struct {
	// Ignore says which files and directories are left out.
	Ignore Ignore
	// Skip names directories that are never entered, such as "node_modules".
	Skip []string
	// Enter reports whether to enter the directory rel (slash-separated, relative to the
	// start); nil means always. It may be called from any goroutine.
	Enter func(rel string) bool
	// Ignored is called with files that were left out because of Ignore, except those in
	// ignored directories; may be nil. It may be called from any goroutine, and the Entry
	// is valid until it returns.
	Ignored func(*Entry)
	// Workers is the number of goroutines; 0 means one for each processor, at most 12.
	Workers int
}

// Entry is a file that a walk found: a regular one or a symbolic link. It is valid until
// the function that was called with it returns.
type Entry struct {
	// Path is slash-separated and relative to the start of the walk.
	Path string
	// Type is 0 or [fs.ModeSymlink].
	Type fs.FileMode

	dir  *os.Root
	name string
}

// Open opens a regular file for reading, never through a link, and returns its size in
// bytes. It fails if the file is no longer a regular one. The caller closes it before the
// Entry becomes invalid.
func (e *Entry) Open() (f io.ReadCloser, size int64, err error) {
	file, err := openExact(e.dir, e.name)
	if err == nil {
		var info fs.FileInfo
		if info, err = file.Stat(); err == nil && info.Mode().IsRegular() {
			return file, info.Size(), nil
		}
		file.Close()
		err = cmp.Or(err, errSwapped)
	}
	return nil, 0, &fs.PathError{Op: "open", Path: e.Path, Err: cause(err)}
}

// ModTime returns when the file itself changed last, not its link's target. The error
// is an [*fs.PathError] with the path of e.
func (e *Entry) ModTime() (time.Time, error) {
	info, err := e.dir.Lstat(e.name)
	if err != nil {
		return time.Time{}, &fs.PathError{Op: "stat", Path: e.Path, Err: cause(err)}
	}
	return info.ModTime(), nil
}

// Walk calls visit for every file in and below the directory dir that is not ignored.
// It never follows a link, never opens anything outside dir, and skips protected names
// and directories without read permission. It calls visit from several goroutines and
// in no fixed order, roughly by path. It returns when all goroutines have ended, with
// the first error of visit, which ends the walk, or else the one of ctx or dir. dir is
// absolute or relative to the root.
func (w *Workspace) Walk(ctx context.Context, dir string, how Walk, visit func(*Entry) error) error {
	ign, err := w.Ignorer(dir, how.Ignore)
	if err != nil {
		return err
	}
	root, err := w.openDir(dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := cmp.Or(how.Workers, min(runtime.GOMAXPROCS(0), 12))
	k := &walker{Walk: how, ctx: ctx, cancel: cancel, ws: w, skip: len(prefix(ign.base)), visit: visit,
		others: make(chan struct{}, workers-1)}
	k.tree(root, ign, ign.base)
	k.all.Wait()
	return context.Cause(ctx)
}

// openDir opens the directory at path; see Open.
func (w *Workspace) openDir(path string) (*os.Root, error) {
	parent, base, err := w.parent(path)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	root, err := enter(parent, base, false)
	if err != nil {
		return nil, fmt.Errorf("opening directory %s: %w", w.Abs(path), cause(err))
	}
	return root, nil
}

// EscapeGlob returns the glob pattern that matches only the path p, in the syntax of
// doublestar.
func EscapeGlob(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `}`, `\}`).Replace(p)
}

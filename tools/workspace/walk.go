package workspace

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Walk describes a walk through a directory of a workspace and all that lies
// below. The zero value visits every file but protected ones.
type Walk struct {
	Ignore Ignore
	// Skip names directories that are never entered, such as "node_modules".
	Skip []string
	// Enter says whether to go into the directory rel (slash-separated,
	// relative to the start); nil: always. It may be called from any goroutine.
	Enter func(rel string) bool
	// Ignored is told of files that were left out because of Ignore, those in
	// ignored directories not included; nil: nobody is. As Enter.
	Ignored func(*Entry)
	// Workers bounds the goroutines; 0: one for each processor, 12 at most.
	Workers int
}

// Entry is a file that a walk found: a regular one or a symbolic link.
type Entry struct {
	Path string      // slash-separated, relative to the start of the walk
	Type fs.FileMode // 0 or fs.ModeSymlink

	dir  *handle
	name string
}

// Open opens a regular file for reading, never through a link, and says how
// many bytes it has. What is not a regular file any more is an error.
func (e *Entry) Open() (f io.ReadCloser, size int64, err error) {
	f, size, err = e.dir.open(e.name)
	if err != nil {
		return nil, 0, &fs.PathError{Op: "open", Path: e.Path, Err: cause(err)}
	}
	return f, size, nil
}

// ModTime says when the file itself changed last, not what a link leads to.
func (e *Entry) ModTime() (time.Time, error) {
	t, err := e.dir.modTime(e.name)
	if err != nil {
		return time.Time{}, &fs.PathError{Op: "stat", Path: e.Path, Err: cause(err)}
	}
	return t, nil
}

// Walk calls visit for every file in and below the directory dir that is not
// ignored. It never follows a link, never opens anything outside of dir, and
// skips protected names and directories that it may not read. visit is called
// from several goroutines and in no certain order, roughly that of the paths;
// an Entry is valid until visit returns, and its Path is
// part of a longer string: clone what is kept. The first error of visit ends the
// walk and is returned, or else ctx's, or that of dir.
func (w *Workspace) Walk(ctx context.Context, dir string, how Walk, visit func(*Entry) error) error {
	ign, err := w.Ignorer(dir, how.Ignore)
	if err != nil {
		return err
	}
	root, err := w.openDir(dir)
	if err != nil {
		return err
	}
	top, err := newHandle(root)
	if err != nil {
		return nil // it may not be read
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	k := &walker{Walk: how, ws: w, start: dir, skip: len(prefix(ign.base)), visit: visit, cancel: cancel}
	k.wake.L = &k.mu
	k.push([]task{{parent: top, ign: ign}})
	stop := context.AfterFunc(ctx, k.abandon)
	defer stop()
	var wg sync.WaitGroup
	for range cmp.Or(how.Workers, min(runtime.GOMAXPROCS(0), 12)) {
		wg.Go(func() { k.work(ctx) })
	}
	wg.Wait()
	k.drop()
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
		return nil, fmt.Errorf("opening directory %s: %w", w.abs(path), cause(err))
	}
	return root, nil
}

// below is the directory rel of the workspace directory that the walk is in.
func (k *walker) below(rel string) string {
	return filepath.Join(k.start, filepath.FromSlash(rel[k.skip:]))
}

// EscapeGlob is the glob pattern that matches the path p alone.
func EscapeGlob(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `}`, `\}`).Replace(p)
}

package workspace

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

	dir *handle
}

// Open opens a regular file for reading, never through a link, and says how
// many bytes it has. What is no regular file any more is an error.
func (e *Entry) Open() (f io.ReadCloser, size int64, err error) {
	f, size, err = e.dir.open(path.Base(e.Path))
	if err != nil {
		return nil, 0, &fs.PathError{Op: "open", Path: e.Path, Err: cause(err)}
	}
	return f, size, nil
}

// Info describes the file itself, not what a link leads to.
func (e *Entry) Info() (fs.FileInfo, error) { return e.dir.Lstat(path.Base(e.Path)) }

// Walk calls visit for every file in and below the directory dir that is not
// ignored. It never follows a link, never opens anything outside of dir, and
// skips protected names and directories that it may not read. visit is called
// from several goroutines and in no certain order, roughly that of the paths;
// an Entry is valid until visit returns. The first error of visit ends the
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
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	k := &walker{Walk: how, visit: visit, cancel: cancel}
	k.wake.L = &k.mu
	k.push([]task{{parent: newHandle(root), ign: ign}})
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
	p, err := w.locate(w.abs(path))
	if err != nil {
		return nil, err
	}
	parent, base, err := p.walk(false)
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

// handle is an open directory that is closed when its last task is done.
type handle struct {
	*os.Root
	self  *os.File // the same directory, for listing and opening; nil: it may not be read
	users atomic.Int32
}

func newHandle(root *os.Root) *handle {
	h := &handle{Root: root}
	h.self, _ = root.Open(".")
	h.users.Store(1)
	return h
}

func (h *handle) release() {
	if h.users.Add(-1) == 0 {
		h.self.Close() // fails for nil, and that is fine
		h.Close()
	}
}

// task is a subdirectory of parent to read, or files of parent to visit.
type task struct {
	parent *handle
	ign    *Ignorer // of parent
	path   string   // of parent, relative to the start; "" for the start
	name   string   // the subdirectory; "" for parent itself
	files  []fs.DirEntry
}

// batch is how many files of one directory are visited in a row, so that a
// large flat directory keeps all workers busy.
const batch = 32

// walker is one walk at work. Tasks are taken from the end, so that the walk
// goes deep first: pending tasks and open directories stay few.
type walker struct {
	Walk
	visit  func(*Entry) error
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	wake  sync.Cond
	tasks []task
	left  int  // tasks not done, those at work included
	over  bool // given up
}

// push adds tasks; the last one is done first.
func (k *walker) push(ts []task) {
	k.mu.Lock()
	k.tasks = append(k.tasks, ts...)
	k.left += len(ts)
	k.mu.Unlock()
	k.wake.Broadcast()
}

// next waits for a task; false: the walk is over.
func (k *walker) next() (task, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.tasks) == 0 && k.left > 0 && !k.over {
		k.wake.Wait()
	}
	if k.over || k.left == 0 {
		return task{}, false
	}
	t := k.tasks[len(k.tasks)-1]
	k.tasks = k.tasks[:len(k.tasks)-1]
	return t, true
}

func (k *walker) done(t task) {
	t.parent.release()
	k.mu.Lock()
	k.left--
	last := k.left == 0
	k.mu.Unlock()
	if last {
		k.wake.Broadcast()
	}
}

func (k *walker) abandon() {
	k.mu.Lock()
	k.over = true
	k.mu.Unlock()
	k.wake.Broadcast()
}

// drop closes what abandoned tasks hold.
func (k *walker) drop() {
	for _, t := range k.tasks {
		t.parent.release()
	}
}

func (k *walker) work(ctx context.Context) {
	for {
		t, ok := k.next()
		if !ok {
			return
		}
		var err error
		if t.files != nil {
			err = k.visitAll(ctx, t)
		} else {
			k.read(t)
		}
		k.done(t)
		if err != nil {
			k.cancel(err)
			return
		}
	}
}

func (k *walker) visitAll(ctx context.Context, t task) error {
	for _, d := range t.files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e := &Entry{Path: join(t.path, d.Name()), Type: d.Type(), dir: t.parent}
		if t.ign.Ignored(d.Name(), false) {
			if k.Ignored != nil {
				k.Ignored(e)
			}
			continue
		}
		if err := k.visit(e); err != nil {
			return err
		}
	}
	return nil
}

// read lists a directory and pushes what is in it. One that cannot be read,
// or that became a link, is skipped.
func (k *walker) read(t task) {
	h, p, ign := t.parent, t.path, t.ign
	if t.name != "" {
		root, err := enter(t.parent.Root, t.name, false)
		if err != nil {
			return
		}
		h, p = newHandle(root), join(t.path, t.name)
		defer h.release()
	}
	entries := h.list()
	if t.name != "" {
		_, gitignore := slices.BinarySearchFunc(entries, ".gitignore", byName)
		_, repo := slices.BinarySearchFunc(entries, ".git", byName)
		ign = t.ign.enter(t.name, h.Root, gitignore, repo)
	}
	files, dirs := k.sortOut(entries, p, ign)
	ts := make([]task, 0, len(dirs)+len(files)/batch+1)
	for _, name := range slices.Backward(dirs) {
		ts = append(ts, task{parent: h, ign: ign, path: p, name: name})
	}
	at := len(ts)
	for some := range slices.Chunk(files, batch) {
		ts = slices.Insert(ts, at, task{parent: h, ign: ign, path: p, files: some})
	}
	h.users.Add(int32(len(ts)))
	k.push(ts)
}

func byName(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) }

// list returns the entries of the directory, sorted by name, as far as it can
// be read.
func (h *handle) list() []fs.DirEntry {
	if h.self == nil {
		return nil
	}
	entries := h.entries()
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// sortOut returns the files of the directory p and the subdirectories to enter.
func (k *walker) sortOut(entries []fs.DirEntry, p string, ign *Ignorer) (files []fs.DirEntry, dirs []string) {
	files = entries[:0:0]
	for _, e := range entries {
		name := e.Name()
		switch {
		case protected(name) != "":
		case e.IsDir():
			if !slices.Contains(k.Skip, name) && !ign.Ignored(name, true) && (k.Enter == nil || k.Enter(join(p, name))) {
				dirs = append(dirs, name)
			}
		case e.Type().IsRegular(), e.Type() == fs.ModeSymlink:
			files = append(files, e)
		}
	}
	return files, dirs
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

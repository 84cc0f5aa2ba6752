package workspace

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"minigem/internal/boundedfile"
)

// item is an entry of a directory.
type item struct {
	path string // slash-separated, relative to the workspace directory
	kind fs.FileMode
}

// prefix returns the prefix of the paths in the directory rel.
func prefix(rel string) string {
	if rel == "" {
		return ""
	}
	return rel + "/"
}

// task is a subdirectory of parent to read, or files of parent to visit.
type task struct {
	parent *handle
	ign    *Ignorer // files of parent
	sub    string   // the subdirectory, relative to the workspace directory; "" for parent itself
	files  []item
}

// batch is how many files of one directory one worker visits in a row, so that
// a large flat directory keeps all workers busy.
const batch = 32

// walker is a walk in progress. Tasks are taken from the end, so that the walk
// goes deep first and few tasks and directories are open.
type walker struct {
	Walk
	ws     *Workspace
	start  string // as given to Walk
	skip   int    // length of the path of the start
	visit  func(*Entry) error
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	wake  sync.Cond
	idle  int // workers that wait
	tasks []task
	left  int  // unfinished tasks, including those in progress
	over  bool // the walk was abandoned
}

// push adds tasks; the last one is done first.
func (k *walker) push(ts []task) {
	k.mu.Lock()
	k.tasks = append(k.tasks, ts...)
	k.left += len(ts)
	wake := min(k.idle, len(ts))
	k.mu.Unlock()
	for range wake {
		k.wake.Signal()
	}
}

// next waits for a task. It returns false if the walk is over.
func (k *walker) next() (task, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.idle++
	for len(k.tasks) == 0 && k.left > 0 && !k.over {
		k.wake.Wait()
	}
	k.idle--
	if k.over || k.left == 0 {
		return task{}, false
	}
	t := k.tasks[len(k.tasks)-1]
	k.tasks[len(k.tasks)-1] = task{}
	k.tasks = k.tasks[:len(k.tasks)-1]
	return t, true
}

// done gives the task's hold on its directory back. The last one wakes all workers,
// which end then.
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

// abandon makes all workers stop soon.
func (k *walker) abandon() {
	k.mu.Lock()
	k.over = true
	k.mu.Unlock()
	k.wake.Broadcast()
}

// drop closes the handles of abandoned tasks.
func (k *walker) drop() {
	for _, t := range k.tasks {
		t.parent.release()
	}
}

// work is the loop of one worker.
func (k *walker) work(ctx context.Context) {
	for {
		t, ok := k.next()
		if !ok {
			return
		}
		var err error
		if t.files != nil {
			err = k.visitAll(ctx, t.parent, t.ign, t.files)
		} else {
			err = k.read(ctx, t)
		}
		k.done(t)
		if err != nil {
			k.cancel(err)
			return
		}
	}
}

// visitAll visits files of one directory, until ctx ends or visit returns an error.
func (k *walker) visitAll(ctx context.Context, dir *handle, ign *Ignorer, files []item) error {
	e := Entry{dir: dir}
	base := len(prefix(ign.base))
	for _, f := range files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e.Path, e.Type, e.name = f.path[k.skip:], f.kind, f.path[base:]
		if ign.judge(f.path, e.name, false) {
			if k.Ignored != nil {
				k.Ignored(&e)
			}
			continue
		}
		if err := k.visit(&e); err != nil {
			return err
		}
	}
	return nil
}

// read lists a directory, visits the first files in it and pushes the rest. A
// directory that is not readable, or became a link, is skipped.
func (k *walker) read(ctx context.Context, t task) error {
	h, ign := t.parent, t.ign
	if t.sub != "" {
		var err error
		if h, err = t.parent.enter(t.sub[len(prefix(ign.base)):]); err != nil {
			return nil
		}
		defer h.release()
	}
	items := list(h, prefix(dirOf(t)))
	if t.sub != "" {
		ign = ign.enter(t.sub, k.gitignore(h, t.sub, items), holds(items, t.sub, ".git"))
	}
	files, dirs := k.sortOut(items, ign)
	rest := files[min(batch, len(files)):]
	ts := make([]task, 0, len(dirs)+len(rest)/batch+1)
	for _, d := range slices.Backward(dirs) {
		ts = append(ts, task{parent: h, ign: ign, sub: d.path})
	}
	chunks := slices.Collect(slices.Chunk(rest, batch))
	for _, some := range slices.Backward(chunks) {
		ts = append(ts, task{parent: h, ign: ign, files: some})
	}
	h.users.Add(int32(len(ts)))
	if len(ts) > 0 {
		k.push(ts)
	}
	return k.visitAll(ctx, h, ign, files[:len(files)-len(rest)])
}

// dirOf returns the directory that a task reads, relative to the workspace
// directory.
func dirOf(t task) string {
	if t.sub != "" {
		return t.sub
	}
	return t.ign.base
}

// holds reports whether name is among the sorted items of the directory dir.
func holds(items []item, dir, name string) bool {
	base := len(prefix(dir))
	_, found := slices.BinarySearchFunc(items, name, func(i item, name string) int {
		return strings.Compare(i.path[base:], name)
	})
	return found
}

// gitignore returns a function that reads the .gitignore file of the directory dir, or
// nil if there is none.
func (k *walker) gitignore(h *handle, dir string, items []item) func() []byte {
	if !holds(items, dir, ".gitignore") {
		return nil
	}
	return func() []byte {
		f, _, err := h.open(".gitignore")
		if err == nil {
			defer f.Close()
			return readUpTo(f)
		}
		// It may be a link to another file of the directory.
		root, err := k.ws.openDir(k.below(dir))
		if err != nil {
			return nil
		}
		defer root.Close()
		return readSome(boundedfile.OpenIn(root, ".gitignore"))
	}
}

// sortOut splits the sorted items into files and the subdirectories to enter.
// It reuses items for the files.
func (k *walker) sortOut(items []item, ign *Ignorer) (files, dirs []item) {
	files = items[:0]
	base := len(prefix(ign.base))
	for _, i := range items {
		name := i.path[base:]
		switch {
		case k.ws.Protected(name) != "":
		case i.kind == fs.ModeDir:
			if !slices.Contains(k.Skip, name) && !ign.judge(i.path, name, true) && (k.Enter == nil || k.Enter(i.path[k.skip:])) {
				dirs = append(dirs, i)
			}
		case i.kind == 0, i.kind == fs.ModeSymlink:
			files = append(files, i)
		}
	}
	return files, dirs
}

// list returns the entries of h that can be read, sorted by name. Their paths
// begin with before.
func list(h *handle, before string) []item {
	entries := h.read()
	items := make([]item, len(entries))
	for i, e := range entries {
		items[i] = item{before + e.Name(), e.Type()}
	}
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.path[len(before):], b.path[len(before):]) })
	return items
}

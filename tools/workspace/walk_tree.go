package workspace

import (
	"context"
	"io/fs"
	"os"
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

// batch is how many files of one directory one goroutine visits in a row, so that a
// large flat directory keeps all of them busy.
const batch = 32

// walker is a walk in progress. It goes deep first, so that few directories are open.
type walker struct {
	Walk
	ctx    context.Context
	cancel context.CancelCauseFunc
	ws     *Workspace
	skip   int // length of the path of the start
	visit  func(*Entry) error
	others chan struct{}  // a semaphore of the further goroutines
	all    sync.WaitGroup // the directories that they are in
}

// fork does a part of the work in a further goroutine, if there may be one, else itself.
func (k *walker) fork(parts *sync.WaitGroup, do func()) {
	select {
	case k.others <- struct{}{}:
		parts.Go(func() {
			defer func() { <-k.others }()
			do()
		})
	default:
		do()
	}
}

// tree visits the files in and below the directory sub, which it closes. ign applies
// to the entries of its parent, and at the start to those of sub itself. A subdirectory that is not
// readable, or became a link, is skipped.
func (k *walker) tree(dir *os.Root, ign *Ignorer, sub string) {
	defer dir.Close()
	base := prefix(sub)
	items := list(dir, base)
	if sub != ign.base {
		var gitignore func() []byte
		if holds(items, base+".gitignore") {
			gitignore = func() []byte { return readSome(boundedfile.OpenIn(dir, ".gitignore")) }
		}
		ign = ign.enter(sub, gitignore, holds(items, base+".git"))
	}
	files, dirs := k.sortOut(items, ign)
	var parts sync.WaitGroup
	defer parts.Wait()
	for some := range slices.Chunk(files, batch) {
		k.fork(&parts, func() { k.visitAll(dir, ign, some) })
	}
	for _, d := range dirs {
		if k.ctx.Err() != nil {
			return
		}
		if below, err := enter(dir, d.path[len(base):], false); err == nil {
			k.fork(&k.all, func() { k.tree(below, ign, d.path) })
		}
	}
}

// visitAll visits files of one directory, until the walk ends. An error of visit ends it.
func (k *walker) visitAll(dir *os.Root, ign *Ignorer, files []item) {
	e := Entry{dir: dir}
	base := len(prefix(ign.base))
	for _, f := range files {
		if k.ctx.Err() != nil {
			return
		}
		e.Path, e.Type, e.name = f.path[k.skip:], f.kind, f.path[base:]
		if ign.judge(f.path, e.name, false) {
			if k.Ignored != nil {
				k.Ignored(&e)
			}
			continue
		}
		if err := k.visit(&e); err != nil {
			k.cancel(err)
		}
	}
}

// holds reports whether the path is among the sorted items of its directory.
func holds(items []item, path string) bool {
	_, found := slices.BinarySearchFunc(items, path, func(i item, path string) int {
		return strings.Compare(i.path, path)
	})
	return found
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

// list returns the entries of dir that can be read, sorted by name. Their paths begin
// with before.
func list(dir *os.Root, before string) (items []item) {
	f, err := dir.Open(".")
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1)
	for _, e := range entries {
		items = append(items, item{before + e.Name(), e.Type()})
	}
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.path, b.path) })
	return items
}

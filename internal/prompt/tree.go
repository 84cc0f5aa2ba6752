package prompt

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	treeItems  = 200
	dirEntries = 5_000 // maximum number of entries read from one directory
)

// closed lists directories that the tree never opens.
var closed = []string{".git", "node_modules", "dist", "__pycache__"}

// folder is a directory of the tree.
type folder struct {
	name    string
	path    string
	files   []string
	folders []*folder
	more    bool // something is left out, or the directory was not read
}

// TreeTime is how long drawing the directory tree may delay a start.
const TreeTime = 200 * time.Millisecond

// Tree draws the directory at root: breadth first, files before folders, at most 200
// items, as far as it gets before ctx ends. "..." marks what is left out. Symbolic
// links are not followed. (core/utils/environmentContext.ts)
func Tree(ctx context.Context, root string, ignored func(path string, dir bool) bool) string {
	w := walker{ignored: ignored, left: treeItems}
	top := &folder{path: root}
	cut := false
	for queue := []*folder{top}; len(queue) > 0; queue = queue[1:] {
		f := queue[0]
		if ctx.Err() != nil || w.left == 0 {
			f.more = true
		} else {
			queue = append(queue, w.open(f)...)
		}
		cut = cut || f.more
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Up to %d files and folders are shown.", treeItems)
	if cut || w.closed {
		b.WriteString(" Where you see ... there is more that is ignored or did not fit.")
	}
	fmt.Fprintf(&b, "\n\n%s%c\n", strings.TrimSuffix(root, string(filepath.Separator)), filepath.Separator)
	top.draw(&b, "")
	return b.String()
}

type walker struct {
	ignored func(path string, dir bool) bool
	left    int
	closed  bool // a folder was not opened
}

// open reads f and returns the folders in it that may be opened.
func (w *walker) open(f *folder) []*folder {
	entries, more := readDir(f.path)
	f.more = more
	var next []*folder
	for _, e := range entries {
		path := filepath.Join(f.path, e.Name())
		shut := w.ignored != nil && w.ignored(path, e.IsDir())
		if !e.IsDir() && shut {
			continue
		}
		if w.left == 0 {
			f.more = true
			break
		}
		w.left--
		if !e.IsDir() {
			f.files = append(f.files, e.Name())
			continue
		}
		sub := &folder{name: e.Name(), path: path}
		f.folders = append(f.folders, sub)
		if shut || slices.Contains(closed, e.Name()) {
			sub.more, w.closed = true, true
		} else {
			next = append(next, sub)
		}
	}
	return next
}

// readDir reads a limited number of entries, files before folders, sorted by name.
func readDir(path string) (entries []fs.DirEntry, more bool) {
	d, err := os.Open(path)
	if err != nil {
		return nil, true
	}
	defer func() { _ = d.Close() }()
	entries, _ = d.ReadDir(dirEntries) // entries before an error count
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		if a.IsDir() != b.IsDir() {
			if b.IsDir() {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Name(), b.Name())
	})
	return entries, len(entries) == dirEntries
}

func (f *folder) draw(b *strings.Builder, indent string) {
	lines := slices.Clone(f.files)
	if f.more {
		lines = append(lines, "...")
	}
	for i, name := range lines {
		fmt.Fprintf(b, "%s%s%s\n", indent, connector(i == len(lines)-1 && len(f.folders) == 0), name)
	}
	for i, sub := range f.folders {
		last := i == len(f.folders)-1
		shut := ""
		if sub.more && len(sub.files)+len(sub.folders) == 0 {
			shut = "..."
		}
		fmt.Fprintf(b, "%s%s%s%c%s\n", indent, connector(last), sub.name, filepath.Separator, shut)
		if shut == "" {
			sub.draw(b, indent+map[bool]string{true: "    ", false: "│   "}[last])
		}
	}
}

func connector(last bool) string {
	if last {
		return "└───"
	}
	return "├───"
}

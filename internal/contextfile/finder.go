package contextfile

import (
	"os"
	"path/filepath"
	"slices"
	"sync"

	"minigem/internal/text"
)

// Finder finds the context files of subdirectories when tools touch them, each file
// once per session. It is safe for concurrent use.
type Finder struct {
	c    Config
	dirs []string // workspace directories, links resolved

	mu      sync.Mutex
	l       *loader
	visited map[string]bool
}

// NewFinder makes a [Finder] for the workspace of c. It does not return files that
// [Load] has already found.
func NewFinder(c Config, loaded Set) *Finder {
	f := &Finder{c: c, l: newLoader(c), visited: map[string]bool{}}
	f.l.warnings = nil // Load has reported them
	for _, dir := range c.Dirs {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			f.dirs = append(f.dirs, real)
		}
	}
	for _, path := range loaded.Paths() {
		if info, err := os.Stat(path); err == nil {
			f.l.seen = append(f.l.seen, info)
		}
	}
	return f
}

// Touch returns the new context files of path's directory, or of path itself if it is a
// directory, and of those between it and its workspace directory, outermost first. A
// path outside the workspace has none.
func (f *Finder) Touch(path string) ([]File, []Warning) {
	dir := path
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		dir = filepath.Dir(path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.visited[dir] {
		return nil, nil
	}
	f.visited[dir] = true
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		delete(f.visited, dir) // the directory may be created later
		return nil, nil
	}
	root := f.rootOf(real)
	if root == "" {
		return nil, nil
	}
	var way []string
	for d := real; ; d = filepath.Dir(d) {
		way = append(way, d)
		if d == root {
			break
		}
	}
	slices.Reverse(way)
	boundary := f.c.upward(root)[0]
	var files []File
	for _, d := range way {
		files = append(files, f.l.in(d, boundary)...)
	}
	warnings := f.l.warnings
	f.l.warnings = nil
	return files, warnings
}

// rootOf returns the longest workspace directory that contains dir, or "".
func (f *Finder) rootOf(dir string) string {
	best := ""
	for _, root := range f.dirs {
		if text.Inside(root, dir) && len(root) > len(best) {
			best = root
		}
	}
	return best
}

// Nearby returns the context files of subdirectories that a tool touches for the first
// time, except a file that the tool itself read or wrote.
func (f *Finder) Nearby(path, root string, warn func(string)) string {
	files, warnings := f.Touch(path)
	for _, w := range warnings {
		warn(w.String())
	}
	files = slices.DeleteFunc(files, func(f File) bool { return f.Path == path })
	if len(files) == 0 {
		return ""
	}
	return "<project_context>\n" + Render(files, root) + "\n</project_context>"
}

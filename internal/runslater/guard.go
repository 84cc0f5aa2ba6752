package runslater

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/place"
	"minigem/internal/text"
	"minigem/tools/workspace"
)

// Guard knows which files of a session are more than text: programs run what they say,
// now or later, or they are minigem's own memory.
type Guard struct {
	place.Place
	Workspace *workspace.Workspace
	Temp      string          // the project's folder for temporary files
	Scripts   func() []string // the files and folders that hooks, git and extensions run
}

// Runs reports whether changing the file at path is more than an edit. It follows links
// both ways: path may lead to such a file, and the name of such a file may lead to path.
func (g *Guard) Runs(path string) bool {
	if _, err := g.Workspace.Resolve(path); err == nil && !g.Workspace.Writable(path) {
		return true
	}
	real, err := workspace.Follow(g.Workspace.Abs(path))
	if err != nil {
		return true
	}
	guarded := append(g.Scripts(), g.DotGemini)
	if slices.ContainsFunc(g.Workspace.Dirs(), func(dir string) bool { return inRepository(resolved(dir), real) }) {
		return true
	}
	for _, dir := range append(g.Workspace.Dirs(), g.ProjectDir) {
		guarded = append(guarded, entries(dir, func(e fs.DirEntry) bool {
			return e.Type()&fs.ModeSymlink != 0 && Match(e.Name()) != ""
		})...)
	}
	// While a link is exchanged, path and real may differ in what they show: each counts.
	return slices.ContainsFunc([]string{real, filepath.Clean(path)}, func(name string) bool {
		if rel, ok := text.Below(resolved(g.Temp), name); ok {
			return Match(rel) != ""
		}
		if rel, ok := text.Below(g.Temp, name); ok {
			return Match(rel) != ""
		}
		return Match(name) != "" || slices.ContainsFunc(guarded, func(file string) bool { return Within(file, name) })
	})
}

// Protected returns what confined commands must not change at the top of the workspace:
// secrets, and files that make programs run.
func (g *Guard) Protected() []string {
	out := append(g.Scripts(), g.DotGemini)
	for _, dir := range append(g.Workspace.Dirs(), g.ProjectDir) {
		out = append(out, entries(dir, func(e fs.DirEntry) bool {
			return Match(e.Name()) != "" || workspace.Secret(e.Name()) != ""
		})...)
	}
	return out
}

// entries returns the paths of the entries of dir that are wanted, and dir if it cannot
// be read.
func entries(dir string, wanted func(fs.DirEntry) bool) []string {
	var out []string
	all, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		out = append(out, dir)
	}
	for _, e := range all {
		if wanted(e) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// Within reports whether path is dir or below it, with or without the links in dir. It
// ignores case, as some file systems do.
func Within(dir, path string) bool {
	path = strings.ToLower(path)
	return text.Inside(strings.ToLower(resolved(dir)), path) || text.Inside(strings.ToLower(dir), path)
}

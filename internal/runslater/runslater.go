// Package runslater knows the files by which programs run later, such as settings of
// agents and editors, hooks of git, and what shells read at their start. Its list is
// data. Callers decide whether such a file may change.
package runslater

import (
	_ "embed"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"minigem/internal/text"
	"minigem/tools/workspace"
)

//go:embed files.txt
var files string

// pattern is one line of the list.
type pattern struct {
	names   []string // one per path component
	excepts bool
}

var patterns = sync.OnceValue(func() []pattern {
	var out []pattern
	for line := range strings.Lines(files) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		rest, excepts := strings.CutPrefix(line, "!")
		out = append(out, pattern{strings.Split(rest, "/"), excepts})
	}
	return out
})

// Match returns the part of name, from its first component on, that is on the list: a
// file or folder that makes programs run later. It returns "" if there is none. name is
// a path with slashes or the system's separators. Links are not followed.
func Match(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == filepath.Separator })
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "." })
	plain := make([]string, len(parts))
	for i, part := range parts {
		plain[i] = workspace.PlainName(part)
	}
	for i := range plain {
		if n := matchAt(plain[i:], slices.Contains(parts, "..")); n > 0 {
			return strings.Join(parts[:i+n], "/")
		}
	}
	return ""
}

// matchAt returns how many of the first names match, or 0 if nothing on the list begins
// there. A path that contains ".." may leave what an exception covers.
func matchAt(names []string, climbs bool) int {
	found := 0
	for _, p := range patterns() {
		if !p.begins(names) || p.excepts && climbs {
			continue
		}
		if p.excepts {
			return 0
		}
		found = len(p.names)
	}
	return found
}

func (p pattern) begins(names []string) bool {
	if len(names) < len(p.names) {
		return false
	}
	for i, want := range p.names {
		if !like(names[i], want) && !short(names[i], want) {
			return false
		}
	}
	return true
}

func like(name, want string) bool {
	ok, err := path.Match(want, name)
	return ok && err == nil
}

// short reports whether name may be the short name of a file called want on an old
// Windows file system: GEMINI~1.
func short(name, want string) bool {
	begin, number, found := strings.Cut(name, "~")
	return found && begin != "" && number != "" && number[0] >= '0' && number[0] <= '9' &&
		strings.HasPrefix(strings.ReplaceAll(want, ".", ""), begin)
}

// ends reports whether a path on the list may end with name.
func ends(name string) bool {
	name = workspace.PlainName(name)
	return strings.Contains(name, "~") || slices.ContainsFunc(patterns(), func(p pattern) bool {
		last := p.names[len(p.names)-1]
		return last == name || strings.Contains(last, "*") && !p.excepts && like(name, last)
	})
}

// All is a number of entries that no project exceeds.
const All = 500_000

// Find returns what is on the list in dir and below it, including links, and folders
// that cannot be read, as anything may be in them. It leaves out node_modules, which
// belongs to a package manager. whole is false if the folder has more than most entries,
// the rest of which is not searched.
func Find(dir string, most int) (found []string, whole bool) {
	entries := 0
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			if !os.IsNotExist(err) {
				found = append(found, name)
			}
			return nil
		}
		if entries++; entries > most {
			return fs.ErrInvalid
		}
		rel, err := filepath.Rel(dir, name)
		switch {
		case err != nil || rel == ".":
			return err
		case e.IsDir() && e.Name() == "node_modules":
			return filepath.SkipDir
		case strings.EqualFold(e.Name(), "HEAD") && repository(filepath.Dir(name), ""):
			found = append(found, ofRepository(filepath.Dir(name), dir)...)
			return nil
		case !ends(e.Name()) || Match(rel) == "":
			return nil
		}
		found = append(found, name)
		if !e.IsDir() {
			return nil
		}
		return worktreesIn(name, &found)
	})
	return found, err == nil
}

// worktreesIn adds what is on the list in the worktrees of a .gemini folder.
func worktreesIn(dir string, found *[]string) error {
	worktrees, err := os.ReadDir(filepath.Join(dir, "worktrees"))
	if err != nil {
		return filepath.SkipDir
	}
	for _, w := range worktrees {
		more, _ := Find(filepath.Join(dir, "worktrees", w.Name()), All)
		*found = append(*found, more...)
	}
	return filepath.SkipDir
}

// repositoryParts are what makes a folder a repository of git, and what git runs there.
var repositoryParts = []string{"HEAD", "commondir", "config", "config.worktree", "hooks", "objects", "refs"}

// repository reports whether dir, with an entry called more, is one to git, whatever its
// name is.
func repository(dir, more string) bool {
	has := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil || strings.EqualFold(name, more)
	}
	return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

// ofRepository returns what must not change of the repository dir: all of it, or its
// parts if it is the top of the workspace.
func ofRepository(dir, top string) []string {
	if dir != top {
		return []string{dir}
	}
	return entries(dir, func(e fs.DirEntry) bool { return isRepositoryPart(e.Name()) })
}

func isRepositoryPart(name string) bool {
	return slices.ContainsFunc(repositoryParts, func(part string) bool { return strings.EqualFold(part, name) })
}

// inRepository reports whether path, below top, is or becomes such a part.
func inRepository(top, path string) bool {
	for ; path != top && text.Inside(top, path); path = filepath.Dir(path) {
		if name := filepath.Base(path); isRepositoryPart(name) && repository(filepath.Dir(path), name) {
			return true
		}
	}
	return false
}

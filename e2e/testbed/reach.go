package testbed

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"minigem/hooks/agents"
	"minigem/internal/text"
)

// surroundings returns the folder that the case at path may copy from, without links: the
// repository around it, or else the nearest folder with settings of an agent, the extension,
// or its own folder. A folder around the user's home is only chosen if it is its own.
func surroundings(path, home string) (string, error) {
	own, err := real(filepath.Dir(path))
	for _, marker := range append([]string{".git", ".gemini", "gemini-extension.json"}, agents.Folders()...) {
		for dir, last := own, ""; dir != last && !inside(home, dir); dir, last = filepath.Dir(dir), dir {
			if _, err := os.Stat(filepath.Join(dir, marker)); err == nil {
				return dir, nil
			}
		}
	}
	return own, err
}

// inside reports whether path is dir or below it.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Reach returns the paths that the cases in files may read and write beyond their own
// folders, and where Go's caches are, if a case needs them, as "NAME=FOLDER".
func Reach(files []string, lookup func(string) (string, bool), home string) (read, write, caches []string) {
	var a allowance
	for _, file := range files {
		dir, err := surroundings(file, home)
		c, broken := ReadFile(file)
		if err != nil || broken != nil {
			continue
		}
		a.read = append(a.read, dir)
		for _, each := range c.Each() {
			for _, cmd := range each.Commands {
				switch name := cmd.verb.Name; {
				case name == "allow" && len(cmd.Args) > 1:
					if path, err := allowed(file, cmd.Args[1]); err == nil {
						a.write = append(a.write, path)
					}
				case name == "needs" && slices.Contains(cmd.Args, "go") && caches == nil:
					caches = goCaches(os.TempDir(), lookup)
					a.caches(caches)
				}
			}
		}
	}
	return a.read, a.write, caches
}

// allowed returns the path that a case names with "allow write".
func allowed(file, path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), filepath.FromSlash(path))
	}
	path, err := real(path)
	if err != nil {
		err = fmt.Errorf("allowing to write: %s", text.VisibleLine(err.Error())) // the case chose the path
	}
	return path, err
}

// real returns path as an absolute one without links.
func real(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

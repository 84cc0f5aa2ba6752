package skills

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"minigem/internal/download"
	"minigem/internal/proc"
	"minigem/internal/stage"
	"minigem/internal/text"
)

// Change is one skill to be installed into a folder of skills, as a copy of From or a
// link to it.
type Change struct {
	Skill    Skill
	From, To string
	Link     bool
	Items    int  // number of its files
	Replaces bool // there is already something at To
}

// IsRepository reports whether source is the address of a Git repository.
func IsRepository(source string) bool {
	for _, prefix := range []string{"https://", "http://", "git@", "ssh://", "git://", "file://"} {
		if strings.HasPrefix(source, prefix) {
			return true
		}
	}
	return false
}

// Clone clones a repository into a new folder. The caller must call remove.
func Clone(ctx context.Context, address string, w download.Wait) (dir string, remove func(), err error) {
	dir, remove, err = stage.Temp()
	if err != nil {
		return "", nil, err
	}
	_, err = w.Git(ctx, proc.Command{Dir: dir, Env: proc.GitEnviron(os.Environ())}, address,
		"-c", "core.hooksPath="+os.DevNull, "clone", "-q", "--depth", "1", "--", address, ".")
	if err != nil {
		remove()
		return "", nil, fmt.Errorf("cloning %s: %w", text.VisibleLine(address), err)
	}
	return dir, remove, nil
}

// Plan returns what installing the skills in from would do to the folder of skills to.
// It changes nothing. It is an error if there is no skill, or if two have the same
// name.
func Plan(from, to string, link bool) ([]Change, error) {
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return nil, fmt.Errorf(
			"there is no folder %s, and the address of a Git repository begins with https://, ssh://, git@ or file://", from)
	}
	from, err := filepath.Abs(from)
	if err != nil {
		return nil, err
	}
	var out []Change
	seen := map[string]string{}
	for _, file := range files(from) {
		s, err := Read(file)
		if err != nil {
			return nil, err
		}
		if other, ok := seen[s.Name]; ok {
			return nil, fmt.Errorf("two skills are called %s: %s and %s", s.Name, other, file)
		}
		if s.Name == "." || s.Name == ".." {
			return nil, fmt.Errorf("%s: %q cannot be the name of a skill", file, s.Name)
		}
		seen[s.Name] = file
		c := Change{Skill: s, From: s.Dir(), To: filepath.Join(to, s.Name), Link: link}
		if c.Items, err = count(c.From); err != nil {
			return nil, err
		}
		there, err := os.Lstat(c.To)
		c.Replaces = err == nil
		if c.Replaces && there.IsDir() && within(c.From, c.To) {
			return nil, fmt.Errorf("the skill %s is in %s already: there is nothing to do", s.Name, c.To)
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no skill in %s: it needs a SKILL.md, or folders with one", from)
	}
	return out, nil
}

// within reports whether path is the folder dir or inside it, even through links: what
// replaces dir must not come from inside it.
func within(path, dir string) bool {
	target, err := os.Stat(dir)
	for err == nil {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, target) {
			return true
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
	}
	return false
}

// mostItems limits the number of files of one skill.
const mostItems = 10_000

// Do installs the skill. It replaces everything at To, and restores it if that fails.
func (c Change) Do() error {
	if err := os.MkdirAll(filepath.Dir(c.To), 0o755); err != nil {
		return err
	}
	change, err := stage.Begin(filepath.Dir(c.To))
	if err != nil {
		return err
	}
	defer change.End()
	if c.Link {
		err = os.Symlink(c.From, change.Made())
	} else {
		err = os.CopyFS(change.Made(), os.DirFS(c.From))
		err = errors.Join(err, os.RemoveAll(filepath.Join(change.Made(), ".git")))
	}
	if err == nil {
		err = change.Put(filepath.Base(c.To))
	}
	if err == nil {
		err = change.Commit()
	}
	if err != nil {
		return fmt.Errorf("installing the skill %s: %w", c.Skill.Name, err)
	}
	return nil
}

// count counts the files of a skill. It returns an error for files that a copy cannot
// contain.
func count(from string) (files int, err error) {
	err = filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == filepath.Join(from, ".git"):
			return fs.SkipDir
		case strings.EqualFold(e.Name(), ".git"):
			return fmt.Errorf("%s is a repository of its own, which a skill may not hold", path)
		case e.IsDir():
			return nil
		case !e.Type().IsRegular():
			return fmt.Errorf("%s is neither a file nor a folder, which a skill may not hold", path)
		}
		if files++; files > mostItems {
			return fmt.Errorf("%s holds more than %d files", from, mostItems)
		}
		return nil
	})
	return files, err
}

// Uninstall removes the skill called name from the folder of skills dir. If it is a
// link, only the link is removed. It reports whether the skill was there.
func Uninstall(dir, name string) (found bool, err error) {
	for _, file := range files(dir) {
		s, err := Read(file)
		if err != nil || !strings.EqualFold(s.Name, name) || s.Dir() == filepath.Clean(dir) {
			continue
		}
		parent, base := filepath.Split(s.Dir())
		if err := stage.Remove(parent, base); err != nil { // removes the link, not its target
			return true, fmt.Errorf("removing the skill %s: %w", s.Name, err)
		}
		return true, nil
	}
	return false, nil
}

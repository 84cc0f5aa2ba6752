package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// Reach says what is read of a path. The zero value is the content of one file.
type Reach struct {
	// Pattern says that the path is a pattern that the shell expands.
	Pattern bool
	// Names says that only names and properties are read, no contents.
	Names bool
	// Below says that everything below a directory is read too.
	Below bool
	// Visible leaves hidden files below it out.
	Visible bool
	// Links says that links below it are followed.
	Links bool
}

// maxEntries limits the directory entries that Refused looks at.
const maxEntries = 20_000

// Refused returns a file within reach that file tools must not read, because it is
// outside, protected or ignored; empty if there is none. path is absolute. Below a
// directory, only secrets and files that Ignore's own files (not Git's) hide count:
// installed packages, version control without credentials and build products are not
// secrets. It looks at 20,000 entries at most and returns a text that says so if there
// are more.
func (w *Workspace) Refused(path string, r Reach, ig Ignore) string {
	m := &refusedSearch{ws: w, reach: r, ignore: ig, left: maxEntries}
	paths := []string{path}
	if r.Pattern {
		paths = m.expand(path)
	}
	for _, p := range paths {
		if m.found == "" {
			m.named(p)
		}
	}
	return m.found
}

// refusedSearch is one call of Refused. found is its result so far; the search ends
// once it is set. left is how many entries it may still look at.
type refusedSearch struct {
	ws     *Workspace
	reach  Reach
	ignore Ignore
	left   int
	found  string
}

// tooMany is returned as if it were the name of a file: what cannot be looked at counts
// as refused.
const tooMany = "more files than can be looked at"

// named checks a path that is read as it is.
func (m *refusedSearch) named(path string) {
	real, err := Follow(path)
	if err != nil || !within(m.ws.list(), real) {
		m.found = m.ws.Rel(path)
		return
	}
	if m.reach.Names {
		return
	}
	info, err := os.Stat(real)
	if err == nil && info.IsDir() {
		if m.reach.Below {
			m.below(path, real)
		}
		return
	}
	if err == nil && !info.Mode().IsRegular() {
		m.found = m.ws.Rel(path)
		return
	}
	if _, err := m.ws.Resolve(path); err != nil {
		m.found = m.ws.Rel(path)
	} else if ignored, err := m.ws.Ignored(path, false, m.ignore); err != nil || ignored {
		m.found = m.ws.Rel(path)
	}
}

// within reports whether a path without links is in one of dirs, including
// protected names.
func within(dirs []*dir, real string) bool {
	return slices.ContainsFunc(dirs, func(d *dir) bool {
		_, base, err := d.open()
		if err != nil {
			return false
		}
		_, ok := text.Below(base, real)
		return ok
	})
}

// below checks everything below a directory. Because the directory was named itself,
// protected entries count as a whole.
func (m *refusedSearch) below(path, real string) {
	if _, err := m.ws.Resolve(path); err != nil && component(real, secretName()) != "" {
		m.found = m.ws.Rel(path)
		return
	}
	own := Ignore{Gemini: m.ignore.Gemini && m.ignore.own(m.ws.Dirs()), Custom: m.ignore.Custom}
	if own.Gemini {
		m.left = min(m.left, maxEntries/10) // checking what is ignored costs more
	}
	_ = filepath.WalkDir(real, func(p string, e fs.DirEntry, err error) error {
		if m.left--; m.left < 0 {
			m.found = tooMany
		}
		if err != nil || p == real {
			return nil // commands cannot read it either
		}
		m.entry(p, e, own)
		switch {
		case m.found != "":
			return fs.SkipAll
		case e.IsDir() && (m.reach.Visible && strings.HasPrefix(e.Name(), ".") || component(e.Name(), protectedName()) != ""):
			return fs.SkipDir
		}
		return nil
	})
}

// own reports whether any ignore file but Git's applies in dirs.
func (ig Ignore) own(dirs []string) bool {
	return len(ig.Custom) > 0 || slices.ContainsFunc(dirs, func(dir string) bool {
		_, err := os.Lstat(filepath.Join(dir, ".geminiignore"))
		return err == nil
	})
}

// entry checks one entry below a directory that is read as a whole.
func (m *refusedSearch) entry(path string, e fs.DirEntry, own Ignore) {
	switch name := e.Name(); {
	case m.reach.Visible && strings.HasPrefix(name, "."):
		return
	case component(name, secretName()) != "":
		m.found = m.ws.Rel(path)
	case component(name, protectedName()) != "":
		if e.IsDir() && HoldsCredentials(path) {
			m.found = m.ws.Rel(path)
		}
		return
	case e.Type()&fs.ModeSymlink != 0 && m.reach.Links:
		real, err := Follow(path)
		info, stat := os.Stat(path)
		if err != nil || !within(m.ws.list(), real) || stat == nil && info.IsDir() ||
			component(m.ws.Rel(real), protectedName()) != "" {
			m.found = m.ws.Rel(path)
		}
	}
	if m.found != "" || !own.Gemini {
		return
	}
	if ignored, err := m.ws.Ignored(path, e.IsDir(), own); err == nil && ignored {
		m.found = m.ws.Rel(path)
	}
}

// HoldsCredentials reports whether the repository at dir has a password or a
// token in its configuration, as continuous integration leaves it.
func HoldsCredentials(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "modules")); err == nil {
		return true // there is more than one configuration
	}
	for _, name := range []string{"config", "config.worktree", "credentials"} {
		text, err := boundedfile.Read(filepath.Join(dir, name), boundedfile.Written)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		text = bytes.ToLower(text)
		if err != nil || bytes.Contains(text, []byte("extraheader")) || bytes.Contains(text, []byte("credential")) ||
			urlWithPassword().Match(text) {
			return true
		}
	}
	return false
}

// expand returns the files that a pattern matches, and perhaps more: "["
// matches anything from there on.
func (m *refusedSearch) expand(pattern string) []string {
	volume := filepath.VolumeName(pattern) + string(filepath.Separator)
	found := []string{volume}
	for segment := range strings.FieldsFuncSeq(pattern[len(volume)-1:], func(r rune) bool {
		return r == filepath.Separator
	}) {
		if i := strings.IndexByte(segment, '['); i >= 0 {
			segment = segment[:i] + "*"
		}
		var next []string
		for _, dir := range found {
			if !strings.ContainsAny(segment, "*?") {
				next = append(next, filepath.Join(dir, segment))
				continue
			}
			entries, _ := os.ReadDir(dir)
			if m.left -= len(entries); m.left < 0 {
				m.found = tooMany
				return nil
			}
			for _, e := range entries {
				if strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(segment, ".") || !expands(segment, e.Name()) {
					continue
				}
				if strings.HasPrefix(e.Name(), "-") {
					m.found = e.Name() + ", which looks like an option"
				}
				next = append(next, filepath.Join(dir, e.Name()))
			}
		}
		found = next
	}
	return found
}

// expands reports whether a shell may expand pattern to name, whether it counts
// characters or bytes.
func expands(pattern, name string) bool {
	bytewise := func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			b.WriteRune(rune(s[i]))
		}
		return b.String()
	}
	return Wildcard(pattern, name) || Wildcard(bytewise(pattern), bytewise(name))
}

// Wildcard matches a name against a pattern of "*" and "?"; nothing else is special.
func Wildcard(pattern, name string) bool {
	ok, err := path.Match(strings.NewReplacer(`\`, `\\`, `[`, `\[`).Replace(pattern), name)
	return ok && err == nil
}

package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/tools/policy/shell"
	"minigem/tools/workspace"
)

// Reading is a file or directory that a command reads.
type Reading struct {
	Path    string // absolute
	Pattern bool   // Path is a pattern of files, as a shell expands it
	Names   bool   // no contents, only names and properties
	Below   bool   // all that lies below, too
	Visible bool   // without what is hidden
	Links   bool   // links below are followed
}

// place is where the commands of a line work.
type place struct {
	dirs   []string // each may be the working directory; nil: it is not known
	unsaid bool     // the call says nothing of a directory
	movers int      // commands after which names may lead elsewhere
}

// maxDirs bounds the directories that a line may work in.
const maxDirs = 16

func placeOf(c Call, commands []shell.Command) place {
	var p place
	if c.Intent.Exec != nil && c.Intent.Exec.Dir != "" {
		p.dirs = []string{c.Intent.Exec.Dir}
	} else {
		p.unsaid = true
	}
	for _, cmd := range commands {
		if cmd.Files().Moves {
			p.movers++
		}
		switch {
		case cmd.Kind == shell.Opaque, cmd.Name() == "pushd", cmd.Name() == "popd":
			p.dirs = nil
		case cmd.Name() == "cd":
			p.dirs = enter(p.dirs, cmd)
		}
	}
	return p
}

// enter adds what cd makes of each directory: whether it runs, and before or
// after what, is not certain.
func enter(dirs []string, cd shell.Command) []string {
	f := cd.Files()
	if f.Asked != "" || len(f.Paths) != 1 || !f.Paths[0].Word.Known || len(dirs) == 0 || 2*len(dirs) > maxDirs {
		return nil
	}
	for _, d := range slices.Clone(dirs) {
		dirs = append(dirs, absolute(d, f.Paths[0].Word.Text))
	}
	return dirs
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return dir + string(filepath.Separator) + path // not joined: ".." follows links
}

// filesAsked says why a command is asked for because of the files that it
// touches: one that the file tools would not read or write unasked, or one that
// is not known. Empty: it is not. r is the rule that allows the command, if any
// does.
func (e *Engine) filesAsked(p place, cmd shell.Command, r *Rule) string {
	if cmd.Kind == shell.Wrapper {
		return "" // what it runs is asked
	}
	f := cmd.Files()
	if !f.Known {
		return e.namesSensitive(p, cmd)
	}
	free := r != nil && r.Redirection
	if f.Asked != "" && !free {
		return f.Asked
	}
	others := p.movers
	if f.Moves {
		others--
	}
	for _, path := range f.Paths {
		if path.Mentioned && !slices.ContainsFunc(p.dirs, func(dir string) bool { return meant(absolute(dir, path.Word.Text)) }) {
			continue
		}
		if climbs(path.Word.Text) && !free {
			return `names a path with ".."`
		}
		if others > 0 && !free {
			return "names files beside a command that moves some"
		}
		why := ""
		if path.Writes {
			why = e.writeAsked(p, path, free)
		} else if !free {
			why = e.readAsked(p, path)
		}
		if why != "" {
			return why
		}
	}
	return ""
}

// meant reports whether a word that may be a path is one: there is such a file,
// or it is the name of a protected one, which another commit may have.
func meant(path string) bool {
	if workspace.Protected(filepath.Base(path)) != "" {
		return true
	}
	_, err := os.Lstat(path)
	return err == nil
}

// gitAsked says why git is asked for although a rule allows it, or although it
// would only read: a bare repository may lie in any folder, as files that a
// clone brings or an edit makes, and its configuration names programs.
func gitAsked(p place, cmd shell.Command) string {
	below, git, known := cmd.GitDir()
	if !git {
		return ""
	}
	if !known || p.dirs == nil && !p.unsaid {
		return "runs git in a directory that is not known"
	}
	for _, dir := range p.dirs {
		if bare := bareAbove(absolute(dir, below)); bare != "" {
			return "git takes " + bare + " for a repository, whose configuration names programs"
		}
	}
	return ""
}

// bareAbove looks for a repository as git does, from dir up, and returns the
// directory where it is a bare one.
func bareAbove(dir string) string {
	there := func(names ...string) bool {
		_, err := os.Lstat(filepath.Join(append([]string{dir}, names...)...))
		return err == nil
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for {
		if there("HEAD") && (there("objects") || there("commondir")) {
			return dir
		}
		// ".git" is a name that tools do not write to: git stops there as well.
		info, err := os.Lstat(filepath.Join(dir, ".git"))
		up := filepath.Dir(dir)
		if err == nil && (!info.IsDir() || there(".git", "HEAD")) || up == dir {
			return ""
		}
		dir = up
	}
}

// climbs reports whether a path goes up: from a link, where that leads is not
// what the words say.
func climbs(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "..")
}

// writeAsked says why a file is not written unasked. Where the rule is free to
// redirect, only what Sensitive knows counts.
func (e *Engine) writeAsked(p place, path shell.Path, free bool) string {
	switch {
	case climbs(path.Word.Text) && !free:
		return `changes a path with ".."`
	case !path.Word.Known || len(p.dirs) == 0:
		if free {
			return ""
		}
		return "changes files that are not known"
	case len(p.dirs) > 1 && !free && !filepath.IsAbs(path.Word.Text):
		return "changes files after a change of the directory"
	}
	for _, dir := range p.dirs {
		abs := absolute(dir, path.Word.Text)
		if e.sensitive(abs, path.Below) {
			return "changes " + path.Word.Text + ", which may say what programs run"
		}
		if !free && !e.inWorkspace(abs) {
			return "changes " + path.Word.Text + ", which the file tools do not"
		}
	}
	return ""
}

// readAsked says why a file is not read unasked.
func (e *Engine) readAsked(p place, path shell.Path) string {
	word := path.Word
	switch {
	case !word.Known && !word.Glob:
		return "reads files that are not known"
	case e.options.Refused == nil:
		return map[bool]string{true: "reads files that may be named like options"}[word.Glob && strings.IndexAny(word.Text, "*?[-") == 0]
	case len(p.dirs) == 0:
		return "reads files of a directory that is not known"
	}
	for _, dir := range p.dirs {
		what := e.options.Refused(Reading{
			Path: absolute(dir, word.Text), Pattern: word.Glob, Names: path.Names, Below: path.Below, Visible: path.Visible, Links: path.Links,
		})
		if what != "" {
			return "may read " + what + ", which the file tools do not"
		}
	}
	return ""
}

// namesSensitive: it is not known what the program does, but what its arguments
// name is not just any file.
func (e *Engine) namesSensitive(p place, cmd shell.Command) string {
	for _, w := range cmd.Words[min(1, len(cmd.Words)):] {
		_, value, _ := strings.Cut(w.Text, "=")
		for _, name := range []string{w.Text, strings.TrimLeft(w.Text, "-"), value} {
			if !w.Known { // of ~ and $HOME the rest is left
				name = strings.TrimLeft(name, "~/")
			}
			if name == "" || len(name) > 4096 || strings.ContainsAny(name, "\n\x00") {
				continue
			}
			if secret := workspace.Secret(name); secret != "" {
				return "names " + secret + ", which the file tools do not read"
			}
			if ofProcess(name) || slices.ContainsFunc(p.dirs, func(dir string) bool { return e.sensitive(absolute(dir, name), false) }) {
				return "names " + name + ", which may say what programs run"
			}
		}
	}
	return ""
}

// ofProcess: where these lead depends on which process asks.
func ofProcess(name string) bool {
	return strings.HasPrefix(filepath.Clean(name), "/proc/") && strings.Count(filepath.Clean(name), "/") > 3
}

// redirectAsked says why the redirections of a command are asked for: the rule
// that allows it does not speak of them, or they touch what the file tools do
// not.
func (e *Engine) redirectAsked(s situation, p place, cmd shell.Command, r *Rule) string {
	free := r != nil && r.Redirection
	for _, rd := range cmd.Redirects {
		if !free && s.mode != ModeAutoEdit && (r == nil || !r.Inside) {
			return "is redirected"
		}
		if why := e.writeAsked(p, shell.Path{Word: rd.Target}, free); why != "" {
			return "is redirected: " + why
		}
		if p.movers > 0 && !free {
			return "is redirected beside a command that moves files"
		}
	}
	return ""
}

func (e *Engine) sensitive(path string, below bool) bool {
	return e.options.Sensitive != nil && e.options.Sensitive(path, below)
}

func (e *Engine) inWorkspace(path string) bool {
	return e.options.InWorkspace != nil && e.options.InWorkspace(path)
}

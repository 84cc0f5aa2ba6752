package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"minigem/tools/policy/shell"
	"minigem/tools/workspace"
)

// Reading is a file or directory that a command reads, for [Options.Refused]; see
// workspace.Reach.
type Reading struct {
	// Path is absolute.
	Path string
	// Pattern says that Path is a pattern of files, as a shell expands it.
	Pattern bool
	// Names says that no contents are read, only names and properties.
	Names bool
	// Below says that everything below Path is read too.
	Below bool
	// Visible leaves hidden files out.
	Visible bool
	// Links says that links below Path are followed.
	Links bool
}

// maxDirs bounds the directories that a line may work in.
const maxDirs = 16

// dirsOf returns the directories in which commands of a line may work, or nil if they
// are unknown. It is not certain whether a cd runs, nor before or after what.
func dirsOf(c Call, commands []shell.Command) []string {
	if c.Intent.Exec == nil || c.Intent.Exec.Dir == "" {
		return nil
	}
	dirs := []string{c.Intent.Exec.Dir}
	for _, cmd := range commands {
		switch name := cmd.Name(); {
		case name == "pushd", name == "popd", name == "cd" &&
			(len(cmd.Words) != 2 || !cmd.Words[1].Known || strings.HasPrefix(cmd.Words[1].Text, "-") || len(dirs) > maxDirs/2):
			return nil
		case name == "cd":
			for _, d := range slices.Clone(dirs) {
				dirs = append(dirs, absolute(d, cmd.Words[1].Text))
			}
		}
	}
	return dirs
}

// absolute returns path as the kernel would follow it from dir.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return dir + string(filepath.Separator) + path // not joined: ".." follows links
}

// nameLike matches what may be names of files in an argument: runs of the characters
// that names are made of.
var nameLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL\pN._/~+@%-]+`) })

// namesIn returns what may be names of files in an argument.
func namesIn(w shell.Word) []string {
	out := append(nameLike().FindAllString(w.Text, -1), w.Text, strings.TrimLeft(w.Text, "-"))
	if strings.HasPrefix(w.Text, "-") && len(w.Text) > 2 {
		out = append(out, w.Text[2:]) // the value of a letter
	}
	for _, name := range out { // of ~ and $HOME the rest is left
		out = append(out, strings.TrimLeft(name, "~/"))
	}
	return slices.DeleteFunc(out, func(name string) bool {
		return name == "" || len(name) > 4096 || strings.ContainsAny(name, "\n\x00")
	})
}

// secretAsked returns why a command that only reads needs approval: the model would
// read its output, and the file tools would refuse to show it.
func (e *Engine) secretAsked(l judged, cmd shell.Command) string {
	reach := cmd.Reach()
	args := slices.Clone(cmd.Words[1:])
	for _, rd := range cmd.Redirects {
		args, reach.Nothing = append(args, rd.Target), false
	}
	if l.dirs == nil && e.options.Refused != nil && !reach.Nothing {
		return "reads files of a directory that is not known"
	}
	for _, w := range args {
		if !w.Known && !w.Glob {
			return "what " + w.Text + "$ stands for is not known"
		}
		if reach.Nothing {
			continue
		}
		if why := e.wordAsked(l, w, reach); why != "" {
			return why
		}
	}
	if reach.Here && !l.namesFolder(args) {
		if why := e.wordAsked(l, shell.Word{Text: ".", Known: true}, reach); why != "" {
			return why
		}
	}
	if reach.Commits && e.options.Tracked != nil {
		for _, dir := range l.dirs {
			if secret := e.options.Tracked(dir); secret != "" {
				return "git may print " + secret + ", which the file tools do not read"
			}
		}
	}
	return ""
}

// namesFolder reports whether the last argument is a folder that a search is to
// look into, and not the value of an option.
func (l judged) namesFolder(args []shell.Word) bool {
	n := len(args)
	if n < 2 || strings.HasPrefix(args[n-2].Text, "-") {
		return false
	}
	return !slices.ContainsFunc(l.dirs, func(dir string) bool {
		info, err := os.Stat(absolute(dir, args[n-1].Text))
		return err != nil || !info.IsDir()
	})
}

// wordAsked says why an argument is not read unasked.
func (e *Engine) wordAsked(l judged, w shell.Word, reach shell.Reach) string {
	for _, name := range namesIn(w) {
		if name == "/" && !reach.Names {
			continue
		}
		if secret := workspace.Secret(name); secret != "" && !reach.Names {
			return "names " + secret + ", which the file tools do not read"
		}
		climbs := slices.Contains(strings.Split(name, "/"), "..")
		if e.options.Refused == nil {
			if climbs || name[0] == '/' || workspace.Protected(name) != "" || w.Glob && w.Text[0] == '.' {
				return "names a file outside the working directory, or a protected one"
			}
			continue
		}
		for _, dir := range l.dirs {
			at := absolute(dir, name)
			if _, err := os.Lstat(at); err != nil && !w.Glob && !climbs {
				continue
			}
			what := e.options.Refused(
				Reading{Path: at, Pattern: w.Glob, Names: reach.Names, Below: reach.Below, Visible: reach.Visible})
			if what != "" {
				return "may read " + what + ", which the file tools do not"
			}
		}
	}
	return ""
}

// gitAsked returns why git needs approval although a rule allows it or it would only
// read. Any folder may be a bare repository, made of files from a clone or an edit, and
// its configuration names programs.
func gitAsked(l judged, cmd shell.Command) string {
	below, known := cmd.GitDir()
	if !known || l.dirs == nil && l.call.Intent.Exec != nil && l.call.Intent.Exec.Dir != "" {
		return "runs git in a directory that is not known"
	}
	for _, dir := range l.dirs {
		if bare := bareAbove(absolute(dir, below)); bare != "" {
			return "git takes " + bare + " for a repository, whose configuration names programs"
		}
	}
	return ""
}

// bareAbove looks for a repository as git does, from dir up, and returns its directory
// if it is a bare one.
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

// namesSensitive returns why a command that a rule allows needs approval: its effect is
// unknown, and its arguments name a file that is not an ordinary one.
func (e *Engine) namesSensitive(l judged, cmd shell.Command) string {
	words := []shell.Word{{Text: l.Text}} // if it is not a command, its whole text counts
	if len(cmd.Words) > 0 {
		words = cmd.Words[1:]
	}
	for _, w := range words {
		for _, name := range namesIn(w) {
			if secret := workspace.Secret(name); secret != "" {
				return "names " + secret + ", which the file tools do not read"
			}
			if ofProcess(name) || slices.ContainsFunc(l.dirs, func(dir string) bool {
				return e.sensitive(absolute(dir, name), false)
			}) {
				return "names " + name + ", which may say what programs run"
			}
		}
	}
	return ""
}

// ofProcess reports whether name leads to a file that differs between processes.
func ofProcess(name string) bool {
	return strings.HasPrefix(filepath.Clean(name), "/proc/") && strings.Count(filepath.Clean(name), "/") > 3
}

// redirectAsked returns why the redirections of a command need approval: the rule that
// allows it does not cover them, or they touch files that the file tools refuse.
func (e *Engine) redirectAsked(s situation, l judged, cmd shell.Command, r *Rule) string {
	free := r != nil && r.Redirection
	for _, rd := range cmd.Redirects {
		name := rd.Target.Text
		switch {
		case !rd.Writes && (r == nil || r.builtIn()): // it reads, which was judged
			continue
		case !free && s.mode != ModeAutoEdit && (r == nil || !r.Inside):
			return "is redirected"
		case slices.Contains(strings.Split(name, "/"), "..") && !free:
			return `is redirected to a path with ".."`
		case (!rd.Target.Known || len(l.dirs) != 1) && !filepath.IsAbs(name):
			if free && l.dirs != nil {
				continue
			}
			return "is redirected to a file that is not known"
		}
		for _, dir := range l.dirs {
			at := absolute(dir, name)
			if e.sensitive(at, false) {
				return "is redirected: changes " + name + ", which may say what programs run"
			}
			if !free && !e.inWorkspace(at) {
				return "is redirected: changes " + name + ", which the file tools do not"
			}
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

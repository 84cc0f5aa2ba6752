package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/tools/policy/shell"
	"minigem/tools/workspace"
)

// dirsOf returns the directories in which commands of a line may work, or nil if they
// are unknown.
func dirsOf(c Call, l shell.Line) []string {
	if c.Intent.Exec == nil || c.Intent.Exec.Dir == "" {
		return nil
	}
	return l.Dirs(c.Intent.Exec.Dir)
}

// secretAsked returns why a command that only reads needs approval: the model would
// read its output, and the file tools would refuse to show it.
func (e *Engine) secretAsked(l judged, cmd shell.Command) string {
	reach := cmd.Reach()
	args := cmd.Files()
	reach.Nothing = reach.Nothing && len(cmd.Redirects) == 0
	if (l.dirs == nil || e.options.Refused == nil) && !reach.Nothing {
		return "reads files, and it is not known which"
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
	if cmd.Name() == "git" && slices.ContainsFunc(l.Commands, shell.Command.Programmable) {
		reach.Commits, reach.Earlier = true, true // what they start is not known: it may be git
	}
	if reach.Commits && e.options.Tracked != nil {
		for _, dir := range l.dirs {
			var words []string
			if reach.Earlier {
				words = append(words, cmd.Text())
			}
			if secret := e.options.Tracked(dir, words); secret != "" {
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
	if n < 2 || strings.HasPrefix(args[n-2].Text, "-") || len(l.dirs) > 1 {
		return false
	}
	info, err := os.Stat(shell.At(l.dirs[0], args[n-1].Text))
	return err == nil && info.IsDir()
}

// wordAsked says why an argument is not read unasked.
func (e *Engine) wordAsked(l judged, w shell.Word, reach shell.Reach) string {
	for _, name := range w.Names() {
		if name == "/" && !reach.Names {
			continue
		}
		if secret := workspace.Secret(name); secret != "" && !reach.Names {
			return "names " + secret + ", which the file tools do not read"
		}
		climbs := slices.Contains(strings.Split(name, "/"), "..")
		for _, dir := range l.dirs {
			at := shell.At(dir, name)
			if _, err := os.Lstat(at); err != nil && !w.Glob && !climbs {
				continue
			}
			what := e.options.Refused(at, workspace.Reach{Pattern: w.Glob, Names: reach.Names, Below: reach.Below,
				Visible: reach.Visible, Links: reach.Links})
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
	own := len(cmd.Words) - len(cmd.Normal()) // options of git itself
	if own > 1 || own == 1 && cmd.Words[1].Text != "--no-pager" ||
		l.dirs == nil {
		return "runs git in a directory that is not known"
	}
	for _, dir := range l.dirs {
		if bare := bareAbove(dir); bare != "" {
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
		if len(cmd.Words) > 0 && (!w.Known && !w.Glob || w.Glob && strings.HasPrefix(w.Text, "~")) {
			return "what " + w.Text + " stands for is not known"
		}
		names := w.Names()
		if w.Glob {
			for _, dir := range l.dirs {
				names = append(names, w.Matches(dir)...)
			}
		}
		for _, name := range names {
			if secret := workspace.Secret(name); secret != "" {
				return "names " + secret + ", which the file tools do not read"
			}
			if ofProcess(name) || slices.ContainsFunc(l.dirs, func(dir string) bool {
				return e.sensitive(shell.At(dir, name))
			}) {
				return "names " + name + ", which may say what programs run"
			}
		}
	}
	return ""
}

// ofProcess reports whether name leads to a file that differs between processes.
func ofProcess(name string) bool {
	name = filepath.Clean(name)
	return strings.HasPrefix(name, "/proc/") && strings.Count(name, "/") > 3
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
		case !free && s.Mode != ModeAutoEdit && (r == nil || !r.Inside):
			return "is redirected"
		case !rd.Target.Known, l.dirs == nil, !free && len(l.dirs) > 1 && !filepath.IsAbs(name):
			return "is redirected to a file that is not known"
		}
		for _, dir := range l.dirs {
			at := shell.At(dir, name)
			if e.sensitive(at) {
				return "is redirected: changes " + name + ", which may say what programs run"
			}
			if !free && (e.options.InWorkspace == nil || !e.options.InWorkspace(at)) {
				return "is redirected: changes " + name + ", which the file tools do not"
			}
		}
	}
	return ""
}

// sensitive asks Options.Sensitive, for which no path is sensitive if it is nil.
func (e *Engine) sensitive(path string) bool {
	return e.options.Sensitive != nil && e.options.Sensitive(path)
}

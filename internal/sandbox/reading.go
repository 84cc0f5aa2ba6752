package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"minigem/internal/boundedfile"
	"minigem/internal/confine"
	"minigem/internal/proc"
	"minigem/tools/policy/shell"
	"minigem/tools/workspace"
)

// Readers confines command lines that run without a question because their programs only
// read. What they read is judged by their words, so the kernel keeps them to it: they open
// the files that they name and, if one searches folders or is git, the workspace; they
// start the programs that they name. Programs such as awk and sed could do more.
type Readers struct {
	// Home is the user's home directory.
	Home string
	// Path is the PATH of the commands.
	Path string
	// Env returns the environment of commands.
	Env func() []string
	// Dirs returns the folders of the workspace.
	Dirs func() []string

	once             sync.Once
	system, programs []string
}

// ReadersPrelude defines the commands that are shell scripts on many systems. Readers
// start no other shell.
const ReadersPrelude = `which() { type -P "$@"; }; egrep() { grep -E "$@"; }; fgrep() { grep -F "$@"; }; `

// Rules returns what the programs of line may read and execute if it starts in dir.
func (r *Readers) Rules(line, dir string) confine.Rules {
	r.once.Do(func() {
		r.system = confine.Readable(r.Path, r.Home)
		for _, dir := range filepath.SplitList(r.Path) {
			if real, err := filepath.EvalSymlinks(dir); err == nil && listable(real) {
				r.programs = append(r.programs, real)
			}
		}
	})
	l, _ := shell.Parse(line) // a line that cannot be parsed does not run unasked
	dirs := l.Dirs(dir)
	out := confine.Rules{Hidden: Secrets(r.Home, append(r.Dirs(), dir))}
	names := []string{proc.ShellName()}
	searches, git, starts := false, false, false
	for _, c := range l.Commands {
		reach := c.Reach()
		searches, git = searches || reach.Below || reach.Here, git || c.Name() == "git"
		starts = starts || c.Starts()
		names = append(names, c.Name())
		if shell.Listed("egrep fgrep", c.Name()) {
			names = append(names, "grep") // see ReadersPrelude
		}
		if reach.Nothing && len(c.Redirects) == 0 || reach.Names && c.Name() != "file" {
			continue // it opens no file
		}
		for _, w := range c.Files() {
			out.Read = append(out.Read, named(dirs, w, reach.Below)...)
		}
	}
	if out.Execute = confine.Programs(r.Path, names...); slices.ContainsFunc(out.Execute, shim) {
		out.Execute = nil
	}
	if searches || git {
		repositories := repository(dir)
		out.Read = append(out.Read, slices.Concat(r.Dirs(), []string{dir}, repositories)...)
		if git {
			out.Read = append(out.Read, r.gitConfig(dir)...)
		}
		if searches || starts {
			out.Hidden = append(out.Hidden, secretsBelow(append(r.Dirs(), dir))...)
		}
	}
	if !git {
		for _, top := range append(r.Dirs(), repository(dir)...) {
			out.Hidden = append(out.Hidden, insideGit(filepath.Join(top, ".git"))...)
		}
	}
	read := slices.Concat(r.system, out.Execute)
	if out.Execute != nil { // the loader of programs could start any that can be read
		out.Hidden = append(out.Hidden, r.programs...)
	}
	for _, name := range out.Read {
		if real, err := filepath.EvalSymlinks(name); err == nil && workspace.Secret(real) == "" {
			read = append(read, real)
		}
	}
	out.Read = read
	return out
}

// secretsBelow returns the secrets at any depth below dirs. It looks at 20,000 files at
// most.
func secretsBelow(dirs []string) (out []string) {
	left := 20_000
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			left--
			switch {
			case left < 0:
				return fs.SkipAll
			case err != nil:
				return nil
			case e.IsDir() && e.Name() == ".git":
				return fs.SkipDir
			case !e.IsDir() && workspace.Secret(e.Name()) != "" && listable(filepath.Dir(path)):
				out = append(out, path)
			}
			return nil
		})
	}
	return out
}

// shim reports whether a program is one that starts another by the same name, as those of
// version managers do.
func shim(program string) bool { return strings.Contains(program, "/shims/") }

// named returns the files that a word names, and if below is true the folders.
func named(dirs []string, w shell.Word, below bool) []string {
	var out []string
	for _, dir := range dirs {
		if w.Glob {
			out = append(out, w.Matches(dir)...)
			continue
		}
		for _, name := range w.Names() {
			out = append(out, shell.At(dir, name))
		}
	}
	return slices.DeleteFunc(out, func(file string) bool {
		info, err := os.Stat(file)
		return err != nil || !info.Mode().IsRegular() && !(info.IsDir() && below)
	})
}

// repository returns the top folder of the repository around dir and, where git keeps it
// elsewhere, its data. It returns nil if there is none.
func repository(dir string) []string {
	for ; ; dir = filepath.Dir(dir) {
		at := filepath.Join(dir, ".git")
		info, err := os.Stat(at)
		switch {
		case err == nil && info.IsDir():
			return []string{dir}
		case err == nil:
			text, _ := boundedfile.Read(at, boundedfile.Written)
			data, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
			if !ok {
				return nil
			}
			data = shell.At(dir, data)
			common, _ := boundedfile.Read(filepath.Join(data, "commondir"), boundedfile.Written)
			return []string{dir, data, shell.At(data, strings.TrimSpace(string(common)))}
		case dir == filepath.Dir(dir):
			return nil
		}
	}
}

// insideGit lists what only git needs of a repository's data.
func insideGit(dir string) []string {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !listable(dir) {
		return nil
	}
	var out []string
	for _, name := range strings.Fields("objects config logs lfs modules worktrees") {
		out = append(out, filepath.Join(dir, name))
	}
	return out
}

// gitConfig returns the files that configure git.
func (r *Readers) gitConfig(dir string) []string {
	g := gitIn{r.Env(), dir}
	var out []string
	said, _ := g.reads("config", "-z", "--show-origin", "--list")
	for origin := range strings.SplitSeq(said, "\x00") {
		if file, ok := strings.CutPrefix(origin, "file:"); ok {
			out = append(out, shell.At(dir, file))
		}
	}
	for _, key := range []string{"core.excludesFile", "core.attributesFile"} {
		if file, _ := g.reads("config", "--type=path", "--get", key); file != "" {
			out = append(out, strings.TrimSpace(file))
		}
	}
	for _, name := range []string{"ignore", "attributes"} {
		out = append(out, filepath.Join(r.Home, ".config/git", name))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

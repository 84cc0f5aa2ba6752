package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"minigem/internal/atomicfile"
	"minigem/internal/confine"
	"minigem/internal/proc"
	"minigem/internal/redact"
	"minigem/internal/text"
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

	// Copy is the path of a file for a part of the user's configuration of git; empty
	// means that git reads none of it.
	Copy string

	once, gitOnce              sync.Once
	system, programs, gitFiles []string
	gitProgram                 string
	gitEnv                     []string
}

// ReadersPrelude defines the commands that are shell scripts on many systems. Readers
// start no other shell.
const ReadersPrelude = `which() { type -P "$@"; }; egrep() { grep -E "$@"; }; fgrep() { grep -F "$@"; }; `

// Rules returns what the programs of line may read and execute if it starts in dir, and
// variables for them, "k=v".
func (r *Readers) Rules(line, dir string) (rules confine.Rules, env []string) {
	r.once.Do(r.look)
	l, _ := shell.Parse(line) // a line that cannot be parsed does not run unasked
	dirs, names := l.Dirs(dir), []string{proc.ShellName()}
	hidden := Secrets(r.Home, append(r.Dirs(), dir))
	var read []string
	has := func(is func(shell.Command) bool) bool { return slices.ContainsFunc(l.Commands, is) }
	searches := has(func(c shell.Command) bool { return c.Reach().Below || c.Reach().Here })
	git, programmable := has(named("git")), has(shell.Command.Programmable)
	for _, c := range l.Commands {
		names = append(names, c.Name())
		names = append(names, strings.Fields(startedBy[c.Name()])...)
		reach := c.Reach()
		if reach.Nothing && len(c.Redirects) == 0 || reach.Names && c.Name() != "file" {
			continue // it opens no file
		}
		for _, w := range c.Files() {
			read = append(read, filesOf(dirs, w, reach.Below)...)
		}
	}
	if searches || git {
		read = append(append(read, r.Dirs()...), dir)
	}
	if git || searches && !programmable { // git and rg look at the whole repository
		read = append(read, r.repository(dir)...)
	}
	if git {
		more, program, variables := r.git()
		read, names, env = append(read, more...), append(names, program), variables
		for _, top := range r.repository(dir) {
			from := workspace.FirstLine(filepath.Join(top, ".git/objects/info/alternates"))
			if filepath.Base(from) == "objects" {
				read = append(read, from) // of another repository, from which it borrows
			}
		}
		if !programmable {
			names = append(names, "sh", "git-lfs") // filters of Git LFS
		}
	} else if has(named("rg")) && !programmable {
		read = append(read, filepath.Join(r.Home, ".gitconfig"), filepath.Join(r.Home, ".config/git/ignore"))
	}
	if programmable || searches {
		hidden = append(hidden, secretsBelow(append(r.Dirs(), dir))...)
	}
	if !git {
		hidden = append(hidden, passwordsOf(append(r.Dirs(), r.repository(dir)...))...)
	}
	rules = r.rules(read, hidden, names)
	if !programmable && slices.ContainsFunc(rules.Execute, shim) {
		rules.Execute, rules.Hidden = nil, hidden // it starts a program that is not named
	}
	return rules, env
}

// startedBy lists the programs that a command starts as a part of its work; see also
// [ReadersPrelude].
var startedBy = map[string]string{"egrep": "grep", "fgrep": "grep", "yq": "jq"}

// named returns a function that reports whether a command has that name.
func named(name string) func(shell.Command) bool {
	return func(c shell.Command) bool { return c.Name() == name }
}

// look finds what does not change while the session lasts.
func (r *Readers) look() {
	r.system = confine.Readable(r.Path, r.Home)
	for _, dir := range filepath.SplitList(r.Path) {
		if at := real(dir); at != "" && listable(at) {
			r.programs = append(r.programs, at)
		}
	}
}

// rules makes rules of names, which may be links, and of programs. A secret stays hidden
// even if it is named.
func (r *Readers) rules(read, hidden, programs []string) confine.Rules {
	out := confine.Rules{Read: slices.Clone(r.system), Hidden: hidden}
	// A program in the workspace is the model's. The loader of programs could start any that
	// can be read.
	out.Execute = slices.DeleteFunc(confine.Programs(r.Path, programs...), r.inWorkspace)
	out.Read, out.Hidden = append(out.Read, out.Execute...), append(out.Hidden, r.programs...)
	for _, name := range read {
		if at := real(name); at != "" && workspace.Secret(at) == "" {
			out.Read = append(out.Read, at)
		}
	}
	return out
}

// inWorkspace reports whether a file is in a folder of the workspace.
func (r *Readers) inWorkspace(file string) bool {
	return slices.ContainsFunc(r.Dirs(), func(dir string) bool {
		_, inside := text.Below(dir, real(file))
		return inside
	})
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

// filesOf returns the files that a word names, and if below is true the folders.
func filesOf(dirs []string, w shell.Word, below bool) []string {
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

// repository returns the top folder of the repository around dir and, if that is a
// worktree, the data of the repository to which it belongs. It returns nil if there is
// none.
func (r *Readers) repository(dir string) []string {
	for ; ; dir = filepath.Dir(dir) {
		at := filepath.Join(dir, ".git")
		info, err := os.Stat(at)
		switch {
		case err == nil && info.IsDir():
			return []string{dir}
		case err == nil:
			data := shell.At(dir, strings.TrimPrefix(workspace.FirstLine(at), "gitdir: "))
			common := real(shell.At(data, workspace.FirstLine(filepath.Join(data, "commondir"))))
			back := real(workspace.FirstLine(filepath.Join(data, "gitdir")))
			if back == real(at) && common == real(filepath.Join(data, "../..")) {
				return []string{dir, common}
			}
			return append(r.repository(filepath.Dir(dir)), dir) // a submodule
		case dir == filepath.Dir(dir):
			return nil
		}
	}
}

// real returns name without links. It returns "" if there is no such file, and for "",
// which [filepath.EvalSymlinks] takes for the working directory.
func real(name string) string {
	if name == "" {
		return ""
	}
	out, _ := filepath.EvalSymlinks(name)
	return out
}

// passwordsOf returns what may hold a password of the repositories in dirs.
func passwordsOf(dirs []string) (out []string) {
	for _, dir := range dirs {
		if own := real(filepath.Join(dir, ".git")); own != "" && workspace.HoldsCredentials(own) && listable(own) {
			for _, name := range strings.Fields("config config.worktree credentials modules") {
				out = append(out, filepath.Join(own, name))
			}
		}
	}
	return out
}

// git returns the files that git reads apart from repositories, the program that it
// starts for submodules, and its variables. The user's configuration may hold tokens, and
// other programs of the line could read it, so git gets a copy of a part of it.
func (r *Readers) git() (files []string, program string, env []string) {
	r.gitOnce.Do(func() {
		g := gitIn{r.Env(), r.Home}
		said, _ := g.reads("config", "--global", "--includes", "--list", "-z")
		r.gitEnv = []string{"GIT_CONFIG_GLOBAL=" + os.DevNull}
		if r.Copy != "" && atomicfile.WriteText(r.Copy, publicConfig(said), 0o600) == nil {
			r.gitEnv = []string{"GIT_CONFIG_GLOBAL=" + r.Copy}
		}
		own := filepath.Join(r.Home, ".config/git")
		r.gitFiles = []string{r.Copy, filepath.Join(own, "ignore"), filepath.Join(own, "attributes")}
		for _, key := range []string{"core.excludesFile", "core.attributesFile"} {
			file, _ := g.reads("config", "--type=path", "--get", key)
			r.gitFiles = append(r.gitFiles, strings.TrimSpace(file))
		}
		folder, _ := g.reads("--exec-path")
		r.gitProgram = filepath.Join(strings.TrimSpace(folder), "git")
	})
	return r.gitFiles, r.gitProgram, r.gitEnv
}

// publicConfig makes a file of those settings of git that say how it reads and prints.
func publicConfig(listed string) string {
	var b strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	for setting := range strings.SplitSeq(listed, "\x00") {
		key, value, _ := strings.Cut(setting, "\n")
		section, rest, _ := strings.Cut(key, ".")
		if !shell.Listed("user color column core status log diff blame branch format safe grep tag", section) ||
			redact.LooksSecret(value) {
			continue
		}
		name := rest[strings.LastIndex(rest, ".")+1:]
		fmt.Fprintf(&b, "[%s \"%s\"]\n", section, quote.Replace(strings.TrimSuffix(strings.TrimSuffix(rest, name), ".")))
		fmt.Fprintf(&b, "\t%s = \"%s\"\n", name, quote.Replace(value))
	}
	return strings.ReplaceAll(b.String(), ` ""]`, "]")
}

package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// Ignore says which ignore files apply (core/services/fileDiscoveryService.ts). The zero
// value applies none. The last rule that matches a path wins, in this order: .git/info/exclude,
// the .gitignore files of the repository from the outermost to the innermost,
// .geminiignore, the custom files. Everything in an ignored directory is ignored. The
// files are read again for each question, so that changes apply at once; of each only the
// first MiB counts.
type Ignore struct {
	// Git applies .gitignore files and .git/info/exclude of Git repositories.
	Git bool
	// Gemini applies .geminiignore of the workspace directory, and Custom.
	Gemini bool
	// Custom are further files of that syntax, absolute or relative to the workspace
	// directory. Without Gemini they do not count.
	Custom []string
}

// Ignorer decides which entries of one directory are ignored. It is immutable, so it is
// safe for concurrent use. Make it with [Workspace.Ignorer].
type Ignorer struct {
	set  *ignoreSet
	base string // path of the directory, slash-separated, relative to the workspace directory; "" for itself
	git  *level // innermost first; may be nil
	isIn bool   // the directory is in a Git repository
	all  bool   // the directory itself is ignored
}

// level is a .gitignore file (or info/exclude) with those outside it.
type level struct {
	*ruleSet
	outer *level
}

// ignoreSet is what applies to a whole workspace directory.
type ignoreSet struct {
	Ignore
	extra []*ruleSet // .geminiignore, then the custom files
}

// maxIgnoreFile limits how many bytes of an ignore file are read.
const maxIgnoreFile = 1 << 20

// Ignorer reads the ignore files that apply to the entries of the directory dir. An
// unreadable file counts as empty, see [Workspace.IgnoreFaults]. The error is like that
// of [Workspace.Open] if dir is not a directory of the workspace.
func (w *Workspace) Ignorer(dir string, ig Ignore) (*Ignorer, error) {
	p, err := w.locate(w.Abs(dir))
	if err != nil {
		return nil, err
	}
	top := newIgnorer(p, ig)
	if p.rel == "." {
		return top, nil
	}
	cur, err := p.root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	defer func() { cur.Close() }()
	for name := range strings.SplitSeq(filepath.ToSlash(p.rel), "/") {
		next, err := enter(cur, name, false)
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: dir, Err: cause(err)}
		}
		cur.Close()
		cur = next
		top = top.enter(path.Join(top.base, name), func() []byte {
			return readSome(boundedfile.OpenIn(next, ".gitignore"))
		}, has(next, ".git"))
	}
	return top, nil
}

// Ignored reports whether path is ignored; isDir says whether it is a directory. It need
// not exist. A symbolic link is ignored if it or its target is. The error is like that of
// [Workspace.Open].
func (w *Workspace) Ignored(path string, isDir bool, ig Ignore) (bool, error) {
	abs := w.Abs(path)
	real, err := w.Real(abs)
	if err != nil {
		return false, err
	}
	for _, p := range []string{abs, real} {
		ign, err := w.nearest(filepath.Dir(p), ig)
		if errors.Is(err, ErrOutside) {
			continue // a workspace directory itself
		}
		if err != nil || ign.Ignored(filepath.Base(p), isDir) {
			return err == nil, err
		}
		if p == real {
			break
		}
	}
	return false, nil
}

// nearest returns the Ignorer of dir or, if dir does not exist, of the nearest
// existing directory above it.
func (w *Workspace) nearest(dir string, ig Ignore) (*Ignorer, error) {
	ign, err := w.Ignorer(dir, ig)
	if !errors.Is(err, fs.ErrNotExist) {
		return ign, err
	}
	up, err := w.nearest(filepath.Dir(dir), ig)
	if err != nil {
		return nil, err
	}
	return up.enter(path.Join(up.base, filepath.Base(dir)), nil, false), nil
}

// IgnoreFaults returns an error for each ignore file at the top of the workspace's
// directories that is not read, or not to its end. A missing one is no fault. It
// returns nil if there are none. It reads the files anew each time.
func (w *Workspace) IgnoreFaults(ig Ignore) (faults []error) {
	for _, dir := range w.Dirs() {
		var names []string
		if ig.Gemini {
			names = append([]string{".geminiignore"}, ig.Custom...)
		}
		if repo := findRepo(dir); ig.Git && repo != "" {
			names = append(names, ".gitignore", filepath.Join(gitDir(repo), "info", "exclude"))
		}
		for _, name := range names {
			name = text.Abs(dir, name)
			if err := ignoreFault(name); err != nil {
				faults = append(faults, err)
			}
		}
	}
	return faults
}

// ignoreFault returns why an ignore file does not count as a whole; nil if it does or is
// missing.
func ignoreFault(name string) error {
	f, err := boundedfile.Open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("what it says to ignore does not count: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxIgnoreFile {
		return fmt.Errorf("only the first MiB of what it says to ignore counts: %w",
			boundedfile.TooLarge(name, maxIgnoreFile))
	}
	return nil
}

// has reports whether dir has an entry of that name, of any kind.
func has(dir *os.Root, name string) bool {
	_, err := dir.Lstat(name)
	return err == nil
}

// newIgnorer makes the Ignorer of p's workspace directory.
func newIgnorer(p place, ig Ignore) *Ignorer {
	top := &Ignorer{set: &ignoreSet{Ignore: ig}}
	if ig.Gemini {
		for _, name := range append([]string{".geminiignore"}, ig.Custom...) {
			name = text.Abs(p.real, name)
			if rules := newRuleSet(readSome(boundedfile.Open(name))); rules != nil {
				top.set.extra = append(top.set.extra, rules)
			}
		}
	}
	if repo := findRepo(p.real); ig.Git && repo != "" {
		top.isIn = true
		top.git = outerRules(repo, p.real)
		top.readGit(readSome(boundedfile.OpenIn(p.root, ".gitignore")))
	}
	return top
}

// outerRules returns the rules that the repository repo has above dir.
func outerRules(repo, dir string) *level {
	rel, err := filepath.Rel(repo, dir)
	if err != nil {
		return nil
	}
	rel = filepath.ToSlash(rel)
	if rel == "." {
		rel = ""
	}
	var git *level
	add := func(file, above string) {
		if rules := newRuleSet(readSome(boundedfile.Open(file))); rules != nil {
			rules.above = above
			git = &level{rules, git}
		}
	}
	add(filepath.Join(gitDir(repo), "info", "exclude"), rel)
	for at := repo; rel != ""; {
		add(filepath.Join(at, ".gitignore"), rel)
		var name string
		name, rel, _ = strings.Cut(rel, "/")
		at = filepath.Join(at, name)
	}
	return git
}

// findRepo returns the innermost directory at or above dir that contains a
// .git.
func findRepo(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// gitDir returns the directory with the repository's info: .git or, in worktrees and
// submodules, the directory to which the file .git refers.
func gitDir(repo string) string {
	own := ownGitDir(repo)
	if common := FirstLine(filepath.Join(own, "commondir")); common != "" {
		return filepath.Join(own, common)
	}
	return own
}

// ownGitDir returns what gitDir does, but for a worktree its own directory, which has its
// HEAD.
func ownGitDir(repo string) string {
	dot := filepath.Join(repo, ".git")
	target, ok := strings.CutPrefix(FirstLine(dot), "gitdir: ")
	if !ok {
		return dot
	}
	target = text.Abs(repo, target)
	return target
}

// FirstLine returns the first line of a file without its end; empty if it cannot be
// read.
func FirstLine(file string) string {
	line, _, _ := strings.Cut(string(readSome(boundedfile.Open(file))), "\n")
	return strings.TrimRight(line, "\r")
}

// readSome reads an ignore file that was just opened; nil if opening failed.
func readSome(f *os.File, err error) []byte {
	if err != nil {
		return nil
	}
	defer f.Close()
	return readUpTo(f)
}

// readUpTo reads the first MiB; nil if reading failed, so that half a file of rules
// never counts.
func readUpTo(f io.Reader) []byte {
	data, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return data
}

// readGit puts the rules of the directory's .gitignore before the others.
func (g *Ignorer) readGit(data []byte) {
	if rules := newRuleSet(data); rules != nil {
		rules.base = g.base
		g.git = &level{rules, g.git}
	}
}

// enter returns the Ignorer of the subdirectory rel (relative to the workspace
// directory). gitignore reads its .gitignore file, nil if it has none; repo
// says whether it contains a .git.
func (g *Ignorer) enter(rel string, gitignore func() []byte, repo bool) *Ignorer {
	sub := &Ignorer{set: g.set, base: rel, git: g.git, isIn: g.isIn}
	sub.all = g.judge(rel, path.Base(rel), true)
	if g.set.Git && !sub.all {
		sub.isIn = g.isIn || repo
		if sub.isIn && gitignore != nil {
			sub.readGit(gitignore())
		}
	}
	return sub
}

// Ignored reports whether the entry name of the directory is ignored. name is a single
// name, without a slash. Nothing is read for it.
func (g *Ignorer) Ignored(name string, isDir bool) bool {
	return g.judge(path.Join(g.base, name), name, isDir)
}

// judge is like Ignored, for an entry whose path relative to the workspace
// directory is known.
func (g *Ignorer) judge(rel, name string, isDir bool) bool {
	if g.all {
		return true
	}
	if g.isIn && name == ".git" {
		return true
	}
	for i := len(g.set.extra) - 1; i >= 0; i-- {
		if v := g.set.extra[i].judge(rel, name, isDir); v != silent {
			return v == ignored
		}
	}
	for l := g.git; l != nil; l = l.outer {
		if v := l.judge(rel, name, isDir); v != silent {
			return v == ignored
		}
	}
	return false
}

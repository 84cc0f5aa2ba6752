package sandbox

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"minigem/internal/confine"
	"minigem/internal/proc"
	"minigem/tools/workspace"
)

// inHome lists files and directories in a home directory that hold secrets.
const inHome = ".ssh .aws .azure .gnupg .kube .netrc .npmrc .pypirc .git-credentials .docker/config.json .config/gh " +
	".config/gcloud .config/hub .cargo/credentials.toml " +
	".gemini/oauth_creds.json .gemini/mcp-oauth-tokens.json .gemini/.env .bash_history .zsh_history .password-store " +
	".local/share/keyrings"

// Secrets returns the files that read-only commands cannot read: the secrets in the
// home directory and in each of dirs.
func Secrets(home string, dirs []string) []string {
	var out []string
	for _, name := range strings.Fields(inHome) {
		out = append(out, filepath.Join(home, name))
	}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // a folder that cannot be listed has no names to hide
		for _, e := range entries {
			if workspace.Secret(e.Name()) != "" {
				out = append(out, filepath.Join(dir, e.Name()))
			}
		}
	}
	hidden := out[:0]
	for _, name := range out {
		if real, err := filepath.EvalSymlinks(name); err == nil && listable(filepath.Dir(real)) {
			hidden = append(hidden, real)
		}
	}
	slices.Sort(hidden)
	return slices.Compact(hidden)
}

// listable reports whether dir and all its parents can be listed, which hiding a file
// requires.
func listable(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		f, err := os.Open(dir)
		if err != nil {
			return false
		}
		f.Close()
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// Tracked returns a function that names a secret which git may print from the repository
// around dir: a tracked file, the password in a URL, and if words is not nil also a file
// that was tracked once, or what words name that no ref or reflog leads to. It returns ""
// if git reports none. env returns the environment of git.
func Tracked(env func() []string) func(dir string, words []string) string {
	var past sync.Map // the *history, by repository and commits
	return func(dir string, words []string) string {
		g := gitIn{env(), dir}
		for _, list := range [][]string{{"ls-files", "-z", "--full-name", ":/"},
			{"ls-tree", "-r", "-z", "--full-tree", "--name-only", "HEAD"}} {
			said, _ := g.reads(list...)
			if name := secretIn(said); name != "" {
				return name
			}
		}
		if urls, _ := g.reads("config", "--get-regexp", `^(remote\..*url|url\..*)$`); password().MatchString(urls) {
			return "a password in the URL of a remote"
		}
		if words == nil {
			return ""
		}
		at, _ := g.reads("rev-parse", "--absolute-git-dir", "--all")
		found, ok := past.Load(at)
		if !ok {
			found, _ = past.LoadOrStore(at, g.history())
		}
		h := found.(history)
		return cmp.Or(h.secret, g.loose(h, words))
	}
}

// history is what refs, stashes and reflogs lead to.
type history struct {
	secret  string // a secret that any commit added, or why that is not known
	commits string // their names, one a line
}

// history looks through all commits.
func (g gitIn) history() (h history) {
	said, err := g.reads("log", "--all", "--reflog", "--root", "-m", "--no-renames", "--diff-filter=A", "--format=",
		"--name-only", "-z")
	if name := secretIn(said); name != "" {
		h.secret = name + ", which was tracked once"
	} else if h.commits, err = g.commits(err); err != nil {
		h.secret = "a file that was tracked once: the history is too long to look through"
	}
	return h
}

func (g gitIn) commits(err error) (string, error) {
	if err != nil {
		return "", err
	}
	return g.reads("rev-list", "--all", "--reflog")
}

// object matches what may be the name of an object, which may be shortened.
var object = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9a-fA-F]{4,64}`) })

// loose returns an object that words name and that is neither a commit of h nor what one
// holds, such as a file that was added and taken back.
func (g gitIn) loose(h history, words []string) string {
	for _, name := range object().FindAllString(strings.Join(words, " "), -1) {
		if _, err := g.reads("rev-parse", "--verify", "--quiet", "--end-of-options", name); err != nil {
			continue // no object, but a part of a word
		}
		commit, err := g.reads("rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
		if err != nil || !strings.Contains(h.commits, commit) {
			return "the object " + name + ", to which no branch leads"
		}
	}
	return ""
}

// password matches a URL that may hold one.
var password = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)\bhttps?://[^/@\s]+@|://[^@\s]*:[^@\s]*@|[?&][\w-]*(token|key|secret|passw|auth)[\w-]*=`)
})

// secretIn returns the first of the names, separated by NUL, that is a secret's, or "".
func secretIn(names string) string {
	for name := range strings.SplitSeq(names, "\x00") {
		if workspace.Secret(name) != "" {
			return name
		}
	}
	return ""
}

// gitIn runs git in a folder.
type gitIn struct {
	env []string
	dir string
}

// reads returns the output of git. It fails after two seconds.
func (g gitIn) reads(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return proc.Git(ctx, proc.Command{
		Dir: g.dir, Env: g.env, Out: proc.Limit{Head: 64 << 20}, Rules: &confine.Rules{},
	}, append([]string{"-c", "core.fsmonitor=false"}, args...)...)
}

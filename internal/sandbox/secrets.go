package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
		if _, err := os.ReadDir(dir); err != nil {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// Tracked names a secret that git may print from the repository around dir: a
// tracked file, or the URL of a remote. It returns "" if git reports none.
func Tracked(env []string, dir string) string {
	for name := range strings.SplitSeq(gitReads(env, dir, "ls-files", "-z", "--full-name", ":/"), "\x00") {
		if secret := workspace.Secret(name); secret != "" {
			return name
		}
	}
	if gitReads(env, dir, "config", "--get-regexp", `^remote\..*url$`, `^https?://[^/@]+@`) != "" {
		return "a password in the URL of a remote"
	}
	return ""
}

// gitReads returns the output of git in dir, or "" if it fails.
func gitReads(env []string, dir string, args ...string) string {
	said, _ := proc.Git(context.Background(), proc.Command{
		Dir: dir, Env: env, Out: proc.Limit{Head: 64 << 20}, Rules: &confine.Rules{},
	}, append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	return said
}

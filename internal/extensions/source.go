package extensions

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ParseSource determines what kind of source text is: an address for git or GitHub
// releases, or a folder relative to dir.
func ParseSource(text, dir string) (Origin, error) {
	for prefix, host := range map[string]string{"github:": "https://github.com/", "gitlab:": "https://gitlab.com/"} {
		if path, ok := strings.CutPrefix(text, prefix); ok {
			return Origin{Source: host + strings.TrimSuffix(path, ".git") + ".git", Type: TypeGit}, nil
		}
	}
	for _, prefix := range []string{"https://", "http://", "ssh://", "sso://", "git@", "file://"} {
		if strings.HasPrefix(text, prefix) {
			return Origin{Source: text, Type: TypeGit}, nil
		}
	}
	path := text
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return Origin{},
			fmt.Errorf("there is no folder %s, and an address begins with https://, ssh://, git@, github: or file://", path)
	}
	return Origin{Source: filepath.Clean(path), Type: TypeLocal}, nil
}

// onGitHub splits the address of a repository on github.com.
func onGitHub(source string) (owner, repo string, ok bool) {
	path, ssh := strings.CutPrefix(source, "git@github.com:")
	if !ssh {
		u, err := url.Parse(source)
		if err != nil || u.Hostname() != "github.com" {
			return "", "", false
		}
		path = u.Path
	}
	parts := strings.Split(strings.Trim(strings.TrimSuffix(path, ".git"), "/"), "/")
	if len(parts) != 2 || parts[0] == "" || parts[1] == "" {
		return "", "", false
	}
	return parts[0], parts[1], true
}

// Rules say which extensions the settings allow.
type Rules struct {
	Allowed  []string // security.allowedExtensions; if set, BlockGit has no effect
	BlockGit bool     // security.blockGitExtensions
}

// Refused says why the rules do not allow an extension from o whose files are in dir,
// or returns "" if they do. An extension installed from a folder is identified by its
// path.
func (r Rules) Refused(o Origin, dir string) (string, error) {
	if len(r.Allowed) == 0 {
		if r.BlockGit && (o.Type == TypeGit || o.Type == TypeRelease) {
			return "security.blockGitExtensions is set, and it came from " + o.Source, nil
		}
		return "", nil
	}
	source := o.Source
	if source == "" || o.Type == TypeLocal || o.Type == TypeLink {
		source = dir
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			source = real
		}
	}
	for _, pattern := range r.Allowed {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return "", fmt.Errorf("security.allowedExtensions: %q is not a regular expression: %w", pattern, err)
		}
		if re.MatchString(source) {
			return "", nil
		}
	}
	return "security.allowedExtensions does not name its source " + source, nil
}

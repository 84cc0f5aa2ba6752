package workspace

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// protectedName matches names that no tool may touch, in lower case: version
// control, secrets, installed packages, and their short names on old Windows
// file systems. Gemini CLI protects ".env" alone; similar names hold the same
// secrets: .env.local, .env.production, copies such as .env~ or .env-old, and
// direnv's .envrc.
var protectedName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(\.git|\.envrc|\.env([._~-].*)?|node_modules|gha-creds-.*\.json|` +
			`git~\d+|envr?c?~\d+(\..*)?|node_m~\d+|gha-cr~\d+(\.jso)?)$`)
})

// secretName matches those protected names that contain secrets themselves.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\.envrc|\.env([._~-].*)?|gha-creds-.*\.json|envr?c?~\d+(\..*)?|gha-cr~\d+(\.jso)?)$`)
})

// urlWithPassword matches an address with a user or a password in it, as git
// configurations may have.
var urlWithPassword = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://[^/\s]*@`) })

// exampleName matches names like .env.example, which only show the form of a real file.
var exampleName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.env\.(example|sample|template|dist)$`)
})

// Protected returns the first component of a slash- or OS-separated path that no file
// tool may touch, and "" if there is none: .git, .env and its variants but not examples,
// node_modules, gha-creds-*.json. It recognizes other spellings of the same file on some
// file system: upper case, trailing dots and spaces, NTFS streams, characters that HFS+
// ignores. It follows no links.
func Protected(rel string) string {
	if !suspicious(rel) {
		return ""
	}
	return component(rel, protectedName())
}

// Protected is [Protected] by the rules of w.
func (w *Workspace) Protected(rel string) string {
	if w.Protects != nil {
		return w.Protects(rel)
	}
	return Protected(rel)
}

// Secret returns the first component of a path, as [Protected] takes it, that is the name
// of a file of secrets, and "" if there is none: it leaves out .git and node_modules.
func Secret(rel string) string { return component(rel, secretName()) }

// suspicious reports whether a component of rel may be protected: most names
// need no closer check.
func suspicious(rel string) bool {
	first := true
	for i := range len(rel) {
		b := rel[i]
		if b >= utf8.RuneSelf {
			return true // perhaps a character that HFS+ ignores
		}
		if first && (b == '.' || b|0x20 == 'g' || b|0x20 == 'n' || b|0x20 == 'e') {
			return true
		}
		first = b == '/' || b == filepath.Separator
	}
	return false
}

// component returns the first component of path that matches names in one
// spelling or another.
func component(rel string, names *regexp.Regexp) string {
	for name := range strings.FieldsFuncSeq(rel, func(r rune) bool { return r == '/' || r == filepath.Separator }) {
		if plain := PlainName(name); names.MatchString(plain) && !exampleName().MatchString(plain) {
			return name
		}
	}
	return ""
}

// PlainName returns one spelling for all names that some file system takes for the same
// file: lower case, without trailing dots and spaces, NTFS streams and the characters
// that HFS+ ignores. Compare names by it.
func PlainName(name string) string {
	plain, _, _ := strings.Cut(strings.Map(visible, strings.ToLower(name)), ":")
	return strings.TrimRight(plain, ". ")
}

// visible removes the characters that HFS+ ignores in names.
func visible(r rune) rune {
	switch {
	case r >= 0x200C && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x206A && r <= 0x206F, r == 0xFEFF:
		return -1
	}
	return r
}

package shell

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Dirs returns the directories in which commands of the line may work if it starts in
// dir, or nil if they are unknown. It is not certain whether a cd runs, nor before or
// after what.
func (l Line) Dirs(dir string) []string {
	dirs := []string{dir}
	for _, cmd := range l.Commands {
		switch name := cmd.Name(); {
		case !Listed("cd pushd popd", name):
		case name != "cd", len(dirs) > 1, len(cmd.Words) != 2, !cmd.Known(), strings.HasPrefix(cmd.Words[1].Text, "-"):
			return nil
		default:
			dirs = append(dirs, At(dirs[0], cmd.Words[1].Text))
		}
	}
	return dirs
}

// At returns path as the kernel would follow it from dir.
func At(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return dir + string(filepath.Separator) + path // not joined: ".." follows links
}

// nameLike matches what may be names of files in an argument: runs of the characters
// that names are made of.
var nameLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL\pN._/~+@%-]+`) })

// Names returns what may be names of files in an argument. Of ~ and $HOME the rest is
// left, and of an option of one letter its value.
func (w Word) Names() (out []string) {
	for _, s := range append(nameLike().FindAllString(w.Text, -1), w.Text) {
		out = append(out, s, strings.TrimLeft(s, "-"), strings.TrimLeft(s, "~/-"))
		if len(s) > 2 && s[0] == '-' {
			out = append(out, s[2:])
		}
	}
	return slices.DeleteFunc(out, func(name string) bool {
		return name == "" || len(name) > 4096 || strings.Contains(name, "\x00")
	})
}

// Matches returns the files that a Glob matches from dir, now. As in a shell, a wildcard
// does not match a leading dot.
func (w Word) Matches(dir string) (out []string) {
	for _, name := range w.Names() {
		root, pattern := dir, path.Clean(name)
		if path.IsAbs(pattern) {
			root, pattern = "/", strings.TrimLeft(pattern, "/")
		}
		found, _ := fs.Glob(os.DirFS(root), pattern)
		dotted := strings.HasPrefix(path.Base(pattern), ".")
		for _, match := range found {
			if dotted || !strings.HasPrefix(path.Base(match), ".") {
				out = append(out, path.Join(root, match))
			}
		}
	}
	return out
}

// Files returns the arguments of a command that may name files, and the files that it is
// redirected from or to.
func (c Command) Files() []Word {
	if len(c.Words) == 0 {
		return nil
	}
	args := slices.Clone(c.Words[1:])
	for _, rd := range c.Redirects {
		args = append(args, rd.Target)
	}
	return args
}

package testbed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"minigem/internal/boundedfile"
	"minigem/internal/stage"
)

// place is the folder in which a case runs. It holds its workspace, its home and its
// temporary files.
type place struct {
	top, workspace, home, temp string
	remove                     func()
}

// keptMark is a file that marks a kept folder of a case, so that it is not taken for a
// part of the project.
const keptMark = ".folder-of-a-case"

// isKept reports whether dir is the folder of a case, which holds only copies.
func isKept(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, keptMark))
	return err == nil
}

// newPlace makes the folder of a case. If parent is set, the folder is in parent under the
// case's name, and is kept. Otherwise it is a temporary folder.
func newPlace(parent, name string) (p *place, err error) {
	defer func() {
		if err != nil {
			p, err = nil, fmt.Errorf("making the folder of a case: %w", err)
		}
	}()
	p = &place{remove: func() {}}
	if parent == "" {
		p.top, p.remove, err = stage.Temp()
	} else if parent, err = filepath.Abs(parent); err == nil {
		err = os.MkdirAll(parent, 0o755)
	}
	if err == nil && parent != "" {
		p.top, err = os.MkdirTemp(parent, "case-"+strings.NewReplacer("/", "-", `\`, "-", "*", "-").Replace(name)+"-")
	}
	if err == nil {
		p.top, err = filepath.EvalSymlinks(p.top)
	}
	p.workspace, p.home = filepath.Join(p.top, "project"), filepath.Join(p.top, "home")
	p.temp = filepath.Join(p.top, "tmp")
	for _, dir := range []string{p.workspace, p.home, p.temp} {
		if err == nil {
			err = os.Mkdir(dir, 0o755)
		}
	}
	if err == nil && parent != "" {
		err = os.WriteFile(filepath.Join(p.top, keptMark), nil, 0o644)
	}
	return p, err
}

// placed returns c with $WORK and $HOME replaced by the folders of p in its script and its
// model section.
func (c *Case) placed(p *place) (*Case, error) {
	folders := strings.NewReplacer("$WORK", filepath.ToSlash(p.workspace), "$HOME", filepath.ToSlash(p.home))
	a := &txtar.Archive{Comment: []byte(folders.Replace(string(c.archive.Comment))), Files: slices.Clone(c.archive.Files)}
	same := bytes.Equal(a.Comment, c.archive.Comment)
	for i, f := range a.Files {
		if isModel(f.Name) {
			a.Files[i].Data = []byte(folders.Replace(string(f.Data)))
			same = same && bytes.Equal(a.Files[i].Data, f.Data)
		}
	}
	if same {
		return c, nil
	}
	out, err := parseArchive(c.Path, a)
	if err == nil {
		out.Name, out.Row, out.source = c.Name, c.Row, c.source
	}
	return out, err
}

// write puts the files of a case where they belong.
func (p *place) write(files []section) error {
	for _, f := range files {
		mode := fs.FileMode(0o644)
		if executable(f.name, f.data) {
			mode = 0o755
		}
		if err := WriteInto(p.target(f.name), f.data, mode); err != nil {
			return fmt.Errorf("writing the file %s of the case: %w", f.name, err)
		}
	}
	return nil
}

func (p *place) target(name string) string { return FileOf(p.workspace, p.home, name) }

// FileOf returns the path of a file with this name in a case: one that begins with home/ is
// in the home.
func FileOf(workspace, home, name string) string {
	if rest, ok := strings.CutPrefix(name, homePrefix); ok {
		return filepath.Join(home, filepath.FromSlash(rest))
	}
	return filepath.Join(workspace, filepath.FromSlash(name))
}

// WriteInto writes a file and makes its folder.
func WriteInto(path string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, mode)
}

// use copies the file or folder at from to the path to in the workspace. It skips files
// that the case itself has, git's own files, and links, which could lead anywhere.
func (p *place) use(from, to string, own []section) error {
	if !filepath.IsLocal(filepath.FromSlash(to)) {
		return fmt.Errorf("%q lies outside the workspace", to)
	}
	top, err := os.OpenRoot(p.top) // programs of the case may have put links there
	if err != nil {
		return err
	}
	defer top.Close()
	target := p.target(to)
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && e.Name() == ".git" && path != from {
			return filepath.SkipDir
		}
		if !e.Type().IsRegular() {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		into := filepath.Join(target, rel)
		if slices.ContainsFunc(own, func(s section) bool { return p.target(s.name) == into }) {
			return nil
		}
		if into, err = filepath.Rel(p.top, into); err != nil {
			return err
		}
		return copyInto(top, into, path, info.Mode().Perm()|0o600)
	})
}

// copyInto copies a file piece by piece, so that it is never in memory as a whole.
func copyInto(top *os.Root, to, from string, mode fs.FileMode) error {
	src, err := boundedfile.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := top.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	dst, err := top.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	n, err := io.Copy(dst, io.LimitReader(src, boundedfile.Recorded+1))
	if err = errors.Join(err, dst.Close()); err == nil && n > boundedfile.Recorded {
		err = boundedfile.TooLarge(from, boundedfile.Recorded)
	}
	return err
}

// read returns a file of the workspace; name must lie in it.
func (r *Record) read(name string) (string, error) {
	root, err := os.OpenRoot(r.Workspace)
	if err != nil {
		return "", err
	}
	defer root.Close()
	var data []byte
	f, err := boundedfile.OpenIn(root, filepath.FromSlash(name))
	if err == nil {
		defer f.Close()
		data, err = boundedfile.ReadAll(f, name, boundedfile.Kept)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no file %s in the workspace", name)
	}
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", name, err)
	}
	return string(data), nil
}

// environment returns the whole environment of a case's programs. It contains little of
// ours, so that a case runs the same way everywhere.
func (p *place) environment(lookup func(string) (string, bool), extra []string) []string {
	env := []string{"HOME=" + p.home, "TMPDIR=" + p.temp, "LANG=C.UTF-8"}
	// Windows cannot run programs without the last three
	env = append(env, known(lookup, "PATH", "SYSTEMROOT", "COMSPEC", "PATHEXT")...)
	none := filepath.Join(p.top, "none")
	// The settings of this machine's administrator are not part of a case.
	env = append(env, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+none, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH="+none)
	// The user's keychain is not part of one, either, whatever the case sets.
	return append(append(env, extra...), "GEMINI_FORCE_FILE_STORAGE=true")
}

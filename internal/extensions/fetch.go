package extensions

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"minigem/internal/boundedfile"
	"minigem/internal/proc"
	"minigem/internal/text"
)

// fetch gets the files of o into the folder dir, and returns the origin to record.
func (m *Manager) fetch(ctx context.Context, o Origin, dir string) (Origin, error) {
	switch o.Type {
	case TypeLocal:
		return o, copyTree(o.Source, dir)
	case TypeRelease:
		return m.download(ctx, o, dir)
	}
	if _, _, ok := onGitHub(o.Source); ok {
		got, err := m.download(ctx, o, dir)
		if err == nil || !errors.Is(err, errNoRelease) {
			return got, err
		}
	}
	o.Type = TypeGit
	return o, m.clone(ctx, o, dir)
}

// git runs git, which may ask the server at address, so that no repository decides what runs on this machine.
func (m *Manager) git(ctx context.Context, dir, address string, args ...string) (string, error) {
	env := append(m.environ(), "GIT_CONFIG_COUNT=3",
		"GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0="+os.DevNull, "GIT_CONFIG_KEY_1=protocol.ext.allow",
		"GIT_CONFIG_VALUE_1=never",
		"GIT_CONFIG_KEY_2=http.https://github.com/.extraheader", "GIT_CONFIG_VALUE_2=")
	if token := m.Getenv("GITHUB_TOKEN"); token != "" {
		env[len(env)-1] += "AUTHORIZATION: basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))
	}
	return m.Wait.Git(ctx, proc.Command{Dir: dir, Env: env}, address, args...)
}

// clone fetches only the latest commit, or that of o.Ref. It keeps the repository, so
// that an update can see whether there is a newer commit.
func (m *Manager) clone(ctx context.Context, o Origin, dir string) error {
	wanted := cmp.Or(o.Ref, "HEAD")
	for _, args := range [][]string{
		{"init", "-q"},
		{"remote", "add", "--", "origin", o.Source},
		{"fetch", "-q", "--depth", "1", "--no-tags", "--", "origin", wanted},
		{"-c", "advice.detachedHead=false", "checkout", "-q", "FETCH_HEAD"},
	} {
		if _, err := m.git(ctx, dir, o.Source, args...); err != nil {
			return fmt.Errorf("getting %s: git %s: %w", text.VisibleLine(o.Source), args[0], err)
		}
	}
	return checkTree(dir)
}

// newerCommit reports whether the repository of i now has a different commit.
func (m *Manager) newerCommit(ctx context.Context, i Installed) (bool, error) {
	ref := cmp.Or(i.Origin.Ref, "HEAD")
	there, err := m.git(ctx, i.Dir, i.Origin.Source, "ls-remote", "--", i.Origin.Source, ref, ref+"^{}")
	if err != nil {
		return false, fmt.Errorf("asking %s: %w", text.VisibleLine(i.Origin.Source), err)
	}
	here, err := m.git(ctx, i.Dir, i.Origin.Source, "rev-parse", "HEAD")
	if err != nil {
		return false, err
	}
	hash := commitOf(there, ref)
	return hash != "" && hash != here, nil
}

// commitOf finds the commit that fetching ref gets in the output of ls-remote. An
// annotated tag is a separate object, and a tag takes precedence over a branch.
func commitOf(listed, ref string) string {
	hashes := map[string]string{}
	for line := range strings.Lines(listed) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		hashes[name] = hash
	}
	for _, name := range []string{ref + "^{}", ref, "refs/tags/" + ref + "^{}", "refs/tags/" + ref, "refs/heads/" + ref} {
		if hashes[name] != "" {
			return hashes[name]
		}
	}
	return ""
}

// checkTree returns an error for links that lead out of dir, and for more files than an
// extension may have.
func checkTree(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return walkTree(root, func(string, fs.DirEntry) error { return nil })
}

// walkTree calls each for everything below root except its .git folder. Other .git
// folders are an error, because git would run what they configure.
func walkTree(root *os.Root, each func(path string, e fs.DirEntry) error) error {
	files, size := 0, int64(0)
	return fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == ".git" && e.IsDir():
			return fs.SkipDir
		case strings.EqualFold(e.Name(), ".git"):
			return fmt.Errorf("%s is a repository of its own, which an extension may not hold", path)
		case e.IsDir():
			return each(path, e)
		case e.Type()&fs.ModeSymlink != 0:
			if _, err := root.Stat(path); err != nil {
				return fmt.Errorf("%s is a link that leads out of the extension, or to nothing", path)
			}
		case !e.Type().IsRegular():
			return fmt.Errorf("%s is neither a file nor a folder, which an extension may not hold", path)
		default:
			info, err := e.Info()
			if err != nil {
				return err
			}
			size += info.Size()
		}
		if files++; files > mostFiles || size > mostBytes {
			return fmt.Errorf("the extension holds more than %d files, or more than %d MiB", mostFiles, mostBytes>>20)
		}
		return each(path, e)
	})
}

// copyTree copies a folder without its .git.
func copyTree(from, to string) error {
	root, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer root.Close()
	return walkTree(root, func(path string, e fs.DirEntry) error {
		at := filepath.Join(to, filepath.FromSlash(path))
		if e.IsDir() {
			return os.MkdirAll(at, 0o755)
		}
		if e.Type()&fs.ModeSymlink != 0 {
			target, err := root.Readlink(path)
			if err != nil || filepath.IsAbs(target) {
				return fmt.Errorf("%s is a link to an absolute path: make it relative", path)
			}
			return os.Symlink(target, at)
		}
		f, err := boundedfile.OpenIn(root, path)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		_, err = writeFile(at, path, f, mostBytes, info.Mode())
		return err
	})
}

// writeFile writes the contents of r to the file at and returns their length. If r has
// more than limit bytes, it fails; the error calls the contents name.
func writeFile(at, name string, r io.Reader, limit int64, mode fs.FileMode) (int64, error) {
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode.Perm()&0o755|0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(f, io.LimitReader(r, limit+1))
	if n > limit {
		err = errors.Join(err, boundedfile.TooLarge(name, limit))
	}
	return n, errors.Join(err, f.Close())
}

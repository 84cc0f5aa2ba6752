package export

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
)

// Place says where the files are.
type Place struct {
	// Dir is the project's folder.
	Dir string
	// Kimi is Kimi Code's own folder, with the only configuration that it reads.
	Kimi string
}

// path returns the path of a file in a Result. It refuses a project's file behind a
// symbolic link, because the target may be anywhere.
func (p Place) path(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "~/.kimi-code/"); ok {
		return filepath.Join(p.Kimi, filepath.FromSlash(rest)), nil
	}
	at := p.Dir
	for part := range strings.SplitSeq(name, "/") {
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "", fmt.Errorf("%s is a link to another file: add the hooks by hand", at)
		}
	}
	return at, nil
}

// Read returns the content of a file by its [File.Name]; nil if it does not exist. A
// project's file behind a symbolic link is an error, because it may be anywhere.
func (p Place) Read(name string) ([]byte, error) {
	at, err := p.path(name)
	if err != nil {
		return nil, err
	}
	data, err := boundedfile.Read(at, boundedfile.Written)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Project computes the files for the hooks of the project at p; see [Export]. It writes
// nothing. Errors are those of [Place.Read] and [Export].
func Project(p Place, o Options) (Result, error) {
	settings, err := p.Read(Source)
	if err != nil {
		return Result{}, fmt.Errorf("reading the project's settings: %w", err)
	}
	return Export(settings, o, p.Read)
}

// Write writes the files of shown, a result of [Project] with the same options. A file
// that was changed meanwhile is an error and is not written; files before it may have
// been.
func (p Place) Write(o Options, shown Result) error {
	now, err := Project(p, o)
	if err != nil {
		return err
	}
	for i, f := range now.Files {
		at, err := p.path(f.Name)
		if err != nil {
			return err
		}
		if i >= len(shown.Files) || !bytes.Equal(f.Data, shown.Files[i].Data) {
			return fmt.Errorf("%s changed in the meantime: try again", f.Name)
		}
		before, err := p.Read(f.Name)
		if err != nil {
			return err
		}
		perm := fs.FileMode(0o644)
		if f.Program {
			perm = 0o755
		}
		if err := jsonc.Update(at, perm, func(data []byte) ([]byte, error) {
			if !bytes.Equal(data, before) {
				return nil, fmt.Errorf("%s changed in the meantime: try again", f.Name)
			}
			return f.Data, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

package lint

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"minigem/hooks/author/inspect"
	"minigem/hooks/jsonc"
)

// fixer collects changes to settings, which are written at the end. Programs are
// written at once.
type fixer struct{ changed map[string]*jsonc.Doc }

// rewrite replaces each occurrence of old in a file. The mode of the file stays.
func (f *fixer) rewrite(path, old, by string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return jsonc.Update(path, info.Mode().Perm(), func(data []byte) ([]byte, error) {
		return bytes.ReplaceAll(data, []byte(old), []byte(by)), nil
	})
}

// Fix mends the findings that can be mended and marks them as Fixed. Comments and the
// order of settings stay. A file that changed since it was linted is left alone and is
// an error. files are the linted Setup's files. Findings that cannot be mended are left
// as they are. The error joins all that went wrong, and the other findings are mended
// all the same.
func Fix(all []Finding, files []inspect.File) error {
	f := &fixer{changed: map[string]*jsonc.Doc{}}
	var errs []error
	for i := range all {
		if all[i].fix == nil {
			continue
		}
		if err := all[i].fix(f); err != nil {
			errs = append(errs, fmt.Errorf("fixing %s in %s:%d: %w", all[i].Code, all[i].File, all[i].Line, err))
			continue
		}
		all[i].Fixed = true
	}
	for _, file := range files {
		doc := f.changed[file.Path]
		if doc == nil {
			continue
		}
		if err := write(file, doc); err != nil {
			errs = append(errs, err)
			unfix(all, file.Path)
		}
	}
	return errors.Join(errs...)
}

// write replaces the file by doc, unless it has changed since it was read.
func write(file inspect.File, doc *jsonc.Doc) error {
	err := jsonc.Update(file.Path, 0o600, func(data []byte) ([]byte, error) {
		if !bytes.Equal(data, file.Data) {
			return nil, errors.New("it changed in the meantime; run this again")
		}
		return doc.Bytes(), nil
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(file.Path), err)
	}
	return nil
}

// unfix takes back that findings in a file are fixed, because it could not be written.
func unfix(all []Finding, path string) {
	for i := range all {
		if all[i].File == path {
			all[i].Fixed = false
		}
	}
}

package jsonc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
	"minigem/internal/filelock"
)

// Update replaces the file at path by the result of edit, which gets nil if the file does
// not exist. If edit fails, Update returns its error as it is. If edit fails or changes
// nothing, nothing is written.
//
// Concurrent Updates of one file, by several processes too, take turns under a lock file,
// and readers never see half a file. A symbolic link stays, and its target is replaced.
// Missing folders are created. Permissions stay; a new file gets perm.
func Update(path string, perm fs.FileMode, edit func(data []byte) ([]byte, error)) error {
	target, err := resolve(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	lock := filelock.New(target)
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("locking %s: %w", path, err)
	}
	defer lock.Close()

	before, err := boundedfile.Read(target, boundedfile.Kept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	after, err := edit(before)
	if err != nil {
		return err
	}
	if before != nil && bytes.Equal(before, after) {
		return nil
	}
	return atomicfile.Rewrite(target, after, perm)
}

// Edit is [Update] for changes of the document. A file that does not exist is an empty
// object. Errors of change get the path as a prefix.
func Edit(path string, perm fs.FileMode, change func(*Doc) error) error {
	return Update(path, perm, func(data []byte) ([]byte, error) {
		if data == nil {
			data = []byte("{}")
		}
		d, err := Parse(path, data)
		if err != nil {
			return nil, err
		}
		if err := change(d); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return d.Bytes(), nil
	})
}

// resolve follows links to the file to write, which need not exist yet.
func resolve(path string) (string, error) {
	for range 40 {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errors.New("too many symbolic links")
}

// Package atomicfile writes whole files so that a reader finds the old content or the
// new one, never a part of either, and removes what a process left that was killed
// while writing. A file is written next to its destination, under a temporary name, and
// renamed.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

var tempName = regexp.MustCompile(`^\.minigem-[A-Z2-7]{26}\.tmp$`)

// TempName returns a new name for a file that is being written. [SweepJournals]
// removes only files with names of this form.
func TempName() string { return ".minigem-" + rand.Text() + ".tmp" }

// WriteFile writes data to the file at path, whose directory must exist. It replaces an
// existing file as a whole, which then has the permissions perm. The data is on disk
// when WriteFile returns.
func WriteFile(path string, data []byte, perm os.FileMode) error {
	return replace(path, perm, func(f *os.File) error { return synced(f, data) })
}

func synced(f *os.File, data []byte) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

// Rewrite is like [WriteFile], for the user's files: an existing file keeps its
// permissions, and a new one gets perm.
func Rewrite(path string, data []byte, perm os.FileMode) error {
	info, err := os.Stat(path)
	return replace(path, perm, func(f *os.File) error {
		if err == nil {
			if err := f.Chmod(info.Mode().Perm()); err != nil {
				return err
			}
		}
		return synced(f, data)
	})
}

// WriteText is like [WriteFile], for files that need not survive a power failure. It
// does not wait for the disk, which matters with thousands of files.
func WriteText(path, text string, perm os.FileMode) error {
	return replace(path, perm, func(f *os.File) error {
		_, err := f.WriteString(text)
		return err
	})
}

func replace(path string, perm os.FileMode, write func(*os.File) error) error {
	temp := filepath.Join(filepath.Dir(path), TempName())
	defer Announce(temp)()
	err := writeNew(temp, perm, write)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // it may not have been made
		err = fmt.Errorf("writing %s: %w", path, err)
	}
	return err
}

func writeNew(path string, perm os.FileMode, write func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

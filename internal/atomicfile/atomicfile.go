// Package atomicfile writes whole files so that a reader finds the old content or the
// new one, never a part of either, and removes what a process left that was killed
// while writing. A file is written next to its destination, under a temporary name, and
// renamed.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

var tempName = regexp.MustCompile(`^\.minigem-[A-Z2-7]{26}\.tmp$`)

// TempName returns a new name for a file that is being written. [Sweep] and
// [SweepJournals] only remove files with such names.
func TempName() string { return ".minigem-" + rand.Text() + ".tmp" }

// tries is how often a write is repeated because a Sweep removed its file.
const tries = 5

// WriteFile writes data to the file at path, whose directory must exist. It replaces an
// existing file as a whole, which then has the permissions perm. The data is on disk
// when WriteFile returns.
func WriteFile(path string, data []byte, perm os.FileMode) error {
	return replace(path, perm, func(f *os.File) error {
		if _, err := f.Write(data); err != nil {
			return err
		}
		return f.Sync()
	})
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
		if _, err := f.Write(data); err != nil {
			return err
		}
		return f.Sync()
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
	var err error
	for range tries {
		temp := filepath.Join(filepath.Dir(path), TempName())
		if err = writeNew(temp, perm, write); err == nil {
			err = os.Rename(temp, path)
		}
		if err == nil {
			return nil
		}
		if rm := os.Remove(temp); !errors.Is(rm, fs.ErrNotExist) {
			break
		}
		if _, gone := os.Stat(filepath.Dir(path)); gone != nil {
			break
		}
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

func writeNew(path string, perm os.FileMode, write func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Sweep removes the files that killed processes left in dirs during WriteFile. It does
// not check whether the writer is alive, because a live one tries again. An unreadable
// directory counts as empty.
func Sweep(dirs ...string) {
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if tempName.MatchString(e.Name()) && e.Type().IsRegular() {
				_ = os.Remove(filepath.Join(dir, e.Name())) // the next sweep tries again
			}
		}
	}
}

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"minigem/internal/boundedfile"

	"github.com/gofrs/flock"
)

// Journal records the files that a process is about to write in the user's folders, so
// that a later process finds what is left if it is killed. There are too many such
// folders to search them at each start. The Journal is a file that exists as long as it
// has entries. It is safe for concurrent use.
type Journal struct {
	dir string

	mu   sync.Mutex
	path string // empty while there are no entries
	file *os.File
	lock *flock.Flock
}

const journalSuffix = ".writing"

// NewJournal returns a [Journal] that is stored in dir.
func NewJournal(dir string) *Journal { return &Journal{dir: dir} }

// Add records the absolute path of a file that is about to be made, whose name comes
// from [TempName]. Its removal need not be recorded.
func (j *Journal) Add(temp string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(); err != nil {
		return fmt.Errorf("noting a file to be written: %w", err)
	}
	if _, err := j.file.WriteString(temp + "\n"); err != nil {
		return fmt.Errorf("noting a file to be written: %w", err)
	}
	return nil
}

// open makes the file, and makes another if a sweep removed the first before it was
// locked. Every journal begins with a header line, because on Windows the first byte of
// a locked file cannot be written.
func (j *Journal) open() error {
	for try := 0; j.file == nil; try++ {
		if err := os.MkdirAll(j.dir, 0o700); err != nil {
			return err
		}
		path := filepath.Join(j.dir, strings.TrimSuffix(TempName(), ".tmp")+journalSuffix)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		if _, err := f.WriteString("files that are being written\n"); err != nil {
			return errors.Join(err, f.Close(), os.Remove(path))
		}
		lock := flock.New(path, flock.SetFlag(os.O_RDWR))
		ok, err := lock.TryLock()
		if (ok || err != nil) && same(f, path) { // without locks, a sweep gets none either
			j.path, j.file, j.lock = path, f, lock
			return nil
		}
		if err = errors.Join(err, f.Close(), lock.Close()); try == tries {
			return errors.Join(fmt.Errorf("locking %s", path), err)
		}
	}
	return nil
}

func same(f *os.File, path string) bool {
	is, err := f.Stat()
	named, nerr := os.Stat(path)
	return err == nil && nerr == nil && os.SameFile(is, named)
}

// Close removes the file, because nothing is being written any more. Add may be called
// again afterwards.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	err := errors.Join(j.file.Close(), j.lock.Close())
	j.file = nil
	if rm := os.Remove(j.path); !errors.Is(rm, fs.ErrNotExist) {
		err = errors.Join(err, rm)
	}
	return err
}

// SweepJournals removes the files that killed processes were writing, according to
// their journals in dir, and those journals. A process holds a lock on its journal,
// which the system releases however the process ends. A journal without a lock has no
// owner, even if its writer ran in another container.
func SweepJournals(dir string) {
	paths, _ := filepath.Glob(filepath.Join(dir, ".minigem-*"+journalSuffix))
	for _, path := range paths {
		if !abandoned(path) {
			continue
		}
		data, _ := boundedfile.Read(path, boundedfile.Kept)
		for temp := range strings.Lines(string(data)) {
			temp = strings.TrimSuffix(temp, "\n")
			if filepath.IsAbs(temp) && tempName.MatchString(filepath.Base(temp)) {
				_ = os.Remove(temp) // most no longer exist, because they were renamed
			}
		}
		_ = os.Remove(path)
	}
}

func abandoned(path string) bool {
	lock := flock.New(path, flock.SetFlag(os.O_RDWR))
	ok, err := lock.TryLock()
	return errors.Join(err, lock.Close()) == nil && ok
}

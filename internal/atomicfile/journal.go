package atomicfile

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"minigem/internal/boundedfile"

	"github.com/gofrs/flock"
)

// journal lists the files that this process is about to write, so that a later process
// finds what it left if it is killed. The files lie in many folders, too many to search
// at each start. The journal is a file that exists while something is being written. It
// is safe for concurrent use.
type journal struct {
	dir string // empty means the folder for temporary files

	mu      sync.Mutex
	writing int
	path    string
	file    *os.File // nil if nothing is being written, or it could not be made
	lock    *flock.Flock
}

const journalSuffix = ".writing"

var ours journal

// Announce records that the file at temp, whose name comes from [TempName], is about to
// be made. The caller calls done when the file no longer exists.
func Announce(temp string) (done func()) { return ours.add(temp) }

func (j *journal) add(temp string) (done func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.writing++
	j.open()
	if temp, err := filepath.Abs(temp); err == nil && j.file != nil {
		_, _ = j.file.WriteString(temp + "\n") // at worst a temporary file remains
	}
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.writing--; j.writing == 0 && j.file != nil {
			_, _, _ = j.file.Close(), j.lock.Close(), os.Remove(j.path)
			j.file = nil
		}
	}
}

// open makes the file, and makes another if a sweep removed the first before it was
// locked. Every journal begins with a header line, because on Windows the first byte of
// a locked file cannot be written.
func (j *journal) open() {
	for range 5 {
		if j.file != nil {
			return
		}
		path := filepath.Join(cmp.Or(j.dir, os.TempDir()), strings.TrimSuffix(TempName(), ".tmp")+journalSuffix)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return
		}
		_, err = f.WriteString("files that are being written\n")
		lock := flock.New(path, flock.SetFlag(os.O_RDWR))
		ok, none := lock.TryLock()
		if err == nil && (ok || none != nil) && same(f, path) { // without file locks, a sweep cannot lock it either
			j.path, j.file, j.lock = path, f, lock
			return
		}
		_, _, _ = f.Close(), lock.Close(), os.Remove(path)
	}
}

func same(f *os.File, path string) bool {
	is, err := f.Stat()
	named, nerr := os.Stat(path)
	return err == nil && nerr == nil && os.SameFile(is, named)
}

// SweepJournals removes the files that killed processes were writing, according to
// their journals in dir, and those journals. A process holds a lock on its journal,
// which the system releases however the process ends. A journal without a lock has no
// owner, even if its writer ran in another container.
func SweepJournals(dir string) {
	for _, path := range boundedfile.Find(dir, ".minigem-*"+journalSuffix) {
		sweep(path, func() {})
	}
}

// sweep removes a journal without an owner, and the files that it lists. It calls locking
// before it tries the lock.
func sweep(path string, locking func()) {
	data, _ := boundedfile.Read(path, boundedfile.Kept)
	locking()
	lock := flock.New(path, flock.SetFlag(os.O_RDWR))
	ok, _ := lock.TryLock()
	if ok {
		// The owner may have written more and ended since. Windows reads no file that is locked;
		// there what was read before has to do.
		if now, err := boundedfile.Read(path, boundedfile.Kept); err == nil {
			data = now
		}
		for temp := range strings.Lines(string(data)) {
			temp = strings.TrimSuffix(temp, "\n")
			if filepath.IsAbs(temp) && tempName.MatchString(filepath.Base(temp)) {
				_ = os.Remove(temp) // most no longer exist, because they were renamed
			}
		}
		_ = os.Remove(path) // while it is locked, so that its owner makes another
	}
	if _ = lock.Close(); ok {
		_ = os.Remove(path) // on Windows, where a file that is open cannot be removed
	}
}

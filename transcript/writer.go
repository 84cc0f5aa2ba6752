package transcript

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrGone: the file was deleted, or another one lies at its path, since it was
// opened. What is appended there nobody would find.
var ErrGone = errors.New("the session file was deleted")

// ErrInUse: another process is writing this session.
var ErrInUse = errors.New("the session is open in another process")

// Writer appends records to one file. It holds a lock on the file, so that no
// other process appends to the same session. It is safe for concurrent use.
//
// What Append was given is with the operating system when Append returns: it
// survives the death of the process in any way. Nobody waits for the disk
// (fsync), not on Close either, which would cost a one-shot run more than all
// else it does. It is asked for in the background once nothing was written for a
// second, as while the model thinks or the user does. So a power failure can
// cost the last seconds, or the half minute that the system takes by itself
// after the process has ended; Read takes a file that ends in the middle of a
// record.
type Writer struct {
	path    string
	secrets []string

	flush func(*os.File) error // (*os.File).Sync

	mu    sync.Mutex
	quiet *time.Timer // flushes when it ends; nil: nothing was written
	file  *os.File
	lock  *fileLock
	buf   []byte
	err   error // the write that failed; nothing is written after it
}

// Create makes a new file, its directories too (readable by the user alone),
// and writes meta. An existing file is an error. Secrets are masked in every
// value written, from now on; those shorter than 8 bytes are ignored.
func Create(path string, meta Meta, secrets ...string) (*Writer, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("creating session file: %w", err)
	}
	w, err := open(path, os.O_CREATE|os.O_EXCL, secrets)
	if err != nil {
		return nil, fmt.Errorf("creating session file: %w", err)
	}
	if err := w.Append(meta); err != nil {
		return nil, errors.Join(err, w.Remove())
	}
	return w, nil
}

// Open continues an existing file. Where its last line was cut short, the first
// record starts a line of its own. ErrInUse: see there.
func Open(path string, secrets ...string) (*Writer, error) {
	w, err := open(path, 0, secrets)
	if err != nil {
		return nil, fmt.Errorf("opening session file: %w", err)
	}
	if err := w.startLine(); err != nil {
		return nil, errors.Join(fmt.Errorf("opening session file: %w", err), w.Close())
	}
	return w, nil
}

func open(path string, flags int, secrets []string) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|flags, 0o600)
	if err != nil {
		return nil, err
	}
	lock := newFileLock(path)
	switch ok, err := take(lock); {
	case err != nil:
		return nil, errors.Join(err, f.Close())
	case !ok:
		return nil, errors.Join(ErrInUse, f.Close())
	}
	return &Writer{path: path, secrets: secrets, file: f, lock: lock, flush: (*os.File).Sync}, nil
}

// lockPatience is how long a lock may still be held for a process that is dead:
// a program that it was about to start when it was killed has its files until
// that program has begun.
const lockPatience = 250 * time.Millisecond

func take(lock *fileLock) (bool, error) {
	for wait := time.Millisecond; ; wait *= 2 {
		if ok, err := lock.TryLock(); ok || err != nil || wait > lockPatience {
			return ok, err
		}
		time.Sleep(wait)
	}
}

func (w *Writer) startLine() error {
	info, err := w.file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := w.file.ReadAt(last, info.Size()-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		_, err = w.file.Write([]byte("\n"))
	}
	return err
}

// Path returns the file's path.
func (w *Writer) Path() string { return w.path }

// Append writes records, each on its line, in one write. After a failure
// nothing is ever written again, so that no record stands behind a gap, and
// every call returns that first error. That is ErrGone where the file is not at
// its path any more; nothing was written then. (Windows does not let a file be
// deleted that is open.)
func (w *Writer) Append(records ...Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if w.file == nil {
		return fmt.Errorf("writing session file: %w", fs.ErrClosed)
	}
	if !w.there() {
		w.err = fmt.Errorf("writing %s: %w", w.path, ErrGone)
		return w.err
	}
	w.buf = w.buf[:0]
	for _, r := range records {
		var err error
		if w.buf, err = appendLine(w.buf, r, w.secrets); err != nil {
			w.err = fmt.Errorf("writing session file: %w", err)
			return w.err
		}
	}
	if n, err := w.file.Write(w.buf); err != nil {
		w.err = fmt.Errorf("writing session file: %w", err)
		w.takeBack(n)
	}
	w.flushLater()
	return w.err
}

// there reports whether the open file is the one at its path. Where that cannot
// be told it is.
func (w *Writer) there() bool {
	is, err := w.file.Stat()
	if err != nil {
		return true // the write will say what is wrong
	}
	named, err := os.Lstat(w.path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	if named.Mode()&fs.ModeSymlink != 0 { // it was opened by that name
		if named, err = os.Stat(w.path); err != nil {
			return !errors.Is(err, fs.ErrNotExist)
		}
	}
	return os.SameFile(is, named)
}

// quietTime is how long nothing has to be written before the disk is asked.
const quietTime = time.Second

func (w *Writer) flushLater() {
	if w.quiet == nil {
		w.quiet = time.AfterFunc(quietTime, w.flushNow)
	} else {
		w.quiet.Reset(quietTime)
	}
}

// flushNow does not hold the lock while it waits for the disk. That it may fail
// changes nothing: nobody was promised more than the system keeps.
func (w *Writer) flushNow() {
	w.mu.Lock()
	f := w.file
	w.mu.Unlock()
	if f != nil {
		_ = w.flush(f)
	}
}

// takeBack removes the n bytes that a failed write left. That it may fail too
// does not matter: readers skip a line that was cut short.
func (w *Writer) takeBack(n int) {
	if info, err := w.file.Stat(); err == nil && n > 0 {
		_ = w.file.Truncate(info.Size() - int64(n))
	}
}

// Close gives up the file and its lock. Closing twice is harmless.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return nil
	}
	if w.quiet != nil {
		w.quiet.Stop()
	}
	err := errors.Join(w.file.Close(), w.lock.Close())
	w.file = nil
	if err != nil {
		return fmt.Errorf("closing session file: %w", err)
	}
	return nil
}

// Remove closes the file and deletes it. Another one at its path stays.
func (w *Writer) Remove() error {
	w.mu.Lock()
	ours := w.file == nil || w.there()
	w.mu.Unlock()
	err := w.Close()
	if !ours {
		return err
	}
	if rm := os.Remove(w.path); rm != nil && !errors.Is(rm, fs.ErrNotExist) {
		err = errors.Join(err, fmt.Errorf("removing session file: %w", rm))
	}
	return err
}

// InUse reports whether a process is writing the session in the file.
func InUse(path string) bool {
	lock := newFileLock(path)
	ok, err := lock.TryLock()
	defer func() { _ = lock.Close() }()
	return err == nil && !ok
}

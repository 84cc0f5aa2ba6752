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

// ErrGone is the error of [Writer.Append] if the file was deleted since it was opened,
// or replaced by another one at its path, so that the appended data would be lost.
var ErrGone = errors.New("the session file was deleted")

// ErrInUse is the error of [Open] if another process, or another [Writer] of this one, is
// writing the session.
var ErrInUse = errors.New("the session is open in another process")

// Writer appends records to one file. Make it with [Create] or [Open], and close it with
// [Writer.Close]. It holds a lock on the file, so that no other process appends to the
// same session. It is safe for concurrent use.
//
// When Append returns, the operating system has the data: it survives any death of the
// process. Neither Append nor Close waits for the disk (fsync), because that would cost a
// one-shot run more than everything else it does. fsync runs in the background after a
// second without writes, for example while the model works. So a power failure can lose
// the last seconds, or after the process has ended the half minute that the system takes
// by itself; [Read] accepts a file that ends in the middle of a record.
type Writer struct {
	path string
	mask func([]byte) []byte // masks the values in JSON; may be nil

	flush func(*os.File) error // (*os.File).Sync

	mu    sync.Mutex
	quiet *time.Timer // timer of the flush; nil if nothing was written
	file  *os.File    // nil once it is closed
	was   fs.FileInfo // what it was then
	lock  *fileLock
	buf   []byte
	err   error // the first write error; nothing is written after it
}

// Create makes a new file (0600) and its directories (0700), and writes meta. An existing
// file is an error that wraps [fs.ErrExist]. mask is called with each line and with each
// JSON string in it, quotes included; it returns them with secrets replaced, still valid
// JSON. It changes values but no keys. nil masks nothing.
func Create(path string, meta Meta, mask func([]byte) []byte) (*Writer, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("creating session file: %w", err)
	}
	w, err := open(path, os.O_CREATE|os.O_EXCL, mask)
	if err != nil {
		return nil, fmt.Errorf("creating session file: %w", err)
	}
	if err := w.Append(meta); err != nil {
		return nil, errors.Join(err, w.Remove())
	}
	return w, nil
}

// Open continues an existing file. If its last line was cut short, the first record
// starts a new line. mask is as for [Create]. The error wraps [ErrInUse] if another
// process writes the file.
func Open(path string, mask func([]byte) []byte) (*Writer, error) {
	w, err := open(path, 0, mask)
	if err != nil {
		return nil, fmt.Errorf("opening session file: %w", err)
	}
	if err := w.startLine(); err != nil {
		return nil, errors.Join(fmt.Errorf("opening session file: %w", err), w.Close())
	}
	return w, nil
}

// open opens the file and takes its lock, with flags in addition to those for
// appending. On error nothing stays open.
func open(path string, flags int, mask func([]byte) []byte) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|flags, 0o600)
	if err != nil {
		return nil, err
	}
	lock := newFileLock(path)
	switch ok, err := takeLock(lock); {
	case err != nil:
		return nil, errors.Join(err, f.Close())
	case !ok:
		return nil, errors.Join(ErrInUse, f.Close())
	}
	return &Writer{path: path, mask: mask, file: f, lock: lock, flush: (*os.File).Sync}, nil
}

// lockTimeout is how long to wait for a lock that a dead process may still
// hold: if it was killed while starting a program, that program holds its files
// until it has begun.
const lockTimeout = 250 * time.Millisecond

// takeLock tries to get the lock for up to lockTimeout.
func takeLock(lock *fileLock) (bool, error) {
	for wait := time.Millisecond; ; wait *= 2 {
		if ok, err := lock.TryLock(); ok || err != nil || wait > lockTimeout {
			return ok, err
		}
		time.Sleep(wait)
	}
}

// startLine ends a line that was cut short.
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

// Path returns the path that was given.
func (w *Writer) Path() string { return w.path }

// Append writes records, one per line, in one write. After an error nothing is ever
// written again, so that no record follows a gap, and every call returns that first
// error. It wraps [ErrGone] if the file is no longer at its path; nothing was written
// then. (Windows does not allow an open file to be deleted.) After Close it wraps
// [fs.ErrClosed].
func (w *Writer) Append(records ...Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if w.file == nil {
		return fmt.Errorf("writing session file: %w", fs.ErrClosed)
	}
	if !w.inPlace() {
		w.err = fmt.Errorf("writing %s: %w", w.path, ErrGone)
		return w.err
	}
	w.buf = w.buf[:0]
	for _, r := range records {
		var err error
		if w.buf, err = appendLine(w.buf, r, w.mask); err != nil {
			w.err = fmt.Errorf("writing session file: %w", err)
			return w.err
		}
	}
	if n, err := w.file.Write(w.buf); err != nil {
		w.err = fmt.Errorf("writing session file: %w", err)
		w.undoWrite(n)
	}
	if cap(w.buf) > keptBuffer {
		w.buf = nil
	}
	w.flushLater()
	return w.err
}

// keptBuffer is how much memory waits for the next record.
const keptBuffer = 1 << 20

// inPlace reports whether the file, if closed as it was then, is the one at its path; true if that is
// unknown.
func (w *Writer) inPlace() bool {
	is := w.was
	if w.file != nil {
		var err error
		if is, err = w.file.Stat(); err != nil {
			return true // the write will return the error
		}
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
	// A new file may get the number of one that is gone.
	return os.SameFile(is, named) &&
		(w.file != nil || is.Size() == named.Size() && is.ModTime().Equal(named.ModTime()))
}

// flushDelay is how long nothing must be written before fsync.
const flushDelay = time.Second

// flushLater starts the time until fsync again.
func (w *Writer) flushLater() {
	if w.quiet == nil {
		w.quiet = time.AfterFunc(flushDelay, w.flushNow)
	} else {
		w.quiet.Reset(flushDelay)
	}
}

// flushNow does not hold mu during fsync. Its error does not matter: no caller was
// promised more than the system keeps.
func (w *Writer) flushNow() {
	w.mu.Lock()
	f := w.file
	w.mu.Unlock()
	if f != nil {
		_ = w.flush(f)
	}
}

// undoWrite removes the n bytes that a failed write left. Its error does not
// matter: readers skip a line that was cut short.
func (w *Writer) undoWrite(n int) {
	if info, err := w.file.Stat(); err == nil && n > 0 {
		_ = w.file.Truncate(info.Size() - int64(n))
	}
}

// Close closes the file and releases its lock. Closing twice is harmless. The last
// writes are then flushed by the system.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return nil
	}
	if w.quiet != nil {
		w.quiet.Stop()
	}
	w.was, _ = w.file.Stat()
	err := errors.Join(w.file.Close(), w.lock.Close())
	w.file = nil
	if err != nil {
		return fmt.Errorf("closing session file: %w", err)
	}
	return nil
}

// Remove closes the file and deletes it, unless another file is at its path. It is no
// error if nothing is at the path. After [Writer.Close], a file that was changed since
// counts as another one.
func (w *Writer) Remove() error {
	w.mu.Lock()
	ours := w.inPlace()
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

// InUse reports whether a [Writer], of this process or another one, has the file at
// path open. It says no if that cannot be found out. It takes the lock for a moment, so
// an [Open] at the same time may have to try twice.
func InUse(path string) bool {
	lock := newFileLock(path)
	ok, err := lock.TryLock()
	defer func() { _ = lock.Close() }()
	return err == nil && !ok
}

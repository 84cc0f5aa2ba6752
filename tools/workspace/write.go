package workspace

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"minigem/internal/boundedfile"
)

// ErrChanged is wrapped by the error of [Workspace.Replace] and [Workspace.Remove] if the
// file differs from the [Snapshot]; nothing was written then.
var ErrChanged = errors.New("the file changed since it was read")

// ErrTooLarge is the error of [Workspace.Snapshot] for a file above the limit.
var ErrTooLarge = errors.New("the file is too large")

// Snapshot is the content of a file at one moment. Make it with [Workspace.Snapshot].
type Snapshot struct {
	// Path is absolute, with its links.
	Path string
	// Exists is false if there was no file; Data and Mode are zero then.
	Exists bool
	// Data is the whole content, from [Buffers] if they show the file.
	Data []byte
	// Mode is the mode of the file on the disk.
	Mode fs.FileMode

	shown bool   // Data is what [Buffers] showed
	saved []byte // the content on disk at that time
}

// Snapshot reads the file at path, at most limit bytes (0 means 256 MiB). It is not an
// error if the file does not exist. A larger file is [ErrTooLarge], a directory
// [ErrIsDirectory]; other errors are those of [Workspace.Open].
func (w *Workspace) Snapshot(path string, limit int64) (Snapshot, error) {
	s := Snapshot{Path: w.Abs(path)}
	f, err := w.Open(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer f.Close()
	s.Exists = true
	if s.Mode, s.Data, err = readLimited(f, limit); err != nil {
		return s, err
	}
	if shown, ok := w.Shown(s.Path, s.Data); ok {
		s.Data, s.shown, s.saved = shown, true, s.Data
	}
	if limit > 0 && int64(len(s.Data)) > limit {
		return s, ErrTooLarge
	}
	return s, nil
}

// readLimited reads a file of at most limit bytes; see Snapshot.
func readLimited(f *os.File, limit int64) (fs.FileMode, []byte, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, nil, err
	}
	if info.IsDir() {
		return info.Mode(), nil, &fs.PathError{Op: "read", Path: f.Name(), Err: ErrIsDirectory}
	}
	if limit <= 0 {
		limit = boundedfile.Recorded
	}
	if info.Size() > limit {
		return info.Mode(), nil, ErrTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, limit))
	return info.Mode(), data, err
}

// ErrIsDirectory is wrapped by errors of reading or writing a directory as a file.
var ErrIsDirectory = errors.New("is a directory")

// WriteFile writes content to path, whatever was there, and makes missing directories.
// See [Workspace.Replace]. A file that changes while it is written is [ErrChanged],
// too.
func (w *Workspace) WriteFile(path string, data []byte) error {
	s, err := w.Snapshot(path, 0)
	if err != nil {
		return err
	}
	return w.Replace(s, data)
}

// Replace gives the file of s new content if it has not changed since, and makes missing
// directories. The new content appears at once or not at all: it is written next to the
// file and renamed over it, so the directory must be writable. Mode and symbolic links
// are kept, hard links and the owner are not. A file that [Buffers] show is written
// through them instead. Errors wrap [ErrChanged], [fs.ErrPermission] for a file without
// write permission or in a readable directory, [ErrKept], [ErrIsDirectory] or
// [ErrBuffers].
func (w *Workspace) Replace(s Snapshot, data []byte) error {
	p, err := w.writable("write", s.Path)
	if err != nil {
		return err
	}
	parent, base, err := p.walk(true)
	if err != nil {
		return err
	}
	defer parent.Close()
	if err := s.check(parent, base); err != nil {
		return err
	}
	if done, err := w.putShown(s, data); done {
		return err
	}
	mode := fs.FileMode(0o666)
	if s.Exists {
		mode = s.Mode.Perm()
	}
	tmp := ".minigem-" + rand.Text() + ".tmp"
	if w.Announce != nil {
		defer w.Announce(filepath.Join(p.real, filepath.Dir(p.rel), tmp))()
	}
	if err := writeTemp(parent, tmp, data, mode, s.Exists); err != nil {
		return fmt.Errorf("writing %s: %w", s.Path, cause(err))
	}
	defer parent.Remove(tmp) // has no effect after the rename
	if err := s.check(parent, base); err != nil {
		return err
	}
	if err := moveInto(parent, tmp, base, s.Exists); err != nil {
		return fmt.Errorf("writing %s: %w", s.Path, cause(err))
	}
	return nil
}

// Remove removes the file of s if it has not changed since; see [Workspace.Replace]. It
// is not an error if the file did not exist and still does not. Directories are not
// removed.
func (w *Workspace) Remove(s Snapshot) error {
	p, err := w.writable("remove", s.Path)
	if err != nil {
		return err
	}
	parent, base, err := p.walk(false)
	if errors.Is(err, fs.ErrNotExist) && !s.Exists {
		return nil
	}
	if err != nil {
		return err
	}
	defer parent.Close()
	if err := s.check(parent, base); err != nil || !s.Exists {
		return err
	}
	if err := parent.Remove(base); err != nil {
		return fmt.Errorf("removing %s: %w", s.Path, cause(err))
	}
	return nil
}

// onDisk returns the content that the file had on disk.
func (s Snapshot) onDisk() []byte {
	if s.shown {
		return s.saved
	}
	return s.Data
}

// check returns an error unless base in dir is unchanged since the snapshot and may be
// written.
func (s Snapshot) check(dir *os.Root, base string) error {
	info, err := dir.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if s.Exists {
			return fmt.Errorf("writing %s: %w", s.Path, ErrChanged)
		}
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return &fs.PathError{Op: "write", Path: s.Path, Err: ErrIsDirectory}
	case !s.Exists, !info.Mode().IsRegular(), info.Size() != int64(len(s.onDisk())):
		return fmt.Errorf("writing %s: %w", s.Path, ErrChanged)
	case info.Mode().Perm()&0o222 == 0:
		return &fs.PathError{Op: "write", Path: s.Path, Err: fs.ErrPermission}
	}
	// Only opening shows permissions that are not in the mode.
	f, err := dir.OpenFile(base, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	now, err := io.ReadAll(io.LimitReader(f, int64(len(s.onDisk()))+1))
	if err == nil && !bytes.Equal(now, s.onDisk()) {
		err = fmt.Errorf("writing %s: %w", s.Path, ErrChanged)
	}
	return err
}

// writeTemp writes data to the new file name in dir.
func writeTemp(dir *os.Root, name string, data []byte, mode fs.FileMode, exact bool) (err error) {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			dir.Remove(name)
		}
	}()
	_, err = f.Write(data)
	if exact && err == nil {
		err = f.Chmod(mode) // the umask must not narrow the file's permissions
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// moveInto renames tmp to base. A new file must not overwrite one that another
// process made meanwhile, so it is linked if the file system can.
func moveInto(dir *os.Root, tmp, base string, replace bool) error {
	if !replace {
		err := dir.Link(tmp, base)
		if err == nil {
			return dir.Remove(tmp)
		}
		if errors.Is(err, fs.ErrExist) {
			return ErrChanged
		}
	}
	return dir.Rename(tmp, base)
}

// writable locates a path for op, which changes it.
func (w *Workspace) writable(op, path string) (place, error) {
	p, err := w.locate(w.Abs(path))
	if err == nil && p.dir.kind == readable {
		err = &fs.PathError{Op: op, Path: path, Err: fs.ErrPermission}
	}
	w.mu.RLock()
	kept := w.kept
	w.mu.RUnlock()
	// The name may lead elsewhere when kept follows it. What is opened is p, without links.
	if err == nil && kept != nil && (kept(filepath.Join(p.real, p.rel)) || kept(w.Abs(path))) {
		err = &fs.PathError{Op: op, Path: path, Err: ErrKept}
	}
	return p, err
}

// ErrKept is wrapped by the error of changing a file that [Workspace.Keep] makes
// read-only.
var ErrKept = errors.New("the sandbox keeps it read-only, because it says what programs run")

// MkdirAll makes the directory path and missing ones above it. It is not an error if it
// exists. Other errors are those of [Workspace.Replace].
func (w *Workspace) MkdirAll(path string) error {
	p, err := w.writable("mkdir", path)
	if err != nil {
		return err
	}
	p.rel = filepath.Join(p.rel, "x") // walk makes the directories above the last name
	parent, _, err := p.walk(true)
	if err != nil {
		return err
	}
	return parent.Close()
}

package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Buffers is how a program of the user's, such as an editor, shows files. The shown
// text counts, saved or not, because the user sees and edits it. The methods are called
// from any goroutine.
type Buffers interface {
	// Read returns the text that is shown of the file at path, which is absolute. ok is
	// false if the program shows none: the file on the disk counts then.
	Read(path string) (text string, ok bool)
	// Write gives the file at path a new text. The file may be new; its directory
	// exists. The change need not be saved when Write returns.
	Write(path, text string) error
}

// SetBuffers makes text files of the project be read from b and written to it.
// Temporary files, searches, and what is not UTF-8 stay with the disk. nil removes
// them. Files that are being written finish with the old ones.
func (w *Workspace) SetBuffers(b Buffers) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buffers = b
}

// buffersFor returns what shows the file at path; nil if nothing does.
func (w *Workspace) buffersFor(path string) Buffers {
	w.mu.RLock()
	b := w.buffers
	w.mu.RUnlock()
	if b == nil {
		return nil
	}
	if p, err := w.locate(path); err != nil || p.dir.kind != project {
		return nil
	}
	return b
}

// Shown returns what the user sees of the file at path whose content on the disk is
// saved: the text of [Buffers], with shown set, or saved itself.
func (w *Workspace) Shown(path string, saved []byte) (data []byte, shown bool) {
	path = w.Abs(path)
	b := w.buffersFor(path)
	if b == nil || !plain(saved) {
		return saved, false
	}
	text, ok := b.Read(path)
	if !ok || !plain([]byte(text)) {
		return saved, false
	}
	return []byte(text), true
}

// plain reports whether data is a text that comes through a protocol of texts unchanged.
func plain(data []byte) bool {
	return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 && !bytes.HasPrefix(data, []byte("\uFEFF"))
}

// putShown gives the file of s its new content through [Buffers]. done is false if it has
// to be written to the disk.
func (w *Workspace) putShown(s Snapshot, data []byte) (done bool, err error) {
	b := w.buffersFor(s.Path)
	if b == nil || !plain(data) || s.Exists && !s.shown {
		return false, nil
	}
	if now, _ := w.Shown(s.Path, s.onDisk()); s.Exists && !bytes.Equal(now, s.Data) {
		return true, fmt.Errorf("writing %s: %w", s.Path, ErrChanged)
	}
	if err := b.Write(s.Path, string(data)); err != nil {
		return true, fmt.Errorf("writing %s: %w", s.Path, errors.Join(ErrBuffers, err))
	}
	return true, nil
}

// ErrBuffers is wrapped by the error of [Workspace.Replace] if [Buffers] did not write a
// file.
var ErrBuffers = errors.New("the editor did not write it")

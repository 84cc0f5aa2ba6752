package undo

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"minigem/internal/redact"
	"minigem/internal/runslater"
	"minigem/tools/workspace"
)

// maxFile limits how much of a file is read.
const maxFile = 64 << 20

// File describes how one file goes back.
type File struct {
	Path    string
	Delete  bool   // a tool created it
	Added   int    // lines that the edits added, which will be removed
	Removed int    // lines that the edits removed, which will be restored
	Changed string // how something else changed it since, which would be lost; or empty
	Refused string // why it cannot be changed, or empty

	now  workspace.Snapshot
	data []byte
}

// current returns the content before apply, or nil if the file does not exist.
func (f File) current() []byte {
	if !f.now.Exists {
		return nil
	}
	return append([]byte{}, f.now.Data...)
}

// filesOf plans how the files changed by the prompts' edits go back to their state
// before the first edit, in the order in which they were first changed. It leaves out
// files that are already in that state.
func (s Store) filesOf(prompts []Prompt) []File {
	var order []string
	byPath := map[string][]Edit{}
	for _, p := range prompts {
		for _, e := range p.Edits {
			if byPath[e.Path] == nil {
				order = append(order, e.Path)
			}
			byPath[e.Path] = append(byPath[e.Path], e)
		}
	}
	var out []File
	for _, path := range order {
		if f, needed := s.planFile(path, byPath[path]); needed {
			out = append(out, f)
		}
	}
	return out
}

func (s Store) planFile(path string, edits []Edit) (f File, needed bool) {
	first, last := edits[0], edits[len(edits)-1]
	f = File{Path: path, Delete: first.New}
	for _, e := range edits {
		f.Added, f.Removed = f.Added+e.Added, f.Removed+e.Removed
	}
	var err error
	if f.now, err = s.Workspace.Snapshot(path, maxFile); err != nil {
		f.Refused = reason(err)
		return f, true
	}
	if !f.now.Exists && first.New {
		return f, false
	}
	if real, err := s.Workspace.Real(path); err == nil && runslater.Match(path) == "" {
		if later := runslater.Match(real); later != "" {
			f.Refused = "it is now a link to " + later + ", by which programs run"
			return f, true
		}
	}
	text, encode, ok := decode(f.now.Data)
	switch {
	case f.now.Exists && !first.New && ok && text == first.Before:
		return f, false
	case !ok && !first.New:
		f.Refused = "it is not UTF-8 text"
	case strings.Contains(first.Before, redact.Shown) || strings.Contains(first.Before, earlierMark):
		f.Refused = "its earlier content was not recorded completely, because it contains a secret"
	case !f.now.Exists:
		f.Changed = "it was removed since"
	case !ok || text != last.After && s.masked(text) != last.After:
		f.Changed = "it was changed since"
	case changedBetween(edits):
		f.Changed = "it was changed between the edits"
	}
	f.data = encode(first.Before)
	return f, true
}

// earlierMark replaced secrets in the transcripts of earlier builds.
const earlierMark = "[secret]"

// masked returns text as a transcript records it.
func (s Store) masked(text string) string {
	if s.Mask == nil {
		return text
	}
	return string(s.Mask([]byte(text)))
}

// changedBetween reports whether something else changed the file between the edits.
func changedBetween(edits []Edit) bool {
	for i, e := range edits[1:] {
		if e.New || e.Before != edits[i].After {
			return true
		}
	}
	return false
}

const byteOrderMark = "\uFEFF"

// decode converts the contents of a file to the form used by edits, and returns a
// function that converts other text back the same way.
func decode(data []byte) (text string, encode func(string) []byte, ok bool) {
	text, marked := strings.CutPrefix(string(data), byteOrderMark)
	n := strings.Count(text, "\r\n")
	crlf := n > 0 && n == strings.Count(text, "\n")
	if crlf {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text, func(s string) []byte {
		if crlf {
			s = strings.ReplaceAll(s, "\n", "\r\n")
		}
		if marked {
			s = byteOrderMark + s
		}
		return []byte(s)
	}, utf8.ValidString(text)
}

func reason(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, workspace.ErrOutside):
		return "it is not in this workspace"
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return err.Error()
}

// apply restores files. It skips refused files, and files that have changed since they
// were planned. The error names all files that failed; the others are restored.
func apply(ws *workspace.Workspace, files []File) error {
	var failed []error
	for _, f := range files {
		var err error
		switch {
		case f.Refused != "":
			continue
		case f.Delete:
			err = ws.Remove(f.now)
		default:
			err = ws.Replace(f.now, f.data)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("going back with %s: %w", f.Path, err))
		}
	}
	return errors.Join(failed...)
}

// fileOf plans that the file at path gets data, or is removed if data is nil. Its
// current content would be lost: see current.
func fileOf(ws *workspace.Workspace, path string, data []byte) (File, error) {
	now, err := ws.Snapshot(path, maxFile)
	if err != nil {
		return File{}, err
	}
	return File{Path: path, Delete: data == nil, now: now, data: data}, nil
}

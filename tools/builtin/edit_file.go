package builtin

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"

	"minigem/tools"
	"minigem/tools/workspace"
)

// edit is a prepared change of one file's text. Texts have plain newlines; the
// file's own line ends, byte order mark and encoding are restored when it is
// written.
type edit struct {
	ws  *workspace.Workspace
	abs string
	was workspace.Snapshot

	charset charset
	crlf    bool // every line of the file ends in CRLF

	original string
	proposed string // what the model proposed; differs from new only if the user changed it
	new      string
	change   change // from original to new
}

// readEdit reads the file to change. A missing file is read as an empty one; was says
// that it does not exist. A file whose lines end in CRLF throughout is edited with
// plain newlines; one with both kinds is edited as it is.
func readEdit(ws *workspace.Workspace, abs string) (*edit, error) {
	e := &edit{ws: ws, abs: abs}
	var err error
	if e.was, err = ws.Snapshot(abs, maxFileSize); err != nil {
		return nil, err
	}
	text, c := decodeText(e.was.Data)
	e.charset = c
	if n := strings.Count(text, "\r\n"); n > 0 && n == strings.Count(text, "\n") {
		e.crlf = true
		text = plainNewlines(text)
	}
	e.original = text
	return e, nil
}

// lossless reports whether reading and writing would preserve the file. Bytes
// that are not text would be lost in places that the edit does not touch.
func (e *edit) lossless() bool { return bytes.Equal(e.encode(e.original), e.was.Data) }

// encode returns text in the file's own line ends and encoding.
func (e *edit) encode(text string) []byte {
	if e.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return e.charset.encode(text)
}

// propose sets the new content, and the content that the model proposed.
func (e *edit) propose(text, proposed string) {
	if e.crlf {
		text, proposed = plainNewlines(text), plainNewlines(proposed)
	}
	e.new, e.proposed = text, proposed
	e.change = diff(e.original, text)
}

// plainNewlines replaces each CRLF by a newline. A lone carriage return stays.
func plainNewlines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// write writes the change, unless the file changed since it was read.
func (e *edit) write() error {
	err := e.ws.Replace(e.was, e.encode(e.new))
	if errors.Is(err, workspace.ErrChanged) {
		return &tools.Error{Type: tools.ErrFileWrite, Err: err, Display: "Error: The file changed meanwhile.",
			Message: "The file changed since this edit was prepared, and nothing was written: " + e.abs +
				". Read it again before retrying."}
	}
	if err != nil {
		return fileError("Error writing to file", e.abs, err, tools.ErrFileWrite)
	}
	return nil
}

// display returns the change as people see it.
func (e *edit) display(oldLabel, newLabel string) tools.FileDiff {
	name := filepath.Base(e.abs)
	return tools.FileDiff{
		FileDiff:        e.change.unified(name, oldLabel, newLabel),
		FileName:        name,
		FilePath:        e.abs,
		OriginalContent: e.original,
		NewContent:      e.new,
		DiffStat:        e.stat(),
		IsNewFile:       !e.was.Exists,
		IsBuildFile:     tools.IsBuildFile(e.abs),
	}
}

// stat counts the model's changes and the user's changes separately.
func (e *edit) stat() tools.DiffStat {
	var s tools.DiffStat
	model := e.change
	if e.new != e.proposed {
		model = diff(e.original, e.proposed)
		s.UserAddedLines, s.UserRemovedLines, s.UserAddedChars, s.UserRemovedChars = diff(e.proposed, e.new).stat()
	}
	s.ModelAddedLines, s.ModelRemovedLines, s.ModelAddedChars, s.ModelRemovedChars = model.stat()
	return s
}

// intent returns the change as the user is asked about it. The texts in it are whole
// files, with plain newlines.
func (e *edit) intent() *tools.EditIntent {
	name := filepath.Base(e.abs)
	return &tools.EditIntent{
		FileName: name, FilePath: e.abs,
		Diff:     e.change.unified(name, "Current", "Proposed"),
		Original: e.original, New: e.new, IsNew: !e.was.Exists,
	}
}

// updated ends the message of a successful edit: the code around the change, or
// all of a new file.
func (e *edit) updated() string {
	const head = " Here is the updated code:\n"
	if !e.was.Exists {
		return head + e.new
	}
	return head + e.change.snippet()
}

// userNote tells the model that the user changed its proposal.
func (e *edit) userNote() string {
	if e.new == e.proposed {
		return ""
	}
	return " The user changed the proposed content before it was written."
}

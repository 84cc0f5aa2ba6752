package builtin

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"sync"

	"minigem/tools"
	"minigem/tools/workspace"
)

// editCall is what calls that edit one file share. edit computes the change at its first
// use and then returns the same, so that Intent, Check and Run agree on what is written.
// Modified and Proposed are the arguments that WithContent adds, under Gemini CLI's names.
type editCall struct {
	ws       *workspace.Workspace
	args     map[string]any
	abs, rel string
	edit     func() (*edit, error)

	FilePath string `json:"file_path"`
	Modified bool   `json:"modified_by_user"`
	Proposed string `json:"ai_proposed_content"`
}

// locate resolves the path of a call with these arguments, whose change prepare computes.
func (c *editCall) locate(args map[string]any, prepare func() (*edit, error)) (err error) {
	c.args, c.edit = args, sync.OnceValues(prepare)
	c.abs, err = resolve(c.ws, c.FilePath)
	c.rel = c.ws.Rel(c.abs)
	return err
}

// intent describes the call. It reads the file. Edit is nil if the edit is impossible;
// Check says why.
func (c *editCall) intent(title, what string) tools.Intent {
	in := tools.Intent{Description: what, Title: title + shortPath(c.rel), Paths: []string{c.abs}}
	if e, err := c.edit(); err == nil {
		in.Edit = e.intent()
	}
	return in
}

// Check implements tools.Checkable. It returns the error that Run would return, before
// the user is asked.
func (c *editCall) Check() error {
	_, err := c.edit()
	return err
}

// write writes what Intent showed, or nothing if the file has changed since then.
func (c *editCall) write(ctx context.Context) (*edit, error) {
	e, err := c.edit()
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = e.write()
	}
	return e, err
}

// proposed returns the content that the model proposed, given the one that is written.
func (c *editCall) proposed(text string) string {
	if c.Modified {
		return c.Proposed
	}
	return text
}

// with returns the arguments with some of them changed by the user.
func (c *editCall) with(changed map[string]any) map[string]any {
	out := maps.Clone(c.args)
	maps.Copy(out, changed)
	out["modified_by_user"] = true
	return out
}

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

	count int    // how many matches are replaced; 0 for a new file
	note  string // tells the model how lenient the search was; empty after an exact match
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

package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"minigem/tools"
	"minigem/tools/workspace"
)

// replaceSchema has the arguments of Gemini CLI's replace. instruction has no effect
// here; Gemini CLI uses it to have a model repair a failed edit.
const replaceSchema = `{
  "type": "object",
  "properties": {
    "file_path": {"type": "string", "description": "Path of the file, absolute or relative to the project's root."},
    "instruction": {"type": "string", "description": "What the change is for, in a sentence or two."},
    "old_string": {"type": "string", "description": "The text to replace, literally. Empty to create a new file."},
    "new_string": {"type": "string", "description": "The text to put there, literally."},
    "allow_multiple": {"type": "boolean",
      "description": "Replace every occurrence; otherwise there must be exactly one."}
  },
  "required": ["file_path", "instruction", "old_string", "new_string"]
}`

// Replace returns the tool replace (core/tools/edit.ts). It replaces old_string, which
// must occur exactly once unless allow_multiple is set. If it does not occur as it is, it
// is looked for with different white space, and then with a few different characters. An
// empty old_string creates a file. Line ends, byte order mark and encoding of the file
// stay. The display is a [tools.FileDiff]. The user may edit the result before it is
// written. Errors: [tools.ErrEditPreparation], [tools.ErrEditNoOccurrence],
// [tools.ErrEditMismatch], [tools.ErrEditNoChange], [tools.ErrCreateExisting],
// [tools.ErrFileWrite].
func Replace(ws *workspace.Workspace) tools.Tool {
	return tool("replace", replaceSchema,
		tools.Info{DisplayName: "Edit", Kind: tools.KindEdit, Markdown: true, Sequential: true},
		replaceCall{ws: ws})
}

// replaceCall is one edit. edit computes it at its first use and then returns the same,
// so that Intent, Check and Run agree on what is written.
type replaceCall struct {
	ws   *workspace.Workspace
	args map[string]any
	abs  string
	rel  string
	edit func() (*replacement, error)

	FilePath      string `json:"file_path"`
	Old           string `json:"old_string"`
	New           string `json:"new_string"`
	AllowMultiple bool   `json:"allow_multiple"`
	userEdited
}

// replacement is an edit with the matches that it replaces. count is 0 for a new file.
// note tells the model how lenient the search was; it is empty after an exact match.
type replacement struct {
	*edit
	count int
	note  string
}

// Complete implements tools.Completer. It reads no file: a new_string with a placeholder for
// omitted code, which old_string does not have, is refused by its text alone.
func (c *replaceCall) Complete(args map[string]any) error {
	c.args = args
	if err := requirePath("file_path", c.FilePath); err != nil {
		return err
	}
	var err error
	if c.abs, err = resolve(c.ws, c.FilePath); err != nil {
		return err
	}
	c.rel = c.ws.Rel(c.abs)
	known := placeholders(c.Old)
	if !c.Modified && slices.ContainsFunc(placeholders(c.New), func(p string) bool { return !slices.Contains(known, p) }) {
		return invalid("`new_string` contains an omission placeholder (for example 'rest of methods ...'). Provide exact literal " +
			"replacement text.")
	}
	c.edit = sync.OnceValues(c.prepare)
	return nil
}

// prepare computes the new content. It checks in the order of Gemini CLI: too
// many matches are reported before a replacement that changes nothing.
func (c *replaceCall) prepare() (*replacement, error) {
	e, err := readEdit(c.ws, c.abs)
	if err != nil {
		return nil, fileError("Error preparing edit of", c.abs, err, tools.ErrEditPreparation)
	}
	switch {
	case !e.was.Exists && c.Old != "":
		return nil, &tools.Error{Type: tools.ErrFileNotFound, Message: "File not found: " + c.abs,
			Display: "Error: File not found. Cannot apply edit. Use an empty old_string to create a new file."}
	case !e.was.Exists:
		e.propose(c.New, c.proposed(c.New))
		return &replacement{edit: e}, nil
	case c.Modified:
		return c.whole(e)
	case c.Old == "":
		return nil, &tools.Error{Type: tools.ErrCreateExisting, Message: "File already exists, cannot create: " + c.abs,
			Display: "Error: Failed to edit. Attempted to create a file that already exists."}
	case !e.lossless():
		return nil, tools.Errorf(tools.ErrEditPreparation,
			"The file is not text in UTF-8, or in UTF-16 or UTF-32 with a byte order mark, and cannot be edited without "+
				"damage: %s", c.abs)
	}
	return c.match(e)
}

// whole returns the edit after the user changed it: see WithContent.
func (c *replaceCall) whole(e *edit) (*replacement, error) {
	if e.original != c.Old {
		return nil, c.notFound()
	}
	e.propose(c.New, c.Proposed)
	return &replacement{edit: e, count: 1}, nil
}

// notFound returns the error if old_string does not occur, with advice for the model.
func (c *replaceCall) notFound() error {
	return &tools.Error{Type: tools.ErrEditNoOccurrence,
		Message: fmt.Sprintf(
			"Could not find an exact match for 'old_string' in '%s'. The file may have changed, or the lines were never "+
				"read: read them with read_file, then retry with the text as it is there.", c.rel),
		Display: fmt.Sprintf("Error: Could not find an exact match for old_string in '%s'.", c.rel)}
}

// match replaces what the strategies of findEdits found, or says why nothing is replaced.
func (c *replaceCall) match(e *edit) (*replacement, error) {
	old, new := c.Old, c.New
	if e.crlf || !strings.Contains(e.original, "\r\n") {
		old, new = plainNewlines(old), plainNewlines(new)
	}
	found := findEdits(e.original, old, new)
	r := &replacement{edit: e, count: len(found.found), note: found.note}
	switch {
	case r.count == 0:
		return nil, c.notFound()
	case r.count > 1 && !c.AllowMultiple:
		return nil, &tools.Error{Type: tools.ErrEditMismatch,
			Message: fmt.Sprintf(
				"Failed to edit, Expected 1 occurrence but found %d for old_string in file: %s. If you intended to replace "+
					"multiple occurrences, set 'allow_multiple' to true.", r.count, c.rel),
			Display: fmt.Sprintf("Error: Failed to edit, expected 1 occurrence but found %d.", r.count)}
	case old == new:
		return nil, &tools.Error{Type: tools.ErrEditNoChange,
			Message: "No changes to apply. The old_string and new_string are identical in file: " + c.rel,
			Display: "Error: No changes to apply. The old_string and new_string are identical."}
	}
	text := sameEnding(e.original, found.apply(e.original))
	if text == e.original {
		return nil, &tools.Error{Type: tools.ErrEditNoChange,
			Message: "No changes to apply. The new content is identical to the current content of file: " + c.rel,
			Display: "Error: No changes to apply. The new content is identical to the current content."}
	}
	e.propose(text, text)
	return r, nil
}

// proposed returns the content that the model had proposed, if it is text.
func (c *replaceCall) proposed(text string) string {
	if c.Modified {
		return c.Proposed
	}
	return text
}

// sameEnding makes text end with a newline if and only if original does.
func sameEnding(original, text string) string {
	had, has := strings.HasSuffix(original, "\n"), strings.HasSuffix(text, "\n")
	switch {
	case had && !has && text != "":
		return text + "\n"
	case !had && has:
		return strings.TrimSuffix(text, "\n")
	}
	return text
}

// Intent implements tools.Invocation. It reads the file. Edit is nil if the edit is
// impossible; Check says why.
func (c *replaceCall) Intent() tools.Intent {
	rel := shortPath(c.rel)
	in := tools.Intent{Title: "Confirm Edit: " + rel, Paths: []string{c.abs}}
	switch {
	case c.Old == "":
		in.Description = "Create " + rel
	case c.Old == c.New:
		in.Description = "No file changes to " + rel
	default:
		in.Description = fmt.Sprintf("%s: %s => %s", rel, glimpse(c.Old), glimpse(c.New))
	}
	if r, err := c.edit(); err == nil {
		in.Edit = r.intent()
	}
	return in
}

// Check implements tools.Checkable. It returns the error that Run would return, before
// the user is asked.
func (c *replaceCall) Check() error {
	_, err := c.edit()
	return err
}

// glimpse returns the beginning of the first line of s. It is at most 30 characters and
// "...".
func glimpse(s string) string {
	const limit = 30
	first, _, _ := strings.Cut(s, "\n")
	if r := []rune(first); len(r) > limit {
		first = string(r[:limit])
	}
	if len([]rune(s)) > limit {
		first += "..."
	}
	return first
}

// Run implements tools.Invocation. It writes what Intent showed, or nothing if the file
// has changed since then.
func (c *replaceCall) Run(ctx context.Context) (tools.Result, error) {
	r, err := c.edit()
	if err != nil {
		return tools.Result{}, err
	}
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	if err := r.write(); err != nil {
		return tools.Result{}, err
	}
	if !r.was.Exists {
		text := fmt.Sprintf("Created new file: %s with provided content.%s%s", c.abs, r.userNote(), r.updated())
		return tools.TextResult(text, "Created "+shortPath(c.rel)), nil
	}
	text := fmt.Sprintf("Successfully modified file: %s (%d replacements).%s%s", c.abs, r.count, r.userNote(), r.updated())
	if r.note != "" {
		text += " " + r.note
	}
	return tools.TextResult(text, r.display("Current", "Proposed")), nil
}

// WithContent implements tools.Modifiable: it replaces the whole content. The arguments
// it returns are new, and a call prepared from them writes content; if the edit is
// impossible, it returns the old arguments.
func (c *replaceCall) WithContent(content string) map[string]any {
	r, err := c.edit()
	if err != nil {
		return c.args
	}
	return with(c.args, map[string]any{"old_string": r.original, "new_string": content, "modified_by_user": true,
		"ai_proposed_content": r.proposed})
}

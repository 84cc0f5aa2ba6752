package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
		replaceCall{editCall: editCall{ws: ws}})
}

// replaceCall is one edit.
type replaceCall struct {
	editCall
	Old           string `json:"old_string"`
	New           string `json:"new_string"`
	AllowMultiple bool   `json:"allow_multiple"`
}

// Complete implements tools.Completer. It reads no file: a new_string with a placeholder for
// omitted code, which old_string does not have, is refused by its text alone.
func (c *replaceCall) Complete(args map[string]any) error {
	if err := required("file_path", c.FilePath); err != nil {
		return err
	}
	if err := c.locate(args, c.prepare); err != nil {
		return err
	}
	known := placeholders(c.Old)
	if !c.Modified && slices.ContainsFunc(placeholders(c.New), func(p string) bool { return !slices.Contains(known, p) }) {
		return invalid(
			"`new_string` contains an omission placeholder (for example 'rest of methods ...'). Provide exact literal " +
				"replacement text.")
	}
	return nil
}

// prepare computes the new content. It checks in the order of Gemini CLI: too
// many matches are reported before a replacement that changes nothing.
func (c *replaceCall) prepare() (*edit, error) {
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
		return e, nil
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
func (c *replaceCall) whole(e *edit) (*edit, error) {
	if e.original != c.Old {
		return nil, c.notFound()
	}
	e.propose(c.New, c.Proposed)
	e.count = 1
	return e, nil
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
func (c *replaceCall) match(e *edit) (*edit, error) {
	old, new := c.Old, c.New
	if e.crlf || !strings.Contains(e.original, "\r\n") {
		old, new = plainNewlines(old), plainNewlines(new)
	}
	found := findEdits(e.original, old, new)
	e.count, e.note = len(found.found), found.note
	switch {
	case e.count == 0:
		return nil, c.notFound()
	case e.count > 1 && !c.AllowMultiple:
		return nil, &tools.Error{Type: tools.ErrEditMismatch,
			Message: fmt.Sprintf(
				"Failed to edit, Expected 1 occurrence but found %d for old_string in file: %s. If you intended to replace "+
					"multiple occurrences, set 'allow_multiple' to true.", e.count, c.rel),
			Display: fmt.Sprintf("Error: Failed to edit, expected 1 occurrence but found %d.", e.count)}
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
	return e, nil
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

// Intent implements tools.Invocation.
func (c *replaceCall) Intent() tools.Intent {
	rel := shortPath(c.rel)
	what := fmt.Sprintf("%s: %s => %s", rel, glimpse(c.Old), glimpse(c.New))
	switch {
	case c.Old == "":
		what = "Create " + rel
	case c.Old == c.New:
		what = "No file changes to " + rel
	}
	return c.intent("Confirm Edit: ", what)
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

// Run implements tools.Invocation.
func (c *replaceCall) Run(ctx context.Context) (tools.Result, error) {
	e, err := c.write(ctx)
	if err != nil {
		return tools.Result{}, err
	}
	if !e.was.Exists {
		text := fmt.Sprintf("Created new file: %s with provided content.%s%s", c.abs, e.userNote(), e.updated())
		return tools.TextResult(text, "Created "+shortPath(c.rel)), nil
	}
	text := fmt.Sprintf("Successfully modified file: %s (%d replacements).%s%s", c.abs, e.count, e.userNote(), e.updated())
	if e.note != "" {
		text += " " + e.note
	}
	return tools.TextResult(text, e.display("Current", "Proposed")), nil
}

// WithContent implements tools.Modifiable: it replaces the whole content. If the edit is
// impossible, it returns the old arguments.
func (c *replaceCall) WithContent(content string) map[string]any {
	e, err := c.edit()
	if err != nil {
		return c.args
	}
	return c.with(map[string]any{"old_string": e.original, "new_string": content, "ai_proposed_content": e.proposed})
}

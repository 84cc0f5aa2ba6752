package builtin

import (
	"context"
	"sync"

	"minigem/tools"
	"minigem/tools/workspace"
)

// writeFileSchema has the arguments of Gemini CLI's write_file.
const writeFileSchema = `{
  "type": "object",
  "properties": {
    "file_path": {"type": "string", "description": "Path of the file, absolute or relative to the project's root."},
    "content": {"type": "string", "description": "The whole content of the file, literally."}
  },
  "required": ["file_path", "content"]
}`

// WriteFile returns the tool write_file (core/tools/write-file.ts). It writes a whole
// file and makes missing directories. Line ends, byte order mark and encoding of an
// existing file stay. Content with a placeholder such as "rest of methods ..." is
// refused. The display is a [tools.FileDiff]. The user may edit the content before it is
// written. Errors: [tools.ErrFileWrite], also if the file changed since the call was
// prepared.
func WriteFile(ws *workspace.Workspace) tools.Tool {
	return tool("write_file", writeFileSchema,
		tools.Info{DisplayName: "WriteFile", Kind: tools.KindEdit, Markdown: true, Sequential: true},
		writeFileCall{ws: ws})
}

// writeFileCall replaces a whole file, or creates one.
type writeFileCall struct {
	ws   *workspace.Workspace
	args map[string]any
	abs  string
	edit func() (*edit, error) // prepared once, so that the user sees exactly what is written

	FilePath string `json:"file_path"`
	Content  string `json:"content"`
	userEdited
}

// userEdited holds the arguments that WithContent adds: that the user changed the edit,
// and what the model had proposed. Their names are Gemini CLI's.
type userEdited struct {
	Modified bool   `json:"modified_by_user"`
	Proposed string `json:"ai_proposed_content"`
}

// Complete implements tools.Completer. It refuses a path outside the workspace, a directory,
// and content with a placeholder for omitted code, unless the user edited the content.
func (c *writeFileCall) Complete(args map[string]any) error {
	c.args = args
	if c.FilePath == "" {
		return invalid(`Missing or empty "file_path"`)
	}
	var err error
	if c.abs, err = resolve(c.ws, c.FilePath); err != nil {
		return err
	}
	if info, err := c.ws.Stat(c.abs); err == nil && info.IsDir() {
		return invalid("Path is a directory, not a file: %s", c.abs)
	}
	if !c.Modified && len(placeholders(c.Content)) > 0 {
		return invalid("`content` contains an omission placeholder (for example 'rest of methods ...'). Provide complete file content.")
	}
	c.edit = sync.OnceValues(c.prepare)
	return nil
}

// prepare reads the file and computes the change.
func (c *writeFileCall) prepare() (*edit, error) {
	e, err := readEdit(c.ws, c.abs)
	if err != nil {
		return nil, fileError("Error checking existing file", c.abs, err, tools.ErrFileWrite)
	}
	proposed := c.Content
	if c.Modified {
		proposed = c.Proposed
	}
	e.propose(c.Content, proposed)
	return e, nil
}

// Intent implements tools.Invocation. It reads the file once, for the diff; Run writes
// only if the file has not changed since.
func (c *writeFileCall) Intent() tools.Intent {
	rel := shortPath(c.ws.Rel(c.abs))
	in := tools.Intent{Description: "Writing to " + rel, Title: "Confirm Write: " + rel, Paths: []string{c.abs}}
	if e, err := c.edit(); err == nil {
		in.Edit = e.intent()
	}
	return in
}

// Check implements tools.Checkable: the user is not asked if the existing file cannot be
// read.
func (c *writeFileCall) Check() error {
	_, err := c.edit()
	return err
}

// Run implements tools.Invocation. It writes what Intent showed, or nothing if the file
// has changed since then. The model gets the code around the change.
func (c *writeFileCall) Run(ctx context.Context) (tools.Result, error) {
	e, err := c.edit()
	if err != nil {
		return tools.Result{}, err
	}
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	if err := e.write(); err != nil {
		return tools.Result{}, err
	}
	text := "Successfully overwrote file: " + c.abs + "."
	if !e.was.Exists {
		text = "Successfully created and wrote to new file: " + c.abs + "."
	}
	return tools.TextResult(text+e.userNote()+e.updated(), e.display("Original", "Written")), nil
}

// WithContent implements tools.Modifiable. The model's first proposal stays, however
// often the user edits.
func (c *writeFileCall) WithContent(content string) map[string]any {
	proposed := c.Content
	if c.Modified {
		proposed = c.Proposed
	}
	return with(c.args, map[string]any{"content": content, "modified_by_user": true, "ai_proposed_content": proposed})
}

// with returns a copy of args with some of them changed.
func with(args, changed map[string]any) map[string]any {
	out := make(map[string]any, len(args)+len(changed))
	for _, m := range []map[string]any{args, changed} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

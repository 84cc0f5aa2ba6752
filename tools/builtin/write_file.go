package builtin

import (
	"context"

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
		writeFileCall{editCall: editCall{ws: ws}})
}

// writeFileCall replaces a whole file, or creates one.
type writeFileCall struct {
	editCall
	Content string `json:"content"`
}

// Complete implements tools.Completer. It refuses a path outside the workspace, a
// directory, and content with a placeholder for omitted code, unless the user edited the
// content.
func (c *writeFileCall) Complete(args map[string]any) error {
	if c.FilePath == "" {
		return invalid(`Missing or empty "file_path"`)
	}
	if err := c.locate(args, c.prepare); err != nil {
		return err
	}
	if info, err := c.ws.Stat(c.abs); err == nil && info.IsDir() {
		return invalid("Path is a directory, not a file: %s", c.abs)
	}
	if !c.Modified && len(placeholders(c.Content)) > 0 {
		return invalid(
			"`content` contains an omission placeholder (for example 'rest of methods ...'). Provide complete file content.")
	}
	return nil
}

// prepare reads the file and computes the change.
func (c *writeFileCall) prepare() (*edit, error) {
	e, err := readEdit(c.ws, c.abs)
	if err != nil {
		return nil, fileError("Error checking existing file", c.abs, err, tools.ErrFileWrite)
	}
	e.propose(c.Content, c.proposed(c.Content))
	return e, nil
}

// Intent implements tools.Invocation.
func (c *writeFileCall) Intent() tools.Intent {
	return c.intent("Confirm Write: ", "Writing to "+shortPath(c.rel))
}

// Run implements tools.Invocation. The model gets the code around the change.
func (c *writeFileCall) Run(ctx context.Context) (tools.Result, error) {
	e, err := c.write(ctx)
	if err != nil {
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
	return c.with(map[string]any{"content": content, "ai_proposed_content": c.proposed(c.Content)})
}

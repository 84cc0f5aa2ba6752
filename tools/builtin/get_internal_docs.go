package builtin

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"minigem/tools"
)

// internalDocsSchema has no required field: a call without arguments lists the pages.
const internalDocsSchema = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The page, as it appears in the list. Without it you get the list."}
  }
}`

// InternalDocs returns the tool get_internal_docs (core/tools/get-internal-docs.ts): it
// lists the pages of a documentation in Markdown, and reads them. A page that is not in
// pages is [tools.ErrFileNotFound].
func InternalDocs(pages fs.FS) tools.Tool {
	return tools.New("get_internal_docs",
		"Returns a page of the documentation of this program, or the list of its pages.",
		tools.MustSchema(internalDocsSchema),
		tools.Info{DisplayName: "GetInternalDocs", Kind: tools.KindRead, Markdown: true}, internalDocsCall{pages: pages})
}

// internalDocsCall reads one page, or lists all if Path is empty.
type internalDocsCall struct {
	pages fs.FS // refuses names with "..": a call cannot read anything else

	Path string `json:"path"`
}

// Intent implements tools.Invocation.
func (c *internalDocsCall) Intent() tools.Intent {
	if c.Path == "" {
		return tools.Intent{Description: "Listing the documentation"}
	}
	return tools.Intent{Description: "Reading the documentation: " + c.Path}
}

// Run implements tools.Invocation. Only pages at the top of the file system are listed;
// a call may read any.
func (c *internalDocsCall) Run(context.Context) (tools.Result, error) {
	if c.Path == "" {
		names, err := fs.Glob(c.pages, "*.md")
		if err != nil {
			return tools.Result{}, err
		}
		return tools.TextResult("The pages of the documentation:\n- "+strings.Join(names, "\n- "),
			fmt.Sprintf("%d pages", len(names))), nil
	}
	page, err := fs.ReadFile(c.pages, c.Path)
	if err != nil {
		return tools.Result{},
			tools.Errorf(tools.ErrFileNotFound,
				"There is no page %q in the documentation: call get_internal_docs without a path for the list.", c.Path)
	}
	return tools.TextResult(string(page), c.Path), nil
}

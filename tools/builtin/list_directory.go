package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"minigem/tools"
	"minigem/tools/workspace"
)

// listDirectorySchema has the arguments of Gemini CLI's list_directory.
const listDirectorySchema = `{
  "type": "object",
  "properties": {
    "dir_path": {"type": "string", "description": "Path of the directory, absolute or relative to the project's root."},
    "ignore": {"type": "array", "items": {"type": "string"},
      "description": "Names to leave out; * and ? are wildcards."},
    "file_filtering_options": ` + filteringSchema + `
  },
  "required": ["dir_path"]
}`

// filteringSchema is the part that list_directory and read_many_files share;
// [filtering] decodes it.
const filteringSchema = `{
  "type": "object",
  "description": "Which ignore files count; by default as the user set it.",
  "properties": {
    "respect_git_ignore": {"type": "boolean", "description": "Leave out what .gitignore files ignore."},
    "respect_gemini_ignore": {"type": "boolean", "description": "Leave out what .geminiignore ignores."}
  }
}`

// filtering holds the arguments that choose which ignore files apply. A nil field means
// what the settings say.
type filtering struct {
	Git    *bool `json:"respect_git_ignore"`
	Gemini *bool `json:"respect_gemini_ignore"`
}

// over returns ig with the settings that the call overrides.
func (f filtering) over(ig workspace.Ignore) workspace.Ignore {
	if f.Git != nil {
		ig.Git = *f.Git
	}
	if f.Gemini != nil {
		ig.Gemini = *f.Gemini
	}
	return ig
}

// ListDirectory returns the tool list_directory (core/tools/ls.ts). Directories come
// first, then files with their sizes, each sorted as people do. It leaves out protected
// names and links that lead out of the workspace; unlike Gemini CLI it leaves out ignored
// directories too. The display is a [tools.Listing]. Errors: [tools.ErrPathNotDirectory],
// [tools.ErrLs].
func ListDirectory(ws *workspace.Workspace, ignore workspace.Ignore) tools.Tool {
	return tool("list_directory", listDirectorySchema,
		tools.Info{DisplayName: "ReadFolder", Kind: tools.KindSearch, Markdown: true},
		listDirectoryCall{files: files{ws, ignore}})
}

// listDirectoryCall lists the directory abs. Ignore holds patterns of names, see
// [workspace.Wildcard].
type listDirectoryCall struct {
	files
	abs string

	DirPath string    `json:"dir_path"`
	Ignore  []string  `json:"ignore"`
	Options filtering `json:"file_filtering_options"`
}

// Complete implements tools.Completer. It refuses a path outside the workspace; whether it
// is a directory is found out by Run.
func (c *listDirectoryCall) Complete(map[string]any) error {
	var err error
	c.abs, err = resolve(c.ws, c.DirPath)
	return err
}

// Intent implements tools.Invocation. People read the path relative to the root.
func (c *listDirectoryCall) Intent() tools.Intent {
	return tools.Intent{Description: shortPath(c.ws.Rel(c.abs)), Paths: []string{c.abs}}
}

// Run implements tools.Invocation. Entries that vanish meanwhile are left out; those
// that an ignore file hides are counted in the result.
func (c *listDirectoryCall) Run(ctx context.Context) (tools.Result, error) {
	info, err := c.ws.Stat(c.abs)
	if err != nil {
		return tools.Result{}, c.failed(err)
	}
	if !info.IsDir() {
		return tools.Result{}, &tools.Error{Type: tools.ErrPathNotDirectory, Message: "Error: Path is not a directory: " +
			c.abs, Display: "Error: Path is not a directory."}
	}
	entries, err := c.ws.ReadDir(c.abs)
	if err != nil {
		return tools.Result{}, c.failed(err)
	}
	ign, err := c.ws.Ignorer(c.abs, c.Options.over(c.ignore))
	if err != nil {
		return tools.Result{}, c.failed(err)
	}
	var items []listed
	ignored := 0
	for _, e := range entries {
		if ctx.Err() != nil {
			return tools.Result{}, context.Cause(ctx)
		}
		item, ok := c.look(e)
		if !ok {
			continue
		}
		if ign.Ignored(e.Name(), item.dir) || e.Type()&fs.ModeSymlink != 0 && c.targetIgnored(item) {
			ignored++
			continue
		}
		items = append(items, item)
	}
	slices.SortFunc(items, listed.compare)
	return c.result(items, ignored), nil
}

// failed returns the error for a directory that cannot be listed.
func (c *listDirectoryCall) failed(err error) error {
	e := fileError("Error listing directory", c.abs, err, tools.ErrLs)
	if !errors.Is(err, workspace.ErrOutside) {
		e.Type, e.Message = tools.ErrLs, fmt.Sprintf("Error listing directory: %v: '%s'", plainCause(err), c.abs)
		e.Display = "Error: Failed to list directory."
	}
	return e
}

// listed is one line of the listing.
type listed struct {
	name string
	dir  bool
	size int64
}

// look describes an entry, following links. It returns false if the entry is not
// listed.
func (c *listDirectoryCall) look(e fs.DirEntry) (listed, bool) {
	name := e.Name()
	if c.ws.Protected(name) != "" ||
		slices.ContainsFunc(c.Ignore, func(p string) bool { return workspace.Wildcard(p, name) }) {
		return listed{}, false
	}
	info, err := e.Info()
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = c.ws.Stat(filepath.Join(c.abs, name))
	}
	if err != nil {
		return listed{}, false // deleted meanwhile, or a link to nowhere or to the outside
	}
	return listed{name, info.IsDir(), info.Size()}, true
}

// targetIgnored reports whether a link leads to something that is ignored.
func (c *listDirectoryCall) targetIgnored(item listed) bool {
	ignored, err := c.ws.Ignored(filepath.Join(c.abs, item.name), item.dir, c.Options.over(c.ignore))
	return ignored && err == nil
}

// compare puts directories first and sorts by name.
func (l listed) compare(m listed) int {
	if l.dir != m.dir {
		if l.dir {
			return -1
		}
		return 1
	}
	return collate(l.name, m.name)
}

// result lists the items for the model, with sizes in bytes; people get the same names
// without sizes.
func (c *listDirectoryCall) result(items []listed, ignored int) tools.Result {
	count := ""
	if ignored > 0 {
		count = fmt.Sprintf("(%d ignored)", ignored)
	}
	if len(items) == 0 && ignored == 0 {
		return tools.TextResult(fmt.Sprintf("Directory %s is empty.", c.abs), "Directory is empty.")
	}
	text := fmt.Sprintf("Directory listing for %s:", c.abs)
	show := tools.Listing{Summary: strings.TrimRight(fmt.Sprintf("Found %d item(s). %s", len(items), count), " "),
		Files: []string{}}
	for _, item := range items {
		if item.dir {
			text += "\n[DIR] " + item.name
			show.Files = append(show.Files, "[DIR] "+item.name)
		} else {
			text += fmt.Sprintf("\n%s (%d bytes)", item.name, item.size)
			show.Files = append(show.Files, item.name)
		}
	}
	if count != "" {
		text += "\n\n" + count
	}
	return tools.TextResult(text, show)
}

package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"minigem/internal/boundedfile"
	"minigem/internal/filelock"
	"minigem/tools"
	"minigem/tools/workspace"
)

// saveMemorySchema is completed with the scopes that there are: without a file for the
// project the model is offered only "global".
const saveMemorySchema = `{
  "type": "object",
  "properties": {
    "fact": {"type": "string", "description": "What to remember: one sentence that stands for itself."},
    "scope": {"type": "string", "enum": [%s],
      "description": "For whom: every project of the user (global, the default) or this project."}
  },
  "required": ["fact"]
}`

// memoriesHeading is Gemini CLI's, so that files which its older versions wrote
// are continued.
const memoriesHeading = "## Gemini Added Memories"

// MemoryFiles holds the absolute paths of the files that save_memory writes. They need
// not exist.
type MemoryFiles struct {
	// User is the user's GEMINI.md; a symbolic link is followed. Empty leaves save_memory
	// out.
	User string
	// Project is the project's; empty means that none is written.
	Project string
	// Workspace writes Project if its folder belongs to it. May be nil.
	Workspace *workspace.Workspace
}

// memory is what the calls share. opened keeps one workspace for each directory, because
// a workspace keeps its folder open as long as the process runs.
type memory struct {
	files MemoryFiles

	mu     sync.Mutex
	opened map[string]*workspace.Workspace // by directory
}

// SaveMemory returns the tool save_memory (docs/spec/contract.md 7). It adds one line to
// a section of the file, under a lock that other sessions respect, and keeps what an
// editor writes at the same time. Errors: [tools.ErrFileWrite].
func SaveMemory(files MemoryFiles) tools.Tool {
	scopes := `"global"`
	if files.Project != "" {
		scopes += `, "project"`
	}
	return tool("save_memory", fmt.Sprintf(saveMemorySchema, scopes),
		tools.Info{DisplayName: "SaveMemory", Kind: tools.KindThink, Markdown: true, Sequential: true},
		saveMemoryCall{memory: &memory{files: files, opened: map[string]*workspace.Workspace{}}, file: files.User})
}

// saveMemoryCall adds one fact to file. Scope is empty, "global" or "project"; empty
// means "global".
type saveMemoryCall struct {
	*memory
	file string

	Fact  string `json:"fact"`
	Scope string `json:"scope"`
}

// Complete implements tools.Completer. It puts the fact on one line and takes a leading dash
// away, and refuses one that is empty then.
func (c *saveMemoryCall) Complete(map[string]any) error {
	// One line: a fact must not begin a heading or a list.
	c.Fact = strings.TrimSpace(strings.TrimLeft(strings.Join(strings.Fields(c.Fact), " "), "- "))
	if c.Scope == "project" {
		c.file = c.files.Project
	} else if real, err := filepath.EvalSymlinks(c.file); err == nil {
		c.file = real
	}
	return required("fact", c.Fact)
}

// Intent implements tools.Invocation. Its diff shows the file as it is now: another
// session may write before Run.
func (c *saveMemoryCall) Intent() tools.Intent {
	in := tools.Intent{
		Description: fmt.Sprintf("in %s: %s", filepath.Base(c.file), c.Fact),
		Title:       "Confirm Memory Save: " + c.file,
		Paths:       []string{c.file},
	}
	if data, err := boundedfile.Read(c.file, boundedfile.Written); err == nil || errors.Is(err, os.ErrNotExist) {
		name, after := filepath.Base(c.file), remember(string(data), c.Fact)
		in.Edit = &tools.EditIntent{
			FileName: name, FilePath: c.file, Original: string(data), New: after, IsNew: err != nil,
			Diff: diff(string(data), after).unified(name, "Current", "Proposed"),
		}
	}
	return in
}

// Run implements tools.Invocation. It tries three times if the file changes between
// reading and writing.
func (c *saveMemoryCall) Run(ctx context.Context) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	ws, err := c.open(filepath.Dir(c.file))
	if err == nil {
		// Lock out other calls and sessions between reading and replacing.
		release, werr := filelock.Wait(ctx, c.file)
		if werr != nil {
			return tools.Result{}, werr
		}
		defer release()
	}
	for try := 0; err == nil && try < 3; try++ {
		if err = ctx.Err(); err != nil {
			return tools.Result{}, context.Cause(ctx)
		}
		var was workspace.Snapshot
		if was, err = ws.Snapshot(c.file, maxFileSize); err != nil {
			break
		}
		// An editor may write at the same time: read the file again then.
		if err = ws.Replace(was, []byte(remember(string(was.Data), c.Fact))); !errors.Is(err, workspace.ErrChanged) {
			break
		}
	}
	if err != nil {
		return tools.Result{}, fileError("Error saving memory to", c.file, err, tools.ErrFileWrite)
	}
	return tools.TextResult(fmt.Sprintf("Remembered in %s: %s", c.file, c.Fact), fmt.Sprintf("Remembered: %s", c.Fact)),
		nil
}

// open opens the directory of the file; nothing outside it can be written.
func (t *memory) open(dir string) (*workspace.Workspace, error) {
	if _, err := t.files.Workspace.Resolve(dir); err == nil && dir == filepath.Dir(t.files.Project) &&
		dir != filepath.Dir(t.files.User) {
		return t.files.Workspace, nil // some of its files are kept
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if ws := t.opened[dir]; ws != nil {
		return ws, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ws, err := workspace.New(dir)
	if err == nil {
		t.opened[dir] = ws
	}
	return ws, err
}

// remember adds fact to the section of memories of a GEMINI.md; if there is none it
// appends one. The rest of text stays as it is, but for blank lines at the end of the
// section or, without one, of the text.
func remember(text, fact string) string {
	item := "- " + fact + "\n"
	at := headingAt(text)
	if at < 0 {
		if text = strings.TrimRight(text, "\n"); text != "" {
			text += "\n\n"
		}
		return text + memoriesHeading + "\n\n" + item
	}
	end := len(text)
	if i := strings.Index(text[at+len(memoriesHeading):], "\n## "); i >= 0 {
		end = at + len(memoriesHeading) + i + 1
	}
	section, rest := strings.TrimRight(text[:end], "\n"), text[end:]
	if strings.HasSuffix(section, memoriesHeading) {
		section += "\n"
	}
	if rest != "" {
		rest = "\n" + rest
	}
	return section + "\n" + item + rest
}

// headingAt returns the index of the heading at the start of a line, or -1.
func headingAt(text string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], memoriesHeading)
		if i < 0 {
			return -1
		}
		at := from + i
		after := text[at+len(memoriesHeading):]
		if (at == 0 || text[at-1] == '\n') && (after == "" || after[0] == '\n' || after[0] == '\r') {
			return at
		}
		from = at + 1
	}
}

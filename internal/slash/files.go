package slash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"minigem/internal/text"
	"minigem/llm"
	"minigem/tools/builtin"
	"minigem/tools/workspace"
)

// Files finds the files and folders that a prompt may name with an "@".
type Files struct {
	Workspace *workspace.Workspace
	Ignore    workspace.Ignore
	Search    bool // accept a part of a name
	// Resource returns the content for a name that is not a file, and the name to show
	// for it. nil parts without an error mean that there is none. May be nil.
	Resource func(ctx context.Context, name string) (shown string, parts []llm.Part, err error)
	// Agent reports whether there is an agent with this name, which then takes
	// precedence over a file. May be nil.
	Agent func(name string) bool
}

// Include returns what is sent for a prompt: its text, followed by the agents, files
// and folders that it names with "@" (cli/ui/hooks/atCommandProcessor.ts). nil means
// the text alone. A name that matches nothing stays text; warn is called if it looks
// like a path. warn is also called for files that may not be read, and with the file
// that was found by a part of its name.
func (f Files) Include(ctx context.Context, text string, warn func(string)) []llm.Part {
	var found []llm.Part
	var agents []string
	for _, name := range Includes(text) {
		if f.Agent != nil && f.Agent(name) {
			agents = append(agents, name)
			continue
		}
		shown, resource, err := f.resource(ctx, name)
		var abs string
		if err == nil && resource == nil {
			abs, err = f.included(ctx, name, warn)
		}
		switch {
		case err != nil:
		case resource != nil:
			found = append(found, llm.Text{Text: fmt.Sprintf("\nContent from @%s:\n", shown)})
			found = append(found, resource...)
		case abs != "":
			var parts []llm.Part
			if parts, err = f.read(ctx, abs); err == nil {
				found = append(found, llm.Text{Text: fmt.Sprintf("\nContent from @%s:\n", filepath.ToSlash(f.Workspace.Rel(abs)))})
				found = append(found, parts...)
			}
		}
		if err != nil {
			warn(fmt.Sprintf("@%s is not included: %v", name, err))
		} else if abs == "" && resource == nil && strings.ContainsAny(name, "./") {
			warn(fmt.Sprintf("@%s is not included: there is no such file", name))
		}
	}
	out := append([]llm.Part{llm.Text{Text: text}}, chosen(agents)...)
	if found != nil {
		out = append(append(out, llm.Text{Text: referenced}), found...)
		out = append(out, llm.Text{Text: "\n--- End of content ---"})
	}
	if len(out) == 1 {
		return nil
	}
	return out
}

// chosen tells the model which agents the user named.
func chosen(agents []string) []llm.Part {
	if len(agents) == 0 {
		return nil
	}
	return []llm.Part{llm.Text{Text: "\n<system_note>\nThe user chose these agents for the task, in this order: " +
		strings.Join(agents, ", ") +
		". Hand it to them with invoke_agent.\n</system_note>\n"}}
}

func (f Files) resource(ctx context.Context, name string) (shown string, parts []llm.Part, err error) {
	if f.Resource == nil || !strings.Contains(name, ":") {
		return "", nil, nil
	}
	return f.Resource(ctx, name)
}

// included returns the file or folder that name refers to, or "" if there is none.
func (f Files) included(ctx context.Context, name string, warn func(string)) (abs string, err error) {
	abs, err = f.Workspace.Resolve(name)
	var outside *workspace.OutsideError
	if errors.As(err, &outside) {
		return "", outsideReason(outside)
	}
	if err != nil {
		return "", nil
	}
	info, err := f.Workspace.Stat(abs)
	if err == nil {
		return abs, f.ignoredReason(abs, info.IsDir())
	}
	if abs, others := f.byPartOfName(ctx, name); abs != "" {
		said := fmt.Sprintf("@%s is read as %s", name, filepath.ToSlash(f.Workspace.Rel(abs)))
		if others > 0 {
			said += fmt.Sprintf(" (%s more match)", text.Plural(others, "file"))
		}
		warn(said)
		return abs, nil
	}
	return "", nil
}

// outsideReason says why an existing file is not read. It returns nil if the file does
// not exist, since name may then be anything.
func outsideReason(e *workspace.OutsideError) error {
	if _, err := os.Lstat(e.Path); err != nil {
		return nil
	}
	if e.Name != "" {
		return fmt.Errorf("%s is never read: it may contain secrets, or is other people's code", e.Name)
	}
	return errors.New("it is outside the workspace; --include-directories adds folders")
}

// ignoredReason returns an error that names the ignore file hiding path, or nil if none
// does.
func (f Files) ignoredReason(path string, dir bool) error {
	for _, one := range []struct {
		by     string
		ignore workspace.Ignore
	}{
		{".gitignore", workspace.Ignore{Git: f.Ignore.Git}},
		{".geminiignore", workspace.Ignore{Gemini: f.Ignore.Gemini}},
		{strings.Join(f.Ignore.Custom, ", "), f.Ignore},
	} {
		if ignored, err := f.Workspace.Ignored(path, dir, one.ignore); err == nil && ignored {
			return fmt.Errorf("%s ignores it", one.by)
		}
	}
	return nil
}

// byPartOfName searches for files with name in their path. It returns the one with the
// shortest path, and how many others there are.
func (f Files) byPartOfName(ctx context.Context, name string) (abs string, others int) {
	if !f.Search {
		return "", 0
	}
	pattern := "**/*" + strings.Trim(workspace.EscapeGlob(filepath.ToSlash(name)), "/") + "*"
	var mu sync.Mutex
	var paths []string
	for _, dir := range f.Workspace.Dirs() {
		// A workspace that cannot be searched has no such file.
		_ = f.Workspace.Walk(ctx, dir, workspace.Walk{Ignore: f.Ignore}, func(e *workspace.Entry) error {
			if ok, err := doublestar.Match(pattern, e.Path); ok && err == nil && e.Type.IsRegular() {
				mu.Lock()
				defer mu.Unlock()
				paths = append(paths, filepath.Join(dir, filepath.FromSlash(e.Path)))
			}
			return nil
		})
	}
	if len(paths) == 0 {
		return "", 0
	}
	slices.SortFunc(paths, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return paths[0], len(paths) - 1
}

// Text returns the content of a file or folder for the prompt of a custom command.
func (f Files) Text(ctx context.Context, path string) (string, error) {
	abs, err := f.Workspace.Resolve(path)
	if err != nil {
		return "", err
	}
	parts, err := f.read(ctx, abs)
	return llm.PartsText(parts), err
}

func (f Files) read(ctx context.Context, abs string) ([]llm.Part, error) {
	tool, args := builtin.ReadFile(f.Workspace, f.Ignore), map[string]any{"file_path": abs}
	if info, err := f.Workspace.Stat(abs); err == nil && info.IsDir() {
		tool, args = builtin.ReadManyFiles(f.Workspace, f.Ignore), map[string]any{"include": []any{abs}}
	}
	inv, err := tool.Prepare(args)
	if err != nil {
		return nil, err
	}
	res, err := inv.Run(ctx)
	return res.Parts, err
}

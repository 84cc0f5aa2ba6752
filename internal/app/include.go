package app

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

	"minigem/internal/slash"
	"minigem/internal/text"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/workspace"
)

// Include returns what is sent for a prompt: its text, and behind that the
// files and folders it names with "@" (cli/ui/hooks/atCommandProcessor.ts).
// nil: the text alone. What there is not stays text; what may not be read, and
// what was taken for another name, is told to warn.
func (r *Runtime) Include(ctx context.Context, text string, warn func(string)) []llm.Part {
	var found []llm.Part
	for _, name := range slash.Includes(text) {
		abs, err := r.included(ctx, name, warn)
		if err == nil && abs != "" {
			var parts []llm.Part
			if parts, err = r.readIncluded(ctx, abs); err == nil {
				found = append(found, llm.Text{Text: fmt.Sprintf("\nContent from @%s:\n", filepath.ToSlash(r.Workspace.Rel(abs)))})
				found = append(found, parts...)
			}
		}
		if err != nil {
			warn(fmt.Sprintf("@%s is not included: %v", name, err))
		}
	}
	if found == nil {
		return nil
	}
	out := append([]llm.Part{llm.Text{Text: text}, llm.Text{Text: "\n--- Content from referenced files ---"}}, found...)
	return append(out, llm.Text{Text: "\n--- End of content ---"})
}

// included is the file or folder that name means; empty: there is none.
func (r *Runtime) included(ctx context.Context, name string, warn func(string)) (abs string, err error) {
	abs, err = r.Workspace.Resolve(name)
	var outside *workspace.OutsideError
	if errors.As(err, &outside) {
		return "", outsideReason(outside)
	}
	if err != nil {
		return "", nil
	}
	info, err := r.Workspace.Stat(abs)
	if err == nil {
		return abs, r.ignoredReason(abs, info.IsDir())
	}
	if abs, others := r.byPartOfName(ctx, name); abs != "" {
		said := fmt.Sprintf("@%s is taken for %s", name, filepath.ToSlash(r.Workspace.Rel(abs)))
		if others > 0 {
			said += fmt.Sprintf(" (%s more would do)", text.Plural(others, "file"))
		}
		warn(said)
		return abs, nil
	}
	return "", nil
}

// outsideReason says why a file that exists is not read; nil for one that does
// not, whose name may be anything.
func outsideReason(e *workspace.OutsideError) error {
	if _, err := os.Lstat(e.Path); err != nil {
		return nil
	}
	if e.Name != "" {
		return fmt.Errorf("%s is never read: it may hold secrets, or is other people's code", e.Name)
	}
	return errors.New("it is outside of the workspace; --include-directories adds folders")
}

// ignoredReason names the ignore file that hides path; nil: none does.
func (r *Runtime) ignoredReason(path string, dir bool) error {
	all := r.ignore()
	for _, one := range []struct {
		by     string
		ignore workspace.Ignore
	}{
		{".gitignore", workspace.Ignore{Git: all.Git}},
		{".geminiignore", workspace.Ignore{Gemini: all.Gemini}},
		{strings.Join(all.Custom, ", "), all},
	} {
		if ignored, err := r.Workspace.Ignored(path, dir, one.ignore); err == nil && ignored {
			return fmt.Errorf("%s ignores it", one.by)
		}
	}
	return nil
}

// byPartOfName looks for files with name in their path, the shortest path
// first, and says how many more there are.
func (r *Runtime) byPartOfName(ctx context.Context, name string) (abs string, others int) {
	if !r.Config.Settings.Context.FileFiltering.EnableRecursiveFileSearch {
		return "", 0
	}
	pattern := "**/*" + strings.Trim(escapeGlob(filepath.ToSlash(name)), "/") + "*"
	var mu sync.Mutex
	var paths []string
	for _, dir := range r.Workspace.Dirs() {
		// What cannot be searched has nothing to find.
		_ = r.Workspace.Walk(ctx, dir, workspace.Walk{Ignore: r.ignore()}, func(e *workspace.Entry) error {
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

func escapeGlob(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`*?[]{}\`, r) {
			b.WriteRune('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (r *Runtime) readIncluded(ctx context.Context, abs string) ([]llm.Part, error) {
	tool, args := builtin.ReadFile(r.Workspace, r.ignore()), map[string]any{"file_path": abs}
	if info, err := r.Workspace.Stat(abs); err == nil && info.IsDir() {
		tool, args = builtin.ReadManyFiles(r.Workspace, r.ignore()), map[string]any{"include": []any{abs}}
	}
	return readFor(ctx, tool, args)
}

func readFor(ctx context.Context, tool tools.Tool, args map[string]any) ([]llm.Part, error) {
	inv, err := tool.Prepare(args)
	if err != nil {
		return nil, err
	}
	res, err := inv.Run(ctx)
	return res.Parts, err
}

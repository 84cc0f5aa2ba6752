package builtin

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"minigem/llm"
	"minigem/tools"
	"minigem/tools/workspace"
)

// readManyFilesSchema has the arguments of Gemini CLI's read_many_files.
const readManyFilesSchema = `{
  "type": "object",
  "properties": {
    "include": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1},
      "description": "Files, directories and glob patterns, relative to the project's root."},
    "exclude": {"type": "array", "items": {"type": "string", "minLength": 1},
      "description": "Glob patterns of files to leave out."},
    "recursive": {"type": "boolean",
      "description": "Whether a directory stands for all below it, or only for its own files. Default: true."},
    "useDefaultExcludes": {"type": "boolean",
      "description": "Leave out build products, archives, binary files and the like. Default: true."},
    "file_filtering_options": ` + filteringSchema + `
  },
  "required": ["include"]
}`

// What useDefaultExcludes leaves out (core/services/fileDiscoveryService.ts):
// directories of tools and build products, and extensions and names of files
// that are not text.
var (
	excludedDirs = []string{".vscode", ".idea", "dist", "build", "coverage", "__pycache__"}
	excludedExts = strings.Fields(
		".bin .exe .dll .so .dylib .class .jar .war .zip .tar .gz .bz2 .rar .7z .doc .docx .xls .xlsx .ppt .pptx .odt " +
			".ods .odp .pyc .pyo")
	excludedNames = []string{".DS_Store", ".env"}
)

// maxReadMany limits the bytes that one call returns; the rest is skipped.
const maxReadMany = 20 << 20

// endOfContent ends the result (core/tools/read-many-files.ts), so that the model can
// tell it from one that was cut.
const endOfContent = "\n--- End of content ---"

// ReadManyFiles returns the tool read_many_files (core/tools/read-many-files.ts). It
// reads each file as [ReadFile] does, up to 20 MB in all, and skips those that cannot be
// read: the display, a [tools.Listing], names them. Media are only read if the call names
// them or their extension. The command line's @path includes use it too. Errors:
// [tools.ErrReadManySearch].
func ReadManyFiles(ws *workspace.Workspace, ignore workspace.Ignore) tools.Tool {
	return tool("read_many_files", readManyFilesSchema,
		tools.Info{DisplayName: "ReadManyFiles", Kind: tools.KindRead, Markdown: true},
		readManyCall{files: files{ws, ignore}, read: ReadFile(ws, workspace.Ignore{})})
}

// readManyCall is one call. A nil Recursive or DefaultExcludes means true.
type readManyCall struct {
	files
	read tools.Tool // hides nothing: what is ignored is left out by the walk that finds the files

	Include         []string  `json:"include"`
	Exclude         []string  `json:"exclude"`
	Recursive       *bool     `json:"recursive"`
	DefaultExcludes *bool     `json:"useDefaultExcludes"`
	Options         filtering `json:"file_filtering_options"`
}

// Complete implements tools.Completer. It refuses invalid patterns and those that begin outside
// the workspace.
func (c *readManyCall) Complete(map[string]any) error {
	for _, p := range slices.Concat(c.Include, c.Exclude) {
		if !doublestar.ValidatePattern(filepath.ToSlash(p)) {
			return invalid("This is not a valid glob: %s", p)
		}
	}
	for _, p := range c.Include {
		if base, _ := doublestar.SplitPattern(filepath.ToSlash(p)); filepath.IsAbs(p) || strings.HasPrefix(base, "..") {
			if _, err := resolve(c.ws, base); err != nil {
				return err
			}
		}
	}
	return nil
}

// Intent implements tools.Invocation. People read the patterns; Paths are all
// directories of the workspace.
func (c *readManyCall) Intent() tools.Intent {
	return tools.Intent{Description: "Will attempt to read and concatenate files using patterns: " +
		strings.Join(c.Include, ", "), Paths: c.ws.Dirs()}
}

// isTrue returns the value of an argument that is true unless the call says otherwise.
func isTrue(b *bool) bool { return b == nil || *b }

// Run implements tools.Invocation. Files come in the order of their paths, directory by
// directory of the workspace. That no file matched is no error.
func (c *readManyCall) Run(ctx context.Context) (tools.Result, error) {
	var files []string
	for _, dir := range c.ws.Dirs() {
		some, err := c.find(ctx, dir)
		if ctx.Err() != nil {
			return tools.Result{}, context.Cause(ctx)
		}
		if err != nil {
			return tools.Result{}, &tools.Error{Type: tools.ErrReadManySearch, Message: "Error during file search: " +
				err.Error(), Err: err}
		}
		files = append(files, some...)
	}
	var res manyFiles
	for _, abs := range files {
		if ctx.Err() != nil {
			return tools.Result{}, context.Cause(ctx)
		}
		c.add(ctx, &res, abs)
	}
	return res.result(), nil
}

// find returns the absolute paths of the matching files below dir, sorted. A directory
// that does not exist has none.
func (c *readManyCall) find(ctx context.Context, dir string) ([]string, error) {
	if _, err := c.ws.Stat(dir); err != nil {
		return nil, nil // a further directory that does not exist yet
	}
	include := c.patterns(dir)
	how := workspace.Walk{Ignore: c.Options.over(c.ignore), Skip: unsearched}
	if isTrue(c.DefaultExcludes) {
		how.Skip = slices.Concat(unsearched, excludedDirs)
	}
	var mu sync.Mutex
	var files []string
	err := c.ws.Walk(ctx, dir, how, func(e *workspace.Entry) error {
		if e.Type&fs.ModeSymlink == 0 && matchesAny(include, e.Path) && !c.excluded(e.Path) {
			mu.Lock()
			defer mu.Unlock()
			files = append(files, filepath.Join(dir, filepath.FromSlash(e.Path)))
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}

// patterns returns include relative to dir. A directory means its content. A name that
// exists is taken literally, so "[id].tsx" is no class of characters.
func (c *readManyCall) patterns(dir string) []string {
	var ps []string
	for _, p := range c.Include {
		if filepath.IsAbs(p) {
			rel, err := filepath.Rel(dir, p)
			if err != nil {
				continue
			}
			p = rel
		}
		p = path.Clean(filepath.ToSlash(p))
		info, err := c.ws.Stat(filepath.Join(dir, filepath.FromSlash(p)))
		switch {
		case err == nil && info.IsDir() && isTrue(c.Recursive):
			p = path.Join(workspace.EscapeGlob(p), "**")
		case err == nil && info.IsDir():
			p = path.Join(workspace.EscapeGlob(p), "*")
		case err == nil:
			p = workspace.EscapeGlob(p)
		}
		ps = append(ps, p)
	}
	return ps
}

// matchesAny reports whether one of patterns, which must be valid, matches the
// slash-separated path rel.
func matchesAny(patterns []string, rel string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return doublestar.MatchUnvalidated(p, rel) })
}

// excluded reports whether exclude or the default excludes leave the file rel out.
func (c *readManyCall) excluded(rel string) bool {
	if matchesAny(c.Exclude, rel) {
		return true
	}
	name := path.Base(rel)
	return isTrue(c.DefaultExcludes) && (slices.Contains(excludedExts, strings.ToLower(path.Ext(name))) ||
		slices.Contains(excludedNames, name))
}

// named reports whether a pattern names the file or its extension, which includes it
// even if it is not text. "*.png" names all images of that kind.
func (c *readManyCall) named(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return slices.ContainsFunc(c.Include, func(p string) bool {
		return strings.Contains(strings.ToLower(p), ext) || strings.Contains(p, strings.TrimSuffix(name, filepath.Ext(name)))
	})
}

// manyFiles collects the result.
type manyFiles struct {
	parts   []llm.Part
	size    int
	files   []string // relative to the root
	skipped []string // with the reason
}

// add reads one file; a truncated text begins with read_file's notice.
func (c *readManyCall) add(ctx context.Context, to *manyFiles, abs string) {
	rel := c.ws.Rel(abs)
	skip := func(why string) { to.skipped = append(to.skipped, fmt.Sprintf("%s (%s)", rel, why)) }
	if mime, kind := mediaType(abs); mime != "" && !c.named(filepath.Base(abs)) {
		skip(kind + " file was not asked for by name")
		return
	}
	inv, err := c.read.Prepare(map[string]any{"file_path": abs})
	if err != nil {
		skip(err.Error())
		return
	}
	res, err := inv.Run(ctx)
	if err != nil {
		skip(err.Error())
		return
	}
	if show, ok := res.Display.(string); ok && strings.HasPrefix(show, "Skipped ") {
		skip("binary or too large")
		return
	}
	for _, p := range res.Parts {
		switch p := p.(type) {
		case llm.Text:
			to.size += len(p.Text)
		case llm.Blob:
			to.size += len(p.Data)
		}
	}
	if to.size > maxReadMany {
		skip("the files before it are as much as one call returns")
		return
	}
	to.files = append(to.files, rel)
	if text := llm.PartsText(res.Parts); text != "" || len(res.Parts) == 0 {
		to.parts = append(to.parts, llm.Text{Text: fmt.Sprintf("--- %s ---\n\n%s\n\n", abs, text)})
		return
	}
	to.parts = append(to.parts, res.Parts...)
}

// result puts the files together. At most five skipped ones are named for people.
func (m *manyFiles) result() tools.Result {
	summary := fmt.Sprintf("Read %d file(s)", len(m.files))
	if len(m.skipped) > 0 {
		summary += fmt.Sprintf(", skipped %d: %s", len(m.skipped), strings.Join(m.skipped[:min(5, len(m.skipped))], ", "))
	}
	show := tools.Listing{Summary: summary, Files: append([]string{}, m.files...)}
	if len(m.files) == 0 {
		text := "No files matching the criteria were found or all were skipped."
		if len(m.skipped) > 0 {
			text += "\n" + strings.Join(m.skipped, "\n")
		}
		return tools.TextResult(text, show)
	}
	return tools.Result{Parts: append(m.parts, llm.Text{Text: endOfContent}), Display: show, Truncatable: true}
}

package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"minigem/tools"
	"minigem/tools/workspace"
)

// globSchema has the arguments of Gemini CLI's glob. What a call does not say about
// ignore files is decided by the settings.
const globSchema = `{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "description": "The glob pattern, such as '**/*.go' or 'docs/*.md'."},
    "dir_path": {"type": "string",
      "description": "Directory to search in, absolute or relative to the project's root; default: the workspace."},
    "case_sensitive": {"type": "boolean", "description": "Whether case matters. Default: false."},
    "respect_git_ignore": {"type": "boolean", "description": "Leave out what .gitignore files ignore. Default: true."},
    "respect_gemini_ignore": {"type": "boolean", "description": "Leave out what .geminiignore ignores. Default: true."}
  },
  "required": ["pattern"]
}`

// unsearched are directories that no search enters, in addition to the
// protected ones (core/services/fileDiscoveryService.ts).
var unsearched = []string{"bower_components", ".svn", ".hg"}

// recent is the age up to which a file is listed first.
const recent = 24 * time.Hour

// Glob returns the tool glob (core/tools/glob.ts). now is the clock that decides which
// files are recent: those changed within 24 hours come first, the newest before the
// others, and the rest follows by name. The model gets absolute paths, one a line, which
// may be cut. Links are not listed. Unlike in Gemini CLI no pattern leads out of the
// workspace. Errors: [tools.ErrGlob].
func Glob(ws *workspace.Workspace, ignore workspace.Ignore, now func() time.Time) tools.Tool {
	return tool("glob", globSchema,
		tools.Info{DisplayName: "FindFiles", Kind: tools.KindSearch, Markdown: true},
		globCall{files: files{ws, ignore}, now: now})
}

// globCall is one search. Its pattern is prepared anew for each directory of dirs.
type globCall struct {
	files
	now  func() time.Time
	dirs []string // absolute directories to search
	from string   // the directory that the result names; empty if several were searched

	Pattern       string `json:"pattern"`
	DirPath       string `json:"dir_path"`
	CaseSensitive bool   `json:"case_sensitive"`
	filtering
}

// Complete implements tools.Completer. It refuses an empty or invalid pattern, one that leads
// out of the workspace, and a dir_path that is not an existing directory.
func (c *globCall) Complete(map[string]any) error {
	if strings.TrimSpace(c.Pattern) == "" {
		return invalid("The 'pattern' parameter cannot be empty.")
	}
	if !doublestar.ValidatePattern(filepath.ToSlash(c.Pattern)) {
		return invalid("The 'pattern' parameter is not a valid glob: %s", c.Pattern)
	}
	c.dirs = c.ws.Dirs()
	switch {
	case len(c.dirs) == 1:
		c.from = c.dirs[0]
	case filepath.IsAbs(c.Pattern): // it says itself where to search
		from, _ := doublestar.SplitPattern(path.Clean(filepath.ToSlash(c.Pattern)))
		c.dirs, c.from = c.dirs[:min(1, len(c.dirs))], filepath.FromSlash(from)
	}
	if c.DirPath != "" {
		abs, err := resolve(c.ws, c.DirPath)
		if err != nil {
			return err
		}
		if err := searchable(c.ws, abs); err != nil {
			return err
		}
		c.dirs, c.from = []string{abs}, abs
	}
	for _, dir := range c.dirs {
		if _, err := c.matcher(dir); err != nil {
			return err
		}
	}
	return nil
}

// searchable returns an error if the path to search in is not a directory.
func searchable(ws *workspace.Workspace, abs string) error {
	info, err := ws.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return invalid("Search path does not exist %s", abs)
	case err != nil:
		return invalid("Search path cannot be used: %w", err)
	case !info.IsDir():
		return invalid("Search path is not a directory: %s", abs)
	}
	return nil
}

// Intent implements tools.Invocation. Paths are the directories to search, also if the
// pattern leads elsewhere in the workspace.
func (c *globCall) Intent() tools.Intent {
	in := tools.Intent{Description: fmt.Sprintf("'%s'", c.Pattern), Paths: c.dirs}
	if c.DirPath != "" {
		in.Description += " within " + shortPath(c.ws.Rel(c.from))
	}
	return in
}

// globMatcher matches a pattern against paths below dir.
type globMatcher struct {
	dir   string   // absolute directory to start at
	text  string   // the pattern
	parts []string // its slash-separated components
	exact bool     // the pattern has no wildcards, so it is a file's name
	fold  bool
	// base is not empty if the pattern is "**/" and base, so that names alone can
	// match. suffix is not empty if base is "*" and suffix.
	base, suffix string
}

// matcher prepares the pattern, which may be absolute or contain "..". An absolute
// pattern moves the search to the directory that it names, whatever dir is.
func (c *globCall) matcher(dir string) (globMatcher, error) {
	m := globMatcher{dir: dir, fold: !c.CaseSensitive}
	p := path.Clean(filepath.ToSlash(c.Pattern))
	if filepath.IsAbs(c.Pattern) || p == ".." || strings.HasPrefix(p, "../") {
		if !filepath.IsAbs(c.Pattern) {
			p = path.Join(filepath.ToSlash(dir), p)
		}
		m.dir, p = doublestar.SplitPattern(p)
		if _, err := resolve(c.ws, m.dir); err != nil {
			return m, err
		}
	}
	// A name such as "[id].tsx" is meant literally if there is such a file.
	if info, err := c.ws.Stat(filepath.Join(m.dir, filepath.FromSlash(p))); err == nil && info.Mode().IsRegular() {
		m.exact = true
	}
	if m.fold && !m.exact {
		p = strings.ToLower(p)
	}
	m.text, m.parts = p, strings.Split(p, "/")
	m.shorten()
	return m, nil
}

// shorten detects a pattern that names alone can match, as most are. A pattern
// with a class is not one, because doublestar lets a class match a slash.
func (m *globMatcher) shorten() {
	if m.exact || len(m.parts) != 2 || m.parts[0] != "**" || strings.ContainsAny(m.parts[1], `{}[]\`) ||
		strings.Contains(m.parts[1], "**") {
		return
	}
	m.base = m.parts[1]
	if rest, ok := strings.CutPrefix(m.base, "*"); ok && !strings.ContainsAny(rest, "*?") {
		m.suffix = rest
	}
}

// match reports whether the pattern matches rel, a path relative to the directory
// searched.
func (m *globMatcher) match(rel string) bool {
	if m.exact {
		return rel == m.text
	}
	text := m.text
	if m.base != "" {
		text, rel = m.base, path.Base(rel)
	}
	if m.fold {
		rel = strings.ToLower(rel)
	}
	if m.suffix != "" {
		return strings.HasSuffix(rel, m.suffix)
	}
	return doublestar.MatchUnvalidated(text, rel)
}

// enter reports whether anything in the directory rel can match. It may say yes too
// often, never too seldom.
func (m *globMatcher) enter(rel string) bool {
	if m.base != "" {
		return true
	}
	if m.fold && !m.exact {
		rel = strings.ToLower(rel)
	}
	names := strings.Split(rel, "/")
	for i, name := range names {
		if i >= len(m.parts)-1 {
			return strings.Contains(m.parts[len(m.parts)-1], "**")
		}
		part := m.parts[i]
		switch {
		case m.exact && part != name:
			return false
		case m.exact:
		case strings.ContainsAny(part, "{}") || strings.Contains(part, "**"):
			return true // a brace may contain slashes
		case !doublestar.MatchUnvalidated(part, name):
			return false
		}
	}
	return true
}

// foundFile is a file that a glob found.
type foundFile struct {
	path string // absolute
	time time.Time
}

// Run implements tools.Invocation. Files that cannot be read or were deleted meanwhile
// are left out; how many files were ignored is said in the result.
func (c *globCall) Run(ctx context.Context) (tools.Result, error) {
	var files []foundFile
	ignored := 0
	for _, dir := range c.dirs {
		some, n, err := c.search(ctx, dir)
		if err != nil {
			if ctx.Err() != nil {
				return tools.Result{}, context.Cause(ctx)
			}
			return tools.Result{}, &tools.Error{Type: tools.ErrGlob, Message: "Error during glob search operation: " +
				err.Error(), Err: err}
		}
		files, ignored = append(files, some...), ignored+n
	}
	now := c.now()
	slices.SortFunc(files, func(a, b foundFile) int { return a.compare(b, now) })
	files = slices.CompactFunc(files, func(a, b foundFile) bool { return a.path == b.path })
	return c.result(files, ignored), nil
}

// search searches one directory. A directory that does not exist has no files. ignored
// counts files that match but that an ignore file hides.
func (c *globCall) search(ctx context.Context, dir string) (files []foundFile, ignored int, err error) {
	m, err := c.matcher(dir)
	if err != nil {
		return nil, 0, err
	}
	if _, err := c.ws.Stat(m.dir); errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	var mu sync.Mutex
	how := workspace.Walk{Ignore: c.over(c.ignore), Skip: unsearched, Enter: m.enter,
		Ignored: func(e *workspace.Entry) {
			if m.match(e.Path) {
				mu.Lock()
				defer mu.Unlock()
				ignored++
			}
		}}
	err = c.ws.Walk(ctx, m.dir, how, func(e *workspace.Entry) error {
		if e.Type&fs.ModeSymlink != 0 || !m.match(e.Path) {
			return nil
		}
		changed, err := e.ModTime()
		if err != nil {
			return nil // deleted meanwhile
		}
		mu.Lock()
		defer mu.Unlock()
		files = append(files, foundFile{filepath.Join(m.dir, filepath.FromSlash(e.Path)), changed})
		return nil
	})
	return files, ignored, err
}

// compare puts recent files first, the newest before the others; the rest is sorted by
// name. A file is recent for 24 hours.
func (f foundFile) compare(g foundFile, now time.Time) int {
	fNew, gNew := now.Sub(f.time) < recent, now.Sub(g.time) < recent
	switch {
	case fNew != gNew && fNew:
		return -1
	case fNew != gNew:
		return 1
	case fNew:
		return cmp.Or(g.time.Compare(f.time), collate(f.path, g.path))
	}
	return collate(f.path, g.path)
}

// result lists the files for the model; people only see how many there are.
func (c *globCall) result(files []foundFile, ignored int) tools.Result {
	where := "within " + c.from
	if c.from == "" {
		where = fmt.Sprintf("across %d workspace directories", len(c.dirs))
	}
	if len(files) == 0 {
		text := fmt.Sprintf("No files found matching pattern \"%s\" %s", c.Pattern, where)
		if ignored > 0 {
			text += fmt.Sprintf(" (%d files were ignored)", ignored)
		}
		return tools.TextResult(text, "No files found")
	}
	if ignored > 0 {
		where += fmt.Sprintf(" (%d additional files were ignored)", ignored)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Found %d file(s) matching \"%s\" %s, sorted by modification time (newest first):", len(files),
		c.Pattern, where)
	for _, f := range files {
		b.WriteString("\n" + f.path)
	}
	res := tools.TextResult(b.String(), fmt.Sprintf("Found %d matching file(s)", len(files)))
	res.Truncatable = true
	return res
}

package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"minigem/tools"
	"minigem/tools/workspace"
)

// grepSearchSchema bounds its numbers only from below: a call may ask for more matches
// than the default.
const grepSearchSchema = `{
  "type": "object",
  "properties": {
    "pattern": {"type": "string",
      "description": "The regular expression to look for; see 'fixed_strings' for plain text."},
    "dir_path": {"type": "string",
      "description": "Directory or file, absolute or relative to the project's root; default: the whole workspace."},
    "include_pattern": {"type": "string",
      "description": "Glob of the files to search, such as '*.go' or 'src/**/*.ts'."},
    "exclude_pattern": {"type": "string", "description": "Regular expression; lines that match it are left out."},
    "names_only": {"type": "boolean", "description": "Return only the paths of the files that match."},
    "max_matches_per_file": {"type": "integer", "minimum": 1, "description": "At most this many matches per file."},
    "total_max_matches": {"type": "integer", "minimum": 1,
      "description": "At most this many matches in all. Default: 100."},
    "case_sensitive": {"type": "boolean", "description": "Whether case matters. Default: false."},
    "fixed_strings": {"type": "boolean",
      "description": "The pattern is plain text, not an expression. Default: false."},
    "context": {"type": "integer", "minimum": 0, "description": "Lines to show before and after each match."},
    "after": {"type": "integer", "minimum": 0, "description": "Lines to show after each match."},
    "before": {"type": "integer", "minimum": 0, "description": "Lines to show before each match."},
    "no_ignore": {"type": "boolean", "description": "Search ignored files too. Default: false."}
  },
  "required": ["pattern"]
}`

// Limits of a search (core/utils/constants.ts).
const (
	grepMatches = 100
	grepTimeout = 30 * time.Second
)

// errGrepTimeout is the cause for which a search ends after grepTimeout. The model
// reads it.
var errGrepTimeout = errors.New("searching took longer than 30s; narrow it with dir_path or include_pattern")

// GrepSearch returns the tool grep_search (core/tools/grep.ts). It runs no other program.
// Expressions are Go's; what only JavaScript supports is tried with a backtracking
// engine, for at most a second per line. It returns at most 100 matches unless
// total_max_matches says another number, with lines around them if they are few, and
// lines cut after 2,000 characters. Binary files and links are not searched. The display
// is a [tools.Matches]. A search that takes longer than 30 s is [tools.ErrGrep].
func GrepSearch(ws *workspace.Workspace, ignore workspace.Ignore) tools.Tool {
	return tool("grep_search", grepSearchSchema,
		tools.Info{DisplayName: "SearchText", Kind: tools.KindSearch, Markdown: true,
			Aliases: []string{"search_file_content"}},
		grepCall{files: files{ws, ignore}})
}

// grepCall is one search, with its expressions compiled. Context, After and Before are
// nil if the call does not name them: the number of matches then decides how many lines
// are shown around each.
type grepCall struct {
	files
	lines *linePattern
	dirs  []string // absolute directories to search
	file  string   // the only file to search in that directory; empty means all

	Pattern       string `json:"pattern"`
	DirPath       string `json:"dir_path"`
	Include       string `json:"include_pattern"`
	Exclude       string `json:"exclude_pattern"`
	NamesOnly     bool   `json:"names_only"`
	PerFile       int    `json:"max_matches_per_file"`
	Total         int    `json:"total_max_matches"`
	CaseSensitive bool   `json:"case_sensitive"`
	FixedStrings  bool   `json:"fixed_strings"`
	Context       *int   `json:"context"`
	After         *int   `json:"after"`
	Before        *int   `json:"before"`
	NoIgnore      bool   `json:"no_ignore"`
}

// Complete implements tools.Completer. It compiles the expressions and refuses those that
// neither engine takes, an invalid include_pattern, and a dir_path that does not exist.
// dir_path may be a file.
func (c *grepCall) Complete(map[string]any) error {
	c.Total = cmp.Or(c.Total, grepMatches)
	var err error
	c.lines, err = compileLines(c.Pattern, c.Exclude, c.FixedStrings, c.CaseSensitive)
	if err != nil {
		return invalid("Invalid regular expression pattern provided: %s. Error: %w",
			c.Pattern, err)
	}
	if !doublestar.ValidatePattern(c.Include) {
		return invalid("The 'include_pattern' parameter is not a valid glob: %s", c.Include)
	}
	return c.locate()
}

// locate finds the directories to search.
func (c *grepCall) locate() error {
	c.dirs = c.ws.Dirs()
	if c.DirPath == "" {
		return nil
	}
	abs, err := resolve(c.ws, c.DirPath)
	if err != nil {
		return err
	}
	info, err := c.ws.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return invalid("Path does not exist: %s", abs)
	case err != nil:
		return invalid("Path cannot be searched: %w", err)
	case !info.IsDir():
		c.dirs, c.file = []string{filepath.Dir(abs)}, filepath.Base(abs)
	default:
		c.dirs = []string{abs}
	}
	return nil
}

// Intent implements tools.Invocation. People read the pattern, the files and, if the
// call names one, the directory.
func (c *grepCall) Intent() tools.Intent {
	text := fmt.Sprintf("'%s'", c.Pattern)
	if c.Include != "" {
		text += " in " + c.Include
	}
	switch {
	case c.DirPath != "":
		where := c.ws.Rel(filepath.Join(c.dirs[0], c.file))
		if where == "." {
			where = "./"
		}
		text += " within " + shortPath(where)
	case len(c.dirs) > 1:
		text += " across all workspace directories"
	}
	return tools.Intent{Description: text, Paths: c.dirs}
}

// Run implements tools.Invocation. Matches come in the order of paths and lines, whatever
// order the files were searched in.
func (c *grepCall) Run(ctx context.Context) (tools.Result, error) {
	within, cancel := context.WithTimeoutCause(ctx, grepTimeout, errGrepTimeout)
	defer cancel()
	var found grepFound
	for _, dir := range c.dirs {
		if err := c.search(within, dir, &found); err != nil {
			if ctx.Err() != nil {
				return tools.Result{}, context.Cause(ctx)
			}
			return tools.Result{}, &tools.Error{Type: tools.ErrGrep, Message: "Error during grep search operation: " +
				err.Error(), Display: "Error: " + err.Error(), Err: err}
		}
	}
	if c.NamesOnly {
		return c.names(found), nil
	}
	return c.matches(within, found), nil
}

// grepFound is the result of a search over several directories.
type grepFound struct {
	files []grepFile
	count int // number of matches, or of files with NamesOnly
	more  bool
}

// grepFile is a file with matches.
type grepFile struct {
	fileHits
	shown string // the name that the model gets
	abs   string
}

// search adds the matches in dir. Once as many matches as the call wants are found,
// further directories are not searched, and the result says that there may be more.
func (c *grepCall) search(ctx context.Context, dir string, found *grepFound) error {
	left := c.Total - found.count
	if left == 0 {
		// One more match would only show that there are more.
		found.more = true
		return nil
	}
	s := &textSearch{pattern: c.lines, perFile: c.PerFile, limit: left, wanted: c.wanted}
	if c.NamesOnly {
		s.perFile = 1
	}
	ig := c.ignore
	if c.NoIgnore {
		ig = workspace.Ignore{}
	}
	files, more, err := s.run(ctx, c.ws, dir, workspace.Walk{Ignore: ig, Skip: unsearched})
	for _, f := range files {
		shown := f.path
		if len(c.dirs) > 1 {
			shown = filepath.Base(dir) + "/" + f.path
		}
		found.files = append(found.files, grepFile{f, shown, filepath.Join(dir, filepath.FromSlash(f.path))})
		found.count += len(f.hits)
	}
	found.more = found.more || more
	return err
}

// wanted matches the path of a file against include_pattern, like ripgrep: a
// pattern without a slash matches names, a leading ! negates it.
func (c *grepCall) wanted(rel string) bool {
	if c.file != "" {
		return rel == c.file
	}
	if c.Include == "" {
		return true
	}
	p, not := strings.CutPrefix(c.Include, "!")
	if !strings.Contains(p, "/") {
		rel = path.Base(rel)
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(p, "/"), rel) != not
}

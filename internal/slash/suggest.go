package slash

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/sahilm/fuzzy"

	"minigem/internal/text"
	"minigem/tools/workspace"
)

// Suggestion is a possible completion of a line.
type Suggestion struct {
	Text  string // replaces the end of the line
	Label string
	Help  string
}

// Suggest returns completions of the command at the end of line, best first, and how
// many characters at the end they replace.
func (t Table[C]) Suggest(line string, with func(args string) C) (all []Suggestion, replaced int) {
	rest, ok := strings.CutPrefix(line, "/")
	if !ok {
		return nil, 0
	}
	for said := "/"; ; {
		word, args, more := strings.Cut(rest, " ")
		if !more {
			return t.suggestions(said, word), len([]rune(word))
		}
		c := t.named(word)
		if c == nil {
			return nil, 0
		}
		if len(c.Sub) == 0 {
			return c.valuesLike(args, with), len([]rune(args))
		}
		rest, t, said = strings.TrimLeft(args, " "), c.Sub, ""
		if c.Values != nil && !strings.Contains(rest, " ") {
			return append(t.suggestions(said, rest), c.valuesLike(rest, with)...), len([]rune(rest))
		}
	}
}

func (t Table[C]) suggestions(before, word string) (out []Suggestion) {
	t = t.shown()
	names := make([][]string, len(t))
	for i, c := range t {
		names[i] = append([]string{c.Name}, c.Aliases...)
	}
	for _, i := range like(word, names) {
		c := t[i]
		out = append(out, Suggestion{Text: c.Name + " ", Label: before + c.usage(), Help: c.Help})
	}
	return out
}

func (c Command[C]) valuesLike(args string, with func(string) C) (out []Suggestion) {
	if c.Values == nil {
		return nil
	}
	values := c.Values(with(args))
	names := make([][]string, len(values))
	for i, v := range values {
		names[i] = []string{v}
	}
	for _, i := range like(args, names) {
		out = append(out, Suggestion{Text: values[i], Label: values[i]})
	}
	return out
}

// like returns the indices of the names that match word, best first: those that begin
// with it, those with an alias that does, and those that contain its letters in order.
func like(word string, names [][]string) []int {
	word = strings.ToLower(word)
	rank := func(all []string) (int, bool) {
		for i, name := range all {
			if strings.HasPrefix(strings.ToLower(name), word) {
				return min(i, 1), true
			}
		}
		for _, m := range fuzzy.Find(word, all) {
			return 1000 - m.Score, len(word) > 1
		}
		return 0, false
	}
	var out []int
	ranks := map[int]int{}
	for i, all := range names {
		if r, ok := rank(all); ok {
			out, ranks[i] = append(out, i), r
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return ranks[a] - ranks[b] })
	return out
}

// FileIndex indexes the files of a workspace for suggestions. The zero FileIndex is
// ready to use. Its methods may be called concurrently.
type FileIndex struct {
	ByName bool // sort by name only, not by modification time

	mu    sync.Mutex
	built time.Time
	files []indexed
}

type indexed struct {
	path    string // folders end with a slash
	changed time.Time
	hidden  bool
}

const (
	// mostFiles is the maximum number of files in an index.
	mostFiles = 20_000

	// mostSuggested is the maximum number of suggestions.
	mostSuggested = 100

	// freshFor is how long an index is reused.
	freshFor = 2 * time.Second
)

// Suggest returns the files and folders that the "@" at the end of line may refer to:
// files first, and the most recently changed before others.
func (x *FileIndex) Suggest(ctx context.Context, f Files, line string) (all []Suggestion, replaced int) {
	word, ok := wordAfterAt(line)
	if !ok {
		return nil, 0
	}
	query := strings.ReplaceAll(word, `\ `, " ")
	for _, path := range x.find(x.of(ctx, f), query) {
		end := " "
		if strings.HasSuffix(path, "/") {
			end = ""
		}
		all = append(all, Suggestion{Text: strings.ReplaceAll(path, " ", `\ `) + end, Label: path})
	}
	return all, len([]rune(word))
}

// wordAfterAt returns the text after the last "@" of line, if that "@" begins a name.
func wordAfterAt(line string) (word string, ok bool) {
	at := strings.LastIndexByte(line, '@')
	if at < 0 {
		return "", false
	}
	before := []rune(line[:at])
	if len(before) > 0 && !unicode.IsSpace(before[len(before)-1]) &&
		!strings.ContainsRune(`"'([{<,;`, before[len(before)-1]) {
		return "", false
	}
	word = line[at+1:]
	return word, !strings.ContainsFunc(strings.ReplaceAll(word, `\ `, ""), unicode.IsSpace)
}

// of returns the contents of the workspace, newest first.
func (x *FileIndex) of(ctx context.Context, f Files) []indexed {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.files != nil && time.Since(x.built) < freshFor {
		return x.files
	}
	found := walked(ctx, f)
	if ctx.Err() != nil {
		return nil
	}
	slices.SortFunc(found, func(a, b indexed) int {
		isDir := func(e indexed) bool { return strings.HasSuffix(e.path, "/") }
		switch {
		case isDir(a) != isDir(b) && isDir(b):
			return -1
		case isDir(a) != isDir(b):
			return 1
		case !x.ByName && !a.changed.Equal(b.changed):
			return b.changed.Compare(a.changed)
		}
		return strings.Compare(a.path, b.path)
	})
	x.files, x.built = found, time.Now()
	return found
}

func walked(ctx context.Context, f Files) []indexed {
	if len(f.Workspace.Dirs()) == 0 {
		return nil
	}
	dir := f.Workspace.Dirs()[0]
	var mu sync.Mutex
	found := []indexed{}
	dirs := map[string]time.Time{}
	// A workspace that cannot be searched has no such file.
	_ = f.Workspace.Walk(ctx, dir, workspace.Walk{Ignore: f.Ignore}, func(e *workspace.Entry) error {
		if !e.Type.IsRegular() || text.VisibleLine(e.Path) != e.Path {
			return nil
		}
		var changed time.Time
		if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(e.Path))); err == nil {
			changed = info.ModTime()
		}
		mu.Lock()
		defer mu.Unlock()
		if len(found) >= mostFiles {
			return nil
		}
		found = append(found, indexed{e.Path, changed, isHidden(e.Path)})
		for i, r := range e.Path {
			if r == '/' && changed.After(dirs[e.Path[:i+1]]) {
				dirs[e.Path[:i+1]] = changed
			}
		}
		return nil
	})
	for path, changed := range dirs {
		found = append(found, indexed{path, changed, isHidden(path)})
	}
	return found
}

func isHidden(path string) bool { return strings.HasPrefix(path, ".") || strings.Contains(path, "/.") }

// find returns the paths that match query: those that begin with it or whose last
// element does, then those that contain it, then those that contain its letters in
// order.
func (x *FileIndex) find(files []indexed, query string) []string {
	low := strings.ToLower(query)
	var begin, have []string
	var rest []string
	for _, e := range files {
		if e.hidden && !strings.Contains(query, ".") {
			continue
		}
		path := strings.ToLower(e.path)
		last := path[strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/')+1:]
		switch {
		case path == low:
		case strings.HasPrefix(last, low), strings.HasPrefix(path, low):
			begin = append(begin, e.path)
		case strings.Contains(path, low):
			have = append(have, e.path)
		default:
			rest = append(rest, e.path)
		}
	}
	out := append(begin, have...)
	if len(out) < mostSuggested && len(query) > 1 {
		for _, m := range fuzzy.Find(query, rest) {
			out = append(out, m.Str)
		}
	}
	return out[:min(len(out), mostSuggested)]
}

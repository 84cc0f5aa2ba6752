package builtin

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"

	"minigem/tools"
)

// How many lines to show around matches by default: many around a single one,
// fewer around two or three, none around more (core/tools/grep.ts).
const (
	aroundOne = 50
	aroundFew = 15
	few       = 3
)

// where describes what was searched.
func (c *grepCall) where() string {
	var text string
	switch {
	case c.DirPath != "":
		text = fmt.Sprintf(`in path "%s"`, c.DirPath)
	case len(c.dirs) > 1:
		text = fmt.Sprintf("across %d workspace directories", len(c.dirs))
	default:
		text = "in the workspace directory"
	}
	if c.Include != "" {
		text += fmt.Sprintf(` (filter: "%s")`, c.Include)
	}
	return text
}

// limited says that there are more matches.
func (c *grepCall) limited(found grepFound) (text, display string) {
	if !found.more {
		return "", ""
	}
	return fmt.Sprintf(" (results limited to %d matches for performance)", c.Total), " (limited)"
}

// nothing returns the result of a search without matches, which is no error.
func (c *grepCall) nothing() tools.Result {
	text := fmt.Sprintf(`No matches found for pattern "%s" %s.`, c.Pattern, c.where())
	return tools.TextResult(text, tools.Matches{Summary: "No matches found", Matches: []tools.Match{}})
}

// names formats the result for names_only.
func (c *grepCall) names(found grepFound) tools.Result {
	if found.count == 0 {
		return c.nothing()
	}
	limited, mark := c.limited(found)
	var b strings.Builder
	fmt.Fprintf(&b, `Found %d files with matches for pattern "%s" %s%s:`, found.count, c.Pattern, c.where(), limited)
	for _, f := range found.files {
		b.WriteString("\n" + f.shown)
	}
	res := tools.TextResult(b.String(), tools.Matches{Summary: fmt.Sprintf("Found %d files%s", found.count, mark),
		Matches: []tools.Match{}})
	res.Truncatable = true
	return res
}

// matches formats the lines of the result. People get the matches as a list.
func (c *grepCall) matches(ctx context.Context, found grepFound) tools.Result {
	if found.count == 0 {
		return c.nothing()
	}
	limited, mark := c.limited(found)
	noun := "matches"
	if found.count == 1 {
		noun = "match"
	}
	show := tools.Matches{Summary: fmt.Sprintf("Found %d %s%s", found.count, noun, mark),
		Matches: make([]tools.Match, 0, found.count)}
	before, after := c.around(found.count)
	var b strings.Builder
	b.Grow(found.size())
	fmt.Fprintf(&b, "Found %d %s for pattern \"%s\" %s%s:\n---\n", found.count, noun, c.Pattern, c.where(), limited)
	for _, f := range found.files {
		b.WriteString("File: " + f.shown + "\n")
		c.writeLines(ctx, &b, f, before, after)
		b.WriteString("---\n")
		for _, h := range f.hits {
			show.Matches = append(show.Matches, tools.Match{FilePath: f.shown, AbsolutePath: f.abs, LineNumber: h.number,
				Line: h.text})
		}
	}
	res := tools.TextResult(strings.TrimSuffix(b.String(), "\n"), show)
	res.Truncatable = true
	return res
}

// around returns how many lines to show before and after each match. What the call says
// counts, also a 0. before and after go before context.
func (c *grepCall) around(count int) (before, after int) {
	if c.Context == nil && c.Before == nil && c.After == nil {
		switch {
		case count == 1:
			return aroundOne, aroundOne
		case count <= few:
			return aroundFew, aroundFew
		}
		return 0, 0
	}
	if c.Context != nil {
		before, after = *c.Context, *c.Context
	}
	if c.Before != nil {
		before = *c.Before
	}
	if c.After != nil {
		after = *c.After
	}
	return before, after
}

// size estimates the length of the matches as text.
func (found grepFound) size() int {
	const beside = 12 // "L12345: " and the like
	n := 256
	for _, f := range found.files {
		n += len(f.shown) + beside
		for _, h := range f.hits {
			n += len(h.text) + beside
		}
	}
	return n
}

// writeLines writes a file's matches and the lines around them, which are read
// from the file again. If that fails, or the file changed meanwhile, only the
// matches are written.
func (c *grepCall) writeLines(ctx context.Context, b *strings.Builder, f grepFile, before, after int) {
	var around []lineHit
	if before > 0 || after > 0 {
		around = c.read(ctx, f, before, after)
	}
	hits := f.hits
	for _, l := range around {
		for len(hits) > 0 && hits[0].number < l.number {
			hits[0].write(b, ": ")
			hits = hits[1:]
		}
		if len(hits) == 0 || hits[0].number > l.number {
			l.write(b, "- ")
		}
	}
	for _, h := range hits {
		h.write(b, ": ")
	}
}

// write writes a line of the result, such as "L12: func main() {".
func (h lineHit) write(b *strings.Builder, mark string) {
	var number [20]byte
	b.WriteByte('L')
	b.Write(strconv.AppendInt(number[:0], int64(h.number), 10))
	b.WriteString(mark)
	b.WriteString(h.text)
	b.WriteByte('\n')
}

// read returns the lines of a file that are at most before and after lines away
// from a match. The empty string after a final newline counts as a line, as in
// Gemini CLI.
func (c *grepCall) read(ctx context.Context, f grepFile, before, after int) []lineHit {
	file, err := c.ws.Open(f.abs)
	if err != nil {
		return nil
	}
	defer file.Close()
	var lines []lineHit
	br := bufio.NewReader(file)
	hits := f.hits
	for n, more := 1, true; more; n++ {
		for len(hits) > 0 && hits[0].number+after < n {
			hits = hits[1:]
		}
		if len(hits) == 0 {
			break
		}
		wanted := hits[0].number-before <= n
		var line []byte
		if line, more, err = nextLine(ctx, br, wanted); err != nil {
			break
		}
		if wanted {
			lines = append(lines, lineHit{n, cutLine(line)})
		}
	}
	return lines
}

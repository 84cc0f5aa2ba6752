package builtin

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/aymanbagabas/go-udiff"
)

const (
	// diffContext is how many unchanged lines are displayed before and after a change.
	diffContext = 3
	// mostDiffLines is how many lines are compared one by one: of more, what
	// lies between the first and the last change is one change.
	mostDiffLines = 1_000_000
	// mostDiffText is how much of a difference is displayed.
	mostDiffText = 1 << 20
)

// change is the difference of two texts.
type change struct {
	oldText, newText string
	hunks            []hunk
}

// hunk is a part of a change, with the lines around it.
type hunk struct {
	from, to int // its first line in the old and in the new text, from 1
	runs     []run
}

// run is lines of one kind. They are not taken apart: of a file of empty lines,
// a slice of them takes many times the memory.
type run struct {
	kind  udiff.OpKind
	text  string
	lines int
}

// add appends lines of one kind; the empty text adds nothing.
func (h *hunk) add(kind udiff.OpKind, text string) {
	if text != "" {
		h.runs = append(h.runs, run{kind, text, countLines(text)})
	}
}

// sizes returns a hunk's number of lines in the old and in the new text.
func (h *hunk) sizes() (before, after int) {
	for _, r := range h.runs {
		if r.kind != udiff.Insert {
			before += r.lines
		}
		if r.kind != udiff.Delete {
			after += r.lines
		}
	}
	return before, after
}

// diff compares two texts line by line, after it has left out the lines with which both
// begin and end.
func diff(oldText, newText string) change {
	prefix, suffix := common(oldText, newText)
	before, after := oldText[prefix:len(oldText)-suffix], newText[prefix:len(newText)-suffix]
	edits := []udiff.Edit{{End: len(before), New: after}}
	if before == after {
		edits = nil
	} else if countLines(before)+countLines(after) <= mostDiffLines {
		edits = udiff.Lines(before, after)
	}
	for i := range edits {
		edits[i].Start += prefix
		edits[i].End += prefix
	}
	return change{oldText: oldText, newText: newText, hunks: hunksOf(oldText, edits)}
}

// common returns the lengths of the lines with which both texts begin, and of
// those with which both end.
func common(a, b string) (prefix, suffix int) {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	if i == len(a) && i == len(b) {
		return i, 0
	}
	prefix = strings.LastIndexByte(a[:i], '\n') + 1
	a, b = a[prefix:], b[prefix:]
	j := 0
	for j < min(len(a), len(b)) && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	starts := func(text string) bool { return j == len(text) || text[len(text)-j-1] == '\n' }
	if starts(a) && starts(b) {
		return prefix, j
	}
	next := strings.IndexByte(a[len(a)-j:], '\n') + 1
	if next == 0 {
		return prefix, 0
	}
	return prefix, j - next
}

// hunksOf returns what edits change, with the lines around them; edits that are
// close to each other are in one hunk.
func hunksOf(text string, edits []udiff.Edit) []hunk {
	var hs []hunk
	at, from, to := 0, 1, 1 // up to there, text is done
	for _, e := range edits {
		gap := text[at:e.Start]
		n := countLines(gap)
		if last := len(hs) - 1; last < 0 || n > 2*diffContext {
			if last >= 0 {
				hs[last].add(udiff.Equal, firstLines(gap, diffContext))
			}
			around := lastLines(gap, diffContext)
			hs = append(hs, hunk{from: from + n - countLines(around), to: to + n - countLines(around)})
			gap = around
		}
		h := &hs[len(hs)-1]
		h.add(udiff.Equal, gap)
		h.add(udiff.Delete, text[e.Start:e.End])
		h.add(udiff.Insert, e.New)
		at, from, to = e.End, from+n+countLines(text[e.Start:e.End]), to+n+countLines(e.New)
	}
	if len(hs) > 0 {
		hs[len(hs)-1].add(udiff.Equal, firstLines(text[at:], diffContext))
	}
	return hs
}

// countLines counts lines; one without a newline at the end counts too.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// firstLines returns the first n lines of text, or all.
func firstLines(text string, n int) string {
	end := 0
	for range n {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text
		}
		end += i + 1
	}
	return text[:end]
}

// lastLines returns the last n lines of text, or all.
func lastLines(text string, n int) string {
	begin := len(strings.TrimSuffix(text, "\n"))
	for range n {
		if begin = strings.LastIndexByte(text[:begin], '\n'); begin < 0 {
			return text
		}
	}
	return text[begin+1:]
}

// unified formats c as Gemini CLI displays it: always with counts, below a line
// that names the file. What is beyond mostDiffText is counted.
func (c change) unified(name, oldLabel, newLabel string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Index: %s\n%s\n--- %s\t%s\n+++ %s\t%s\n", name, strings.Repeat("=", 67), name, oldLabel, name,
		newLabel)
	left := 0
	for _, h := range c.hunks {
		if left == 0 {
			before, after := h.sizes()
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", start(h.from, before), before, start(h.to, after), after)
		}
		for _, r := range h.runs {
			left += r.unified(&b)
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "\\ %d more lines of this difference are not displayed\n", left)
	}
	return b.String()
}

// unified appends the lines of r to b until it is full, and returns the number of lines
// left out.
func (r run) unified(b *strings.Builder) (left int) {
	kind := map[udiff.OpKind]byte{udiff.Delete: '-', udiff.Insert: '+', udiff.Equal: ' '}[r.kind]
	for text := r.text; text != ""; {
		line := firstLines(text, 1)
		if b.Len()+len(line) > mostDiffText {
			return countLines(text)
		}
		text = text[len(line):]
		b.WriteByte(kind)
		b.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
	return 0
}

// start returns the line at which a hunk begins; an empty side is placed at the
// line before it.
func start(line, count int) int {
	if count == 0 {
		return line - 1
	}
	return line
}

// stat counts lines and characters (UTF-16 units, like Gemini CLI; no
// newlines).
func (c change) stat() (added, removed, addedChars, removedChars int) {
	for _, h := range c.hunks {
		for _, r := range h.runs {
			switch r.kind {
			case udiff.Insert:
				added, addedChars = added+r.lines, addedChars+utf16Len(r.text)
			case udiff.Delete:
				removed, removedChars = removed+r.lines, removedChars+utf16Len(r.text)
			}
		}
	}
	return added, removed, addedChars, removedChars
}

// utf16Len returns the length of text in UTF-16 units, without newlines.
func utf16Len(text string) int {
	n := -strings.Count(text, "\n")
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// snippetContext is how many lines around a change the model gets.
const snippetContext = 5

// snippet returns the new text around the changes: windows joined by "...". If
// nothing changed it returns the whole text.
func (c change) snippet() string {
	if len(c.hunks) == 0 {
		return c.newText
	}
	var b strings.Builder
	lines := strings.Count(c.newText, "\n") + 1
	rest, end := c.newText, 0 // lines[:end] are written, or left out
	take := func(n int) string {
		text := firstLines(rest, n)
		rest, end = rest[len(text):], end+n
		return text
	}
	for _, w := range c.windows() {
		from, to := max(w[0]-1, end), min(w[1], lines)
		if from >= to {
			continue
		}
		if from > end {
			b.WriteString("...\n")
			take(from - end)
		}
		b.WriteString(take(to - from))
	}
	if end < lines {
		b.WriteString("...")
	}
	return b.String()
}

// windows returns the first and last lines of the parts to show, in order; they
// may overlap.
func (c change) windows() [][2]int {
	var ws [][2]int
	for _, h := range c.hunks {
		at := h.to // number of the next line in the new text
		for _, r := range h.runs {
			switch r.kind {
			case udiff.Insert:
				ws = append(ws, [2]int{at - snippetContext, at + r.lines - 1 + snippetContext})
				at += r.lines
			case udiff.Delete: // the new text has no line here
				ws = append(ws, [2]int{at - snippetContext, at + snippetContext - 1})
			default:
				at += r.lines
			}
		}
	}
	return ws
}

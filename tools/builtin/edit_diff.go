package builtin

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/aymanbagabas/go-udiff"
)

const diffContext = 3

// change is the difference of two texts.
type change struct {
	oldText, newText string
	hunks            []*udiff.Hunk
}

func diff(oldText, newText string) change {
	c := change{oldText: oldText, newText: newText}
	u, err := udiff.ToUnifiedDiff("", "", oldText, udiff.Lines(oldText, newText), diffContext)
	if err == nil { // edits that Lines made are always consistent
		c.hunks = u.Hunks
	}
	// The library ignores the lines between the edits of one hunk when it
	// computes where the next hunk lands (go-udiff 0.4.1).
	moved := 0
	for _, h := range c.hunks {
		h.ToLine = h.FromLine + moved
		before, after := sizes(h)
		moved += after - before
	}
	return c
}

// sizes returns a hunk's number of lines in the old and in the new text.
func sizes(h *udiff.Hunk) (before, after int) {
	for _, l := range h.Lines {
		if l.Kind != udiff.Insert {
			before++
		}
		if l.Kind != udiff.Delete {
			after++
		}
	}
	return before, after
}

// unified formats c as Gemini CLI displays it: always with counts, below a line
// that names the file.
func (c change) unified(name, oldLabel, newLabel string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Index: %s\n%s\n--- %s\t%s\n+++ %s\t%s\n", name, strings.Repeat("=", 67), name, oldLabel, name, newLabel)
	for _, h := range c.hunks {
		before, after := sizes(h)
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", start(h.FromLine, before), before, start(h.ToLine, after), after)
		for _, l := range h.Lines {
			b.WriteByte(map[udiff.OpKind]byte{udiff.Delete: '-', udiff.Insert: '+', udiff.Equal: ' '}[l.Kind])
			b.WriteString(l.Content)
			if !strings.HasSuffix(l.Content, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return b.String()
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
		for _, l := range h.Lines {
			n := len(utf16.Encode([]rune(strings.TrimSuffix(l.Content, "\n"))))
			switch l.Kind {
			case udiff.Insert:
				added, addedChars = added+1, addedChars+n
			case udiff.Delete:
				removed, removedChars = removed+1, removedChars+n
			}
		}
	}
	return added, removed, addedChars, removedChars
}

// snippetContext is how many lines around a change the model gets.
const snippetContext = 5

// snippet returns the new text around the changes: windows joined by "...". If
// nothing changed it returns the whole text.
func (c change) snippet() string {
	lines := strings.Split(c.newText, "\n")
	var shown []string
	end := 0 // lines[:end] are written
	for _, w := range c.windows() {
		from, to := max(w[0]-1, end), min(w[1], len(lines))
		if from >= to {
			continue
		}
		if from > end {
			shown = append(shown, "...")
		}
		shown = append(shown, lines[from:to]...)
		end = to
	}
	if len(c.hunks) == 0 {
		return c.newText
	}
	if end < len(lines) {
		shown = append(shown, "...")
	}
	return strings.Join(shown, "\n")
}

// windows returns the first and last lines of the parts to show, in order; they
// may overlap.
func (c change) windows() [][2]int {
	var ws [][2]int
	for _, h := range c.hunks {
		at := h.ToLine // number of the next line in the new text
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				ws = append(ws, [2]int{at - snippetContext, at + snippetContext})
				at++
			case udiff.Delete: // the new text has no line here
				ws = append(ws, [2]int{at - snippetContext, at + snippetContext - 1})
			default:
				at++
			}
		}
	}
	return ws
}

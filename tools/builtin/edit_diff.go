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
	if err == nil { // edits that Lines made are never inconsistent
		c.hunks = u.Hunks
	}
	// The library forgets the lines between the edits of one hunk when it counts
	// where the next one lands (go-udiff 0.4.1).
	moved := 0
	for _, h := range c.hunks {
		h.ToLine = h.FromLine + moved
		before, after := sizes(h)
		moved += after - before
	}
	return c
}

// sizes are the lines of a hunk in the old and in the new text.
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

// unified renders c in the format of upstream's displays: always with counts,
// below a line that names the file.
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

// start is where a hunk begins; an empty side stands after the line before it.
func start(line, count int) int {
	if count == 0 {
		return line - 1
	}
	return line
}

// stat counts lines and characters (UTF-16 units, as upstream; no newlines).
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

// snippetContext is how many lines around a change are shown to the model.
const snippetContext = 5

// snippet shows the new text around the changes: windows joined by "...". The
// whole text where nothing changed.
func (c change) snippet() string {
	lines := strings.Split(c.newText, "\n")
	var shown []string
	end := 0 // lines[:end] are done with
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

// windows are the first and last lines of the new text to be shown, in order
// but maybe overlapping.
func (c change) windows() [][2]int {
	var ws [][2]int
	for _, h := range c.hunks {
		at := h.ToLine // of the next line of the new text
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				ws = append(ws, [2]int{at - snippetContext, at + snippetContext})
				at++
			case udiff.Delete: // nothing stands there any more
				ws = append(ws, [2]int{at - snippetContext, at + snippetContext - 1})
			default:
				at++
			}
		}
	}
	return ws
}

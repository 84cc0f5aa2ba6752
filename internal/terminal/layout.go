package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// draft is the text that the user is writing, as shown: a mark, the text in as many
// rows as it takes, and the cursor.
type draft struct {
	mark, more string // before the first line, and before the others; more is as wide as plain text
	line       string
	cursor     int    // offset of the cursor in line, in bytes
	hint       string // shown in an empty line
	below      []string
	label      func(mark rune) string // labels of pastes
}

// frame breaks the draft into rows of the window's width.
func (d draft) frame(width, _ int) frame {
	f := frame{flat: d.mark + d.text()}
	marks := wrapRows(d.mark, width)
	f.rows = marks[:len(marks)-1]
	row := marks[len(marks)-1]
	used := ansi.StringWidth(row)
	placed := false
	next := func(begin string) {
		f.rows = append(f.rows, row)
		row, used = begin, ansi.StringWidth(begin)
	}
	for i := 0; ; {
		if i >= d.cursor && !placed {
			f.row, f.col, placed = len(f.rows), used, true
		}
		if i >= len(d.line) {
			break
		}
		piece, n, w := d.piece(i)
		i += n
		if piece == "\n" {
			next(d.more)
			continue
		}
		if used+w >= width && used > 0 {
			next("")
			if i-n == d.cursor {
				f.row, f.col = len(f.rows), 0
			}
		}
		row, used = row+piece, used+w
	}
	if d.line == "" {
		row += d.hint
	}
	f.rows = append(append(f.rows, row), d.below...)
	return f
}

// piece returns what is shown for the text at i, how many bytes of the line that is,
// and how many columns it takes.
func (d draft) piece(i int) (shown string, bytes, columns int) {
	cluster, columns := ansi.FirstGraphemeCluster(d.line[i:], ansi.GraphemeWidth)
	for at, r := range cluster {
		switch {
		case !private(r):
			continue
		case at > 0:
			cluster = cluster[:at] // it starts another piece
			return cluster, at, ansi.StringWidth(cluster)
		case r == newlineMark:
			return "\n", len(string(r)), 0
		case r >= firstPaste && d.label != nil:
			label := d.label(r)
			return label, len(string(r)), ansi.StringWidth(label)
		}
		return "", len(string(r)), 0
	}
	return cluster, len(cluster), columns
}

// text returns the draft as it remains on the screen once sent.
func (d draft) text() string {
	var b strings.Builder
	for i := 0; i < len(d.line); {
		piece, n, _ := d.piece(i)
		i += n
		if piece == "\n" {
			piece = "\n" + d.more
		}
		b.WriteString(piece)
	}
	return b.String()
}

// wrapRows breaks a line of our own text into rows.
func wrapRows(line string, width int) []string {
	return strings.Split(ansi.Wrap(line, max(width-1, 1), ""), "\n")
}

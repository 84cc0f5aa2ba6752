package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	extast "github.com/yuin/goldmark/extension/ast"
)

// narrowest is the minimum width of a column whose cells are broken into lines.
const narrowest = 12

// table aligns the cells and wraps those that do not fit. If the columns would be too
// narrow to read, each row becomes a block.
func (r *renderer) table(t *extast.Table, width int) string {
	rows, natural := r.cells(t)
	widths := fit(natural, width-3*(len(natural)-1))
	if widths == nil {
		return r.records(rows, width)
	}
	line := strings.Repeat("─", 3*(len(widths)-1)+sum(widths))
	between := sum(widths) < sum(natural) // rows of several lines need a rule between them
	var out []string
	for i, cells := range rows {
		if i == 1 || i > 1 && between {
			out = append(out, r.dim(line))
		}
		out = append(out, r.row(cells, widths)...)
	}
	return strings.Join(out, "\n")
}

// cells returns the rendered cells, the heading first, and the natural width of each
// column.
func (r *renderer) cells(t *extast.Table) (rows [][]string, widths []int) {
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cell := r.inlines(c)
			if len(rows) == 0 {
				cell = r.bold(cell)
			}
			if len(widths) == len(cells) {
				widths = append(widths, 0)
			}
			widths[len(cells)] = max(widths[len(cells)], ansi.StringWidth(cell))
			cells = append(cells, cell)
		}
		rows = append(rows, cells)
	}
	return rows, widths
}

// row returns the lines of a row.
func (r *renderer) row(cells []string, widths []int) []string {
	var lines [][]string
	for j, cell := range cells {
		for i, part := range r.broken(cell, widths[j]) {
			if i == len(lines) {
				lines = append(lines, make([]string, len(widths)))
			}
			lines[i][j] = part
		}
	}
	out := make([]string, len(lines))
	for i, parts := range lines {
		for j, part := range parts {
			parts[j] = part + strings.Repeat(" ", max(widths[j]-ansi.StringWidth(part), 0))
		}
		out[i] = strings.TrimRight(strings.Join(parts, r.dim(" │ ")), " ")
	}
	return out
}

// records returns a block for each row: each column's name followed by the cell.
func (r *renderer) records(rows [][]string, width int) string {
	head := rows[0]
	var blocks []string
	for _, cells := range rows[1:] {
		var lines []string
		for j, cell := range cells {
			if j < len(head) {
				cell = head[j] + ": " + cell
			}
			lines = append(lines, strings.Join(r.broken(cell, width-2), "\n  "))
		}
		blocks = append(blocks, strings.Join(lines, "\n"))
	}
	if len(blocks) == 0 {
		return strings.Join(head, ", ")
	}
	return strings.Join(blocks, "\n\n")
}

// fit divides room among columns. Narrow ones get what they need and the others share
// the rest. It returns nil if the columns would be too narrow.
func fit(natural []int, room int) []int {
	if sum(natural) <= room {
		return natural
	}
	widths := make([]int, len(natural))
	left, open := room, len(natural)
	for changed := true; changed; {
		changed = false
		for i, w := range natural {
			if widths[i] == 0 && w <= left/open {
				widths[i], left, open, changed = max(w, 1), left-w, open-1, true
			}
		}
	}
	for i := range widths {
		if widths[i] > 0 {
			continue
		}
		if left/open < narrowest {
			return nil
		}
		widths[i] = left / open
		left, open = left-widths[i], open-1
	}
	return widths
}

func sum(numbers []int) (all int) {
	for _, n := range numbers {
		all += n
	}
	return all
}

// broken wraps a styled text into lines of at most width columns. Each line opens and
// closes its own styles, so that text next to it is unaffected.
func (s style) broken(text string, width int) []string { return s.brokenAt(text, width, "/") }

// A line may end after a hyphen, but not after the hyphens that begin a flag.
var (
	flags      = strings.NewReplacer(" --", " \ue02d\ue02d", " -", " \ue02d")
	notInFlags = strings.NewReplacer("\ue02d", "-")
)

// brokenAt is like broken, but may also break words after any character of breaks.
func (s style) brokenAt(text string, width int, breaks string) []string {
	lines := strings.Split(notInFlags.Replace(ansi.Wrap(flags.Replace(text), max(width, 1), breaks)), "\n")
	if s.plain {
		return lines
	}
	open := map[string]string{} // keyed by the code that ends it
	order := []string{"22", "23", "24", "29", "39"}
	for i, line := range lines {
		var before, after strings.Builder
		for _, end := range order {
			before.WriteString(open[end])
		}
		for _, at := range ourStyles().FindAllStringSubmatchIndex(line, -1) {
			code := line[at[2]:at[3]]
			switch {
			case ends(code):
				delete(open, code)
			default:
				open[endOf(code)] += line[at[0]:at[1]]
			}
		}
		for _, end := range order {
			if open[end] != "" {
				after.WriteString("\x1b[" + end + "m")
			}
		}
		lines[i] = before.String() + line + after.String()
	}
	return lines
}

// ends reports whether code ends a style.
func ends(code string) bool { return len(code) == 2 && code[0] == '2' || code == "39" }

// endOf returns the code that ends a style.
func endOf(code string) string {
	switch code {
	case "1", "2":
		return "22"
	case "3", "4", "9":
		return "2" + code
	}
	return "39"
}

package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Table is rows under headings. Print it with [Terminal.PrintTable], which fits
// it to the window.
type Table struct {
	Columns []Column
	Rows    []TableRow
}

// Column is a column's heading and how it is laid out in a narrow window.
type Column struct {
	Head  string
	Right bool // numbers
	Wraps bool // its cells may be broken into lines
	Below bool // in a narrow window, the cell moves below the row
	Group bool // rows with the same cell are grouped; in a narrow window the cell is a line above its group
}

// TableRow is a row. Its texts may be styled, and must have been cleaned.
type TableRow struct {
	Cells []string
	Under []string // lines below the row
}

const (
	gap    = "  " // between columns
	breaks = "/|" // where an overlong word, such as a path or a pattern, may be broken
)

// PrintTable prints a table on lines of its own.
func (t *Terminal) PrintTable(table Table) {
	t.Print(strings.Join(t.style.columns(table, t.Width()-1), "\n"))
}

// columns lays out a table. If not all columns fit, some move above or below the row.
// In very narrow windows each row becomes a block.
func (s style) columns(t Table, width int) []string {
	all := make([]int, len(t.Columns))
	for i := range all {
		all[i] = i
	}
	without := func(some []int, moves func(Column) bool) (out []int) {
		for _, c := range some {
			if !moves(t.Columns[c]) {
				out = append(out, c)
			}
		}
		return out
	}
	notBelow := without(all, func(c Column) bool { return c.Below })
	narrow := without(notBelow, func(c Column) bool { return c.Group })
	for _, try := range []struct {
		shown []int
		word  int // how long a word is that is not broken
	}{{all, 24}, {notBelow, 24}, {narrow, 24}, {narrow, 16}} {
		if widths := t.widths(try.shown, width, try.word); widths != nil {
			return s.laidOut(t, try.shown, widths, width)
		}
	}
	return s.blocks(t, width)
}

// widths divides width among the columns. Each gets what its cells need, but columns
// that wrap may shrink to their longest word. It returns nil if width is too small.
func (t Table) widths(shown []int, width, word int) []int {
	room := width - len(gap)*(len(shown)-1) - len(t.lead(shown))
	widths, natural := make([]int, len(shown)), make([]int, len(shown))
	for i, c := range shown {
		widths[i] = ansi.StringWidth(t.Columns[c].Head)
		natural[i] = widths[i]
		for _, row := range t.Rows {
			natural[i] = max(natural[i], ansi.StringWidth(row.Cells[c]))
			widths[i] = max(widths[i], min(longestWord(row.Cells[c]), word))
		}
		if !t.Columns[c].Wraps {
			widths[i] = natural[i]
		}
		room -= widths[i]
	}
	if room < 0 {
		return nil
	}
	for ; room > 0; room-- {
		needs := 0
		for i := range widths {
			if natural[i]-widths[i] > natural[needs]-widths[needs] {
				needs = i
			}
		}
		if natural[needs] == widths[needs] {
			break
		}
		widths[needs]++
	}
	return widths
}

// longestWord returns the width of the longest unbreakable piece of a cell.
func longestWord(cell string) (longest int) {
	width := 0
	for _, r := range ansi.Strip(cell) {
		if r == ' ' {
			width = 0
			continue
		}
		width += ansi.StringWidth(string(r))
		longest = max(longest, width)
		if strings.ContainsRune(breaks, r) {
			width = 0
		}
	}
	return longest
}

// lead returns the indentation of rows below a group heading.
func (t Table) lead(shown []int) string {
	for i, c := range t.Columns {
		if c.Group && shown[0] != i {
			return gap
		}
	}
	return ""
}

// laidOut draws the shown columns; the cells of the others go above or below the rows.
func (s style) laidOut(t Table, shown, widths []int, width int) []string {
	heads := make([]string, len(shown))
	for i, c := range shown {
		heads[i] = s.dim(t.Columns[c].Head)
	}
	lead := t.lead(shown)
	out := indented(lead, s.cells(t, shown, widths, heads))
	indent := lead + gap
	for i, c := range shown[:1] {
		if t.Columns[c].Group && len(shown) > 1 {
			indent = strings.Repeat(" ", widths[i]+len(gap))
		}
	}
	before := ""
	for i, row := range t.Rows {
		cells := make([]string, len(shown))
		for j, c := range shown {
			cells[j] = row.Cells[c]
		}
		group, isShown := t.group(row, shown)
		switch {
		case i > 0 && group == before && isShown:
			cells[0] = ""
		case (i == 0 || group != before) && group != "" && !isShown:
			out = append(out, s.bold(group))
		}
		before = group
		out = append(out, indented(lead, s.cells(t, shown, widths, cells))...)
		for _, line := range append(t.below(row, shown), row.Under...) {
			for _, part := range s.brokenAt(line, width-len(indent), breaks) {
				out = append(out, indent+s.dim(part))
			}
		}
	}
	return out
}

func indented(by string, lines []string) []string {
	for i, line := range lines {
		lines[i] = by + line
	}
	return lines
}

// group returns the cell that row is grouped by, and whether its column is shown, which
// makes it the first.
func (t Table) group(row TableRow, shown []int) (cell string, isShown bool) {
	for i, c := range t.Columns {
		if c.Group {
			return row.Cells[i], len(shown) > 0 && shown[0] == i
		}
	}
	return "", false
}

// below returns the cells of a row that are not in shown columns, without the group.
func (t Table) below(row TableRow, shown []int) (out []string) {
	in := map[int]bool{}
	for _, c := range shown {
		in[c] = true
	}
	for i, c := range t.Columns {
		if !in[i] && !c.Group && row.Cells[i] != "" {
			out = append(out, row.Cells[i])
		}
	}
	return out
}

// cells draws one row.
func (s style) cells(t Table, shown, widths []int, cells []string) []string {
	var lines [][]string
	for j, cell := range cells {
		for i, part := range s.brokenAt(cell, widths[j], breaks) {
			if i == len(lines) {
				lines = append(lines, make([]string, len(cells)))
			}
			lines[i][j] = part
		}
	}
	out := make([]string, len(lines))
	for i, parts := range lines {
		for j, part := range parts {
			pad := strings.Repeat(" ", max(widths[j]-ansi.StringWidth(part), 0))
			if t.Columns[shown[j]].Right {
				parts[j] = pad + part
			} else {
				parts[j] = part + pad
			}
		}
		out[i] = strings.TrimRight(strings.Join(parts, gap), " ")
	}
	return out
}

// blocks draws each row as a block: its first cell that is not the group, and below it
// the others, each after its heading.
func (s style) blocks(t Table, width int) []string {
	var out []string
	before := ""
	for i, row := range t.Rows {
		if group, _ := t.group(row, nil); i == 0 || group != before {
			if before = group; group != "" {
				out = append(out, s.bold(group))
			}
		}
		out = append(out, s.block(t, row, width)...)
	}
	return out
}

func (s style) block(t Table, row TableRow, width int) (out []string) {
	titled := false
	line := ""
	add := func(item string) {
		if line != "" && ansi.StringWidth(line+gap+item) > width-2*len(gap) {
			out, line = append(out, gap+gap+line), ""
		}
		line = strings.TrimPrefix(line+gap+item, gap)
	}
	for j, c := range t.Columns {
		cell := row.Cells[j]
		switch {
		case cell == "" || c.Group:
		case !titled:
			titled = true
			for _, part := range s.brokenAt(cell, width-len(gap), breaks) {
				out = append(out, gap+part)
			}
		default:
			for _, part := range s.brokenAt(s.dim(strings.ToLower(c.Head)+" ")+cell, width-2*len(gap), breaks) {
				add(part)
			}
		}
	}
	if line != "" {
		out = append(out, gap+gap+line)
	}
	for _, under := range row.Under {
		for _, part := range s.brokenAt(under, width-2*len(gap), breaks) {
			out = append(out, gap+gap+s.dim(part))
		}
	}
	return out
}

package text

import (
	"strings"
	"unicode/utf8"
)

// Align pads the cells of a table, except in the last column, to the width of their
// column. A single very long cell does not widen its column.
func Align(rows [][]string) {
	const most = 60
	for col := 0; len(rows) > 0 && col < len(rows[0])-1; col++ {
		width := 0
		for _, row := range rows {
			width = max(width, min(most, utf8.RuneCountInString(row[col])))
		}
		for _, row := range rows {
			row[col] += strings.Repeat(" ", max(0, width-utf8.RuneCountInString(row[col])))
		}
	}
}

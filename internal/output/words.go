package output

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// WriteJSON writes v for programs: indented, with a newline at the end.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Align pads cells to the width of their column, the last one excepted. One long
// command does not push all others aside.
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

// Count is a number with what it counts: "1 file", "2 files".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Ago is a duration in the words of a list.
func Ago(d time.Duration) string {
	const day = 24 * time.Hour
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{365 * day, "year"}, {30 * day, "month"}, {day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		switch n := d / unit.size; {
		case n == 1:
			return "1 " + unit.name + " ago"
		case n > 1:
			return fmt.Sprintf("%d %ss ago", n, unit.name)
		}
	}
	return "just now"
}

package output

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"minigem/internal/text"
)

// WriteJSON writes v for programs: indented, with a newline at the end,
// and with escapes for what acts upon a screen.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(text.JSON(b.Bytes()))
	return err
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

// Ago is a duration in the words of a list.
func Ago(d time.Duration) string {
	const day = 24 * time.Hour
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{365 * day, "year"}, {30 * day, "month"}, {day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if n := int(d / unit.size); n > 0 {
			return text.Plural(n, unit.name) + " ago"
		}
	}
	return "just now"
}

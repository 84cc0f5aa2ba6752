package output

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"minigem/internal/text"
)

// WriteJSON writes v for programs: indented, with a final newline, and with escapes for
// characters that act on a screen.
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

// Ago formats a duration for lists.
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

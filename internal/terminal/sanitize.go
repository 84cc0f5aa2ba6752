package terminal

import (
	"encoding/base64"
	"fmt"
	"strings"

	"minigem/internal/text"
)

// Clean is text.Clean, less the characters that stand for keys and line ends
// inside this package.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if private(r) {
			return -1
		}
		return r
	}, text.Clean(s))
}

// A Cleaner is Clean for a text that comes in pieces. The zero Cleaner is ready;
// it is for one goroutine.
type Cleaner struct{ pieces text.Cleaner }

// Clean returns what of the next piece may be shown.
func (c *Cleaner) Clean(piece []byte) string { return Clean(c.pieces.Clean(piece)) }

// cleanLine is Clean for a text that must stay on one line.
func cleanLine(s string) string { return Clean(text.Line(s)) }

// visible shows what Clean would hide: nobody shall approve what they do not
// see.
func visible(s string) string {
	var b strings.Builder
	for _, r := range text.Visible(s) {
		if private(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// setClipboard is OSC 52.
func setClipboard(text string) string {
	return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07"
}

package terminal

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"minigem/internal/text"
)

// Clean is like text.Clean, and also removes the characters that represent keys and
// newlines inside this package.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if private(r) {
			return -1
		}
		return r
	}, text.Clean(s))
}

// Cleaner is [Clean] for text that arrives in pieces. The zero Cleaner is ready to use.
// It is for one goroutine.
type Cleaner struct{ pieces text.Cleaner }

// Clean returns the next piece, cleaned.
func (c *Cleaner) Clean(piece []byte) string { return Clean(c.pieces.Clean(piece)) }

// cleanLine is [Clean] for text that must stay on one line.
func cleanLine(s string) string { return Clean(text.Line(s)) }

// visible makes visible what Clean would remove, so that nobody approves what they
// cannot see.
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

// ourStyles matches the sequences that style produces.
var ourStyles = sync.OnceValue(func() *regexp.Regexp {
	codes := "[12349]|2[2349]|39"
	for _, c := range colours {
		codes += "|" + c.dark + "|" + c.light + "|" + c.lightOf256
	}
	return regexp.MustCompile("\x1b\\[(" + codes + ")m")
})

// sanitized is the last filter before the screen, in case a caller forgot to clean a
// text. It passes our own styles, but nothing else that controls the terminal or hides
// text.
func sanitized(s string) string {
	if !strings.ContainsFunc(s, acts) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	from := 0
	for _, at := range ourStyles().FindAllStringIndex(s, -1) {
		b.WriteString(cleaned(s[from:at[0]]) + s[at[0]:at[1]])
		from = at[1]
	}
	return b.String() + cleaned(s[from:])
}

// cleaned is Clean for a piece of a text. It keeps a joiner at the end, which joins the
// next piece.
func cleaned(s string) string {
	if strings.ContainsFunc(s, acts) || !utf8.ValidString(s) {
		return Clean(s)
	}
	return s
}

func acts(r rune) bool {
	if r >= ' ' && r <= '~' || r == '\n' || r == '\t' {
		return false
	}
	joins := r == 0x200c || r == 0x200d || unicode.Is(unicode.Variation_Selector, r)
	return private(r) || text.Hides(r) && !joins
}

// setClipboard returns the OSC 52 sequence that sets the clipboard.
func setClipboard(text string) string {
	return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07"
}

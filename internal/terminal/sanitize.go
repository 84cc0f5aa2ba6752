package terminal

import (
	"encoding/base64"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Clean takes out of a text of others whatever acts upon a terminal or lies
// about the order of its characters: control sequences, control characters but
// line ends and tabs, and the marks that turn the direction of writing.
func Clean(s string) string {
	if !strings.ContainsFunc(s, acts) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if acts(r) {
			return -1
		}
		return r
	}, ansi.Strip(s))
}

// cleanLine is Clean for a text that must stay on one line.
func cleanLine(s string) string {
	return strings.Join(strings.Fields(Clean(s)), " ")
}

func acts(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0, private(r), r == unicode.ReplacementChar:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return true // bidirectional marks, embeddings, overrides and isolates
	case r == 0x2028, r == 0x2029, r >= 0xe0000 && r <= 0xe007f:
		return true // line separators, and tags that nobody sees
	}
	return false
}

// setClipboard is OSC 52.
func setClipboard(text string) string {
	return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07"
}

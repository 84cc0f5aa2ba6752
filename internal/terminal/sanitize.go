package terminal

import (
	"encoding/base64"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// mostMarks is how many marks may stand upon one character: no writing needs
// more, and a heap of them reaches into the lines around.
const mostMarks = 8

// Clean takes out of a text of others whatever acts upon a terminal, hides or
// lies about the order of its characters: control sequences, control characters
// but line ends and tabs, the marks that turn the direction of writing, and
// characters that nobody sees.
func Clean(s string) string {
	if !strings.ContainsFunc(s, suspicious()) {
		return s
	}
	drop := suspicious()
	return strings.Map(func(r rune) rune {
		if drop(r) {
			return -1
		}
		return r
	}, ansi.Strip(s))
}

// suspicious is acts, and counts marks.
func suspicious() func(rune) bool {
	marks := 0
	return func(r rune) bool {
		if r < 0x300 || !unicode.In(r, unicode.Mn, unicode.Me) {
			marks = 0
			return acts(r)
		}
		marks++
		return marks > mostMarks || acts(r)
	}
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
	case r == 0xad, r == 0x180e, r == 0x200b, r >= 0x2060 && r <= 0x2064, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb:
		return true // of no width; not the joiners, which emoji and scripts are made with
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0:
		return true // fillers: letters that are blank
	}
	return false
}

// setClipboard is OSC 52.
func setClipboard(text string) string {
	return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07"
}

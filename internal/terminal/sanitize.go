package terminal

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

// A Cleaner is Clean for a text that comes in pieces, which may part a character
// or a control sequence. The zero Cleaner is ready; it is for one goroutine.
type Cleaner struct {
	rest []byte // what is not whole yet
}

// mostHeld is how much of a control sequence is kept until its end is there.
const mostHeld = 4 << 10

// Clean returns what of the next piece may be shown, behind what the pieces
// before had at their end that was not whole.
func (c *Cleaner) Clean(piece []byte) string {
	b := append(c.rest, piece...)
	whole := len(b) // without a character that is cut off
	for n := 1; n < min(utf8.UTFMax, len(b)+1); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole -= n
			}
			break
		}
	}
	at := 0
	for at < whole {
		_, _, n, state := ansi.DecodeSequence(b[at:whole], ansi.NormalState, nil)
		if state != ansi.NormalState {
			break
		}
		at += max(n, 1)
	}
	c.rest = slices.Clone(b[at:])
	if len(c.rest) > mostHeld {
		c.rest = c.rest[:2] // what it is; what it holds is not shown in any case
	}
	return Clean(string(b[:at]))
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

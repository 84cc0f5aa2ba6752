// Package text holds what every room needs for words and paths: text of others made fit
// for a screen, a log or a line; the word that was probably meant; counted nouns;
// whether a path is inside another. It imports nothing of ours.
//
// One table lists the characters that control a terminal, are invisible, or disguise
// the order of text ([Hides]). It has three uses: [Clean] removes those characters,
// [Line] does so and returns one line, and [Visible] shows them, for a reader who
// decides by what they see. [Writer] applies Visible to everything a program prints.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden is that table, built from Unicode's own: control characters, format characters
// (including bidirectional marks, zero-width characters and tags), line and paragraph
// separators, and letters and selectors that are drawn as nothing.
var hidden = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs,
	unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
	blank,
}

// blank contains characters without ink that Unicode's properties do not cover.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}},   // the Braille pattern without a dot
	R32: []unicode.Range32{{Lo: 0x1d159, Hi: 0x1d159, Stride: 1}}, // an invisible note head
}

// Hides reports whether r controls a terminal, is invisible, or changes how the text
// around it looks. That includes newlines and tabs: callers that accept them check
// first.
func Hides(r rune) bool {
	switch {
	case r < 0x20, r == 0x7f:
		return true
	case r < 0x7f:
		return false
	}
	return !utf8.ValidRune(r) || unicode.In(r, hidden...)
}

// maxMarks is how many marks may follow one character. No script needs more, and a pile
// of them covers the lines around it.
const maxMarks = 8

// Clean removes the characters that [Hides] reports, whole control sequences (CSI, OSC,
// DCS, SOS, PM, APC, their 8-bit forms, and unterminated ones), and invalid UTF-8. It
// keeps newlines and tabs, and the joiners and selectors that emoji or scripts need, if
// they join something.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var c Cleaner
	c.final = true
	return c.Clean([]byte(s))
}

// plain reports whether s contains only printable ASCII, newlines and tabs.
func plain(s string) bool {
	for i := range len(s) {
		if b := s[i]; (b < 0x20 && b != '\n' && b != '\t') || b >= 0x7f {
			return false
		}
	}
	return true
}

// Line is like [Clean], but returns a single line: any run of white space, including
// newlines, becomes one blank.
func Line(s string) string {
	if !plain(s) {
		lines := strings.FieldsFunc(s, breaks)
		for i := range lines {
			lines[i] = Clean(lines[i])
		}
		s = strings.Join(lines, " ")
	}
	return strings.Join(strings.Fields(s), " ")
}

// breaks reports whether some programs treat r as a line break.
func breaks(r rune) bool {
	return r >= '\n' && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// Visible shows what [Clean] removes: a character as <U+202E>, a byte that is not UTF-8
// as <0x9B>. Newlines and tabs stay.
func Visible(s string) string { return visible(s, "\n\t") }

// VisibleLine is like [Visible], but shows newlines and tabs, too.
func VisibleLine(s string) string { return visible(s, "") }

func visible(s, keep string) string {
	if plain(s) && (keep != "" || !strings.ContainsAny(s, "\n\t")) {
		return s
	}
	var b strings.Builder
	var c context
	c.show(&b, s, keep)
	return b.String()
}

// show writes s, making hidden characters visible except those in keep.
func (c *context) show(b *strings.Builder, s, keep string) {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		next, _ := utf8.DecodeRuneInString(s[n:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(b, "<0x%02X>", s[0])
			*c = context{}
		case strings.ContainsRune(keep, r):
			b.WriteRune(r)
			*c = context{}
		case c.shows(r, next):
			b.WriteRune(r)
		default:
			fmt.Fprintf(b, "<U+%04X>", r)
		}
		s = s[n:]
	}
}

// context is what matters of the preceding text when deciding whether to show a
// character. The zero context is the beginning of a text.
type context struct {
	base     rune // the last character that is not a mark, joiner or selector
	marks    int  // marks after base
	selected bool // the last character was a selector or joiner
}

// shows reports whether r, followed by next, may be shown, and updates c.
func (c *context) shows(r, next rune) bool {
	switch {
	case r == 0x200c || r == 0x200d: // the joiners
		ok := !c.selected && joins(c.base) && joins(next) || c.selected && r == 0x200d && unicode.Is(unicode.So, c.base) &&
			joins(next)
		c.selected = true
		return ok
	case r == 0xfe0e || r == 0xfe0f: // text and emoji presentation
		ok := !c.selected && c.marks == 0 && (c.base >= 0x80 && unicode.In(c.base, unicode.So, unicode.Sm, unicode.Po) ||
			next == 0x20e3 && strings.ContainsRune("0123456789#*", c.base))
		c.selected = true
		return ok
	case Hides(r):
		return false
	case r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me):
		c.marks, c.selected = c.marks+1, false
		return c.marks <= maxMarks
	}
	*c = context{base: r}
	return true
}

// asks reports whether shows needs to know what follows r.
func (c *context) asks(r rune) bool {
	return r == 0x200c || r == 0x200d || (r == 0xfe0e || r == 0xfe0f) && c.base < 0x80
}

// joins reports whether a joiner next to r can change how r is drawn: in emoji, and in
// scripts whose letters join.
func joins(r rune) bool {
	return r >= 0x590 && r != utf8.RuneError && unicode.In(r, unicode.L, unicode.M, unicode.So, unicode.Sk) && !Hides(r) &&
		!unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hangul, unicode.Hiragana,
			unicode.Katakana) ||
		r == 0x2640 || r == 0x2642
}

// Typed reports whether r may be part of text that a person types: any character that
// [Hides] does not report, and the joiners and selectors that scripts and emoji need.
func Typed(r rune) bool {
	return !Hides(r) || r == 0x200c || r == 0x200d || r == 0xfe0e || r == 0xfe0f
}

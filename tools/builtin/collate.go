package builtin

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// collate compares names as people sort them, which is what upstream does:
// marks, digits, letters, and case only where nothing else differs. The
// library for it (golang.org/x/text/collate) costs a megabyte of tables.
func collate(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		r, n := utf8.DecodeRuneInString(x)
		s, m := utf8.DecodeRuneInString(y)
		if d := weight(r) - weight(s); d != 0 {
			return d
		}
		x, y = x[n:], y[m:]
	}
	if d := len(x) - len(y); d != 0 {
		return d
	}
	return -strings.Compare(a, b) // lower case first
}

// marks are ASCII's, in the order of the Unicode collation.
const marks = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"

func weight(r rune) int {
	if i := strings.IndexRune(marks, r); i >= 0 {
		return i + 64
	}
	if r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		return int(r)
	}
	return int(unicode.ToLower(r)) + 1024
}

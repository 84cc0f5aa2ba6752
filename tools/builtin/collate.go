package builtin

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// collate compares names as people sort them, like Gemini CLI: punctuation,
// digits, letters, and case only if nothing else differs. The library for it
// (golang.org/x/text/collate) costs a megabyte of tables.
func collate(a, b string) int {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	for same > 0 && same < len(a) && !utf8.RuneStart(a[same]) {
		same--
	}
	x, y := a[same:], b[same:]
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

// marks holds ASCII's punctuation in the order of the Unicode collation.
const marks = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"

// asciiWeights holds the place of each ASCII character in the order: punctuation from
// 64 on, digits and letters from 1,024 on, where case makes no difference. Everything
// else keeps its code.
var asciiWeights = func() (ws [utf8.RuneSelf]int) {
	for r := range ws {
		ws[r] = r
		if i := strings.IndexByte(marks, byte(r)); i >= 0 {
			ws[r] = i + 64
		} else if unicode.IsLetter(rune(r)) || unicode.IsDigit(rune(r)) {
			ws[r] = int(lower(byte(r))) + 1024
		}
	}
	return ws
}()

// weight returns the place of r in the order. Characters beyond ASCII follow all
// letters of ASCII, by the code of their lower case: "é" comes after "z".
func weight(r rune) int {
	if r < utf8.RuneSelf {
		return asciiWeights[r]
	}
	return int(unicode.ToLower(r)) + 1024
}

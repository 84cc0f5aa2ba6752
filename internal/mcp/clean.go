package mcp

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxDescription bounds what one tool says of itself, in bytes: the model
	// reads it with every request.
	maxDescription = 8 << 10
	// maxSchema bounds the schema of one tool's arguments, in bytes. In place of a
	// longer one the model is told of any object, and the server checks.
	maxSchema = 256 << 10
	// maxName bounds names and URIs that people are shown.
	maxName = 200
	// maxText bounds the text of one answer that consists of several parts, in
	// bytes; a single text is cut where tools are run.
	maxText = 256 << 10
)

// clean takes out what nobody sees and some act upon: control characters but
// line ends and tabs, marks of the direction of writing, and the tags in which
// instructions can be hidden from people.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r == utf8.RuneError, unicode.IsControl(r),
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r >= 0xe0000 && r <= 0xe007f, r == 0x2028, r == 0x2029:
			return -1
		}
		return r
	}, s)
}

// cleanLine is clean for what must stay on one short line.
func cleanLine(s string) string {
	return clip(strings.Join(strings.Fields(clean(s)), " "), maxName)
}

// clip shortens s to n bytes, and says so.
func clip(s string, n int) string {
	const mark = "..."
	if len(s) <= n {
		return s
	}
	n = max(0, n-len(mark))
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}

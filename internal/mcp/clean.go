package mcp

import (
	"unicode/utf8"

	"minigem/internal/text"
)

const (
	// maxDescription bounds what one tool says of itself, in bytes: the model
	// reads it with every request.
	maxDescription = 8 << 10
	// maxSchema bounds the schema of one tool's arguments, in bytes. In place of a
	// longer one the model gets any object, and the server checks.
	maxSchema = 256 << 10
	// maxName bounds names and URIs that people are shown.
	maxName = 200
	// maxText bounds the text of one answer that consists of several parts, in
	// bytes; a single text is cut where tools are run.
	maxText = 256 << 10
)

// cleanLine is text.Line for what must stay short.
func cleanLine(s string) string {
	return clip(text.Line(s), maxName)
}

// worded is an error that a server may have written, for people and models.
func worded(err error) string { return clip(text.Clean(err.Error()), maxDescription) }

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

package mcp

import (
	"unicode/utf8"

	"minigem/internal/text"
)

const (
	// maxDescription limits one tool's description, in bytes: the model reads it with
	// every request.
	maxDescription = 8 << 10
	// maxSchema limits the schema of one tool's arguments, in bytes. Instead of a
	// longer one the model gets a schema for any object, and the server checks.
	maxSchema = 256 << 10
	// maxName limits names and URIs that are shown to people.
	maxName = 200
	// maxText limits the text of one answer that has several parts, in bytes. A single
	// text is cut where tools are run.
	maxText = 256 << 10
)

// cleanLine is text.Line for text that must be short.
func cleanLine(s string) string {
	return clip(text.Line(s), maxName)
}

// worded returns the text of an error that a server may have written, for people and
// models.
func worded(err error) string { return clip(text.Clean(err.Error()), maxDescription) }

// clip shortens s to n bytes, and marks the cut.
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

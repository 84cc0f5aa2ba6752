package app

import (
	"path/filepath"
	"strings"

	"minigem/internal/text"
)

// Shorten returns a short name of a file: relative to the working directory, or
// from ~ in the home directory; printable.
func (c *Configuration) Shorten(path string) string {
	return text.VisibleLine(c.Relative(path))
}

// Relative returns path relative to the working directory or ~, if it is below
// one of them.
func (c *Configuration) Relative(path string) string {
	if rel, ok := text.Below(c.Dir, path); ok {
		return rel
	}
	if rel, ok := text.Below(c.Home, path); ok {
		return filepath.Join("~", rel)
	}
	return path
}

// ShortenIn shortens the paths in a sentence.
func (c *Configuration) ShortenIn(text string) string {
	slash := string(filepath.Separator)
	return strings.NewReplacer(c.Dir+slash, "", c.Home+slash, "~"+slash).Replace(text)
}

// Absolute resolves path against the directory where the command was started.
func Absolute(sys *System, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(sys.Dir, path)
}

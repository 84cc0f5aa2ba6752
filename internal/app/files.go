package app

import (
	"path/filepath"
	"strings"

	"minigem/internal/text"
)

// Shorten names a file the way people do: relative to the working directory
// where it is in it, from ~ where it is in the home directory; printable.
func (c *Configuration) Shorten(path string) string {
	return text.VisibleLine(c.Relative(path))
}

// Relative is path below the working directory, or from ~, where it lies there.
func (c *Configuration) Relative(path string) string {
	if rel, ok := text.Below(c.Dir, path); ok {
		return rel
	}
	if rel, ok := text.Below(c.Home, path); ok {
		return filepath.Join("~", rel)
	}
	return path
}

// ShortenIn does so for the paths in a sentence.
func (c *Configuration) ShortenIn(text string) string {
	slash := string(filepath.Separator)
	return strings.NewReplacer(c.Dir+slash, "", c.Home+slash, "~"+slash).Replace(text)
}

// Absolute is path seen from where the command was started.
func Absolute(sys *System, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(sys.Dir, path)
}

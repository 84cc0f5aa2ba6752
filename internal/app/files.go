package app

import "minigem/internal/text"

// Absolute resolves path against the directory where the command was started.
func Absolute(sys *System, path string) string {
	return text.Abs(sys.Dir, path)
}

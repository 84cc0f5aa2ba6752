package text

import "path/filepath"

// Inside reports whether path is dir or below it, by their names alone: who
// needs to know where links lead follows them first. Both are absolute, or both
// relative.
func Inside(dir, path string) bool {
	_, ok := Below(dir, path)
	return ok
}

// Below is path relative to dir, where it is [Inside] it.
func Below(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}

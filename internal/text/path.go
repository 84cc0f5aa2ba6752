package text

import "path/filepath"

// Inside reports whether path is dir or below it, judging by name only: resolve links
// first if they matter. Both paths are absolute, or both are relative.
func Inside(dir, path string) bool {
	_, ok := Below(dir, path)
	return ok
}

// Below returns path relative to dir. ok is false unless path is [Inside] dir.
func Below(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}

// Abs returns path, which is relative to dir unless it is absolute.
func Abs(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

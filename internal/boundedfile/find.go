package boundedfile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Find returns the paths below dir that match pattern, which has forward slashes and is
// as in [path.Match]. dir is taken literally: a folder may be called "[slug]", which
// [filepath.Glob] would take for part of the pattern. A malformed pattern finds nothing.
func Find(dir, pattern string) []string {
	found, _ := fs.Glob(os.DirFS(dir), pattern) // callers' patterns are constants
	for i, name := range found {
		found[i] = filepath.Join(dir, name)
	}
	return found
}

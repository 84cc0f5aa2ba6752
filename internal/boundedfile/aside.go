package boundedfile

import (
	"fmt"
	"os"
)

// SetAside renames a file that programs keep and that cannot be understood, so
// that a new one can take its place and nothing in it is lost. It returns an
// error in any case, which says what cause is about and where the file is now:
// since it is not there any more, that is said once.
func SetAside(path string, cause error) error {
	to := path + ".unreadable"
	for n := 2; n < 100; n++ {
		if _, err := os.Lstat(to); err != nil {
			break
		}
		to = fmt.Sprintf("%s.unreadable-%d", path, n)
	}
	if err := os.Rename(path, to); err != nil {
		return fmt.Errorf("%s cannot be understood (%w) nor set aside: %w", path, cause, err)
	}
	return fmt.Errorf("%s cannot be understood (%w): it is set aside as %s, and a new one is begun", path, cause, to)
}

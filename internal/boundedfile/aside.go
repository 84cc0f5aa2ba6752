package boundedfile

import (
	"fmt"
	"os"
)

// SetAside renames an unreadable file that programs maintain, so that a new one can
// replace it and nothing is lost. It always returns an error, which names the file,
// cause, and where the file is now. Since the file is no longer there, this is reported
// only once.
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

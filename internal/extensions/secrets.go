package extensions

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"minigem/internal/atomicfile"
)

// writeEnv writes KEY=value lines, or removes the file if there are none.
func writeEnv(file string, lines []string) error {
	if len(lines) == 0 {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return atomicfile.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

package sandbox

import (
	"fmt"
	"strings"
	"syscall"
)

// parseIDs parses an id map. Each line has the first id inside, the first id outside,
// and the number of ids.
func parseIDs(text string) ([]syscall.SysProcIDMap, error) {
	var out []syscall.SysProcIDMap
	for line := range strings.Lines(text) {
		var inside, outside, size int
		if _, err := fmt.Sscan(line, &inside, &outside, &size); err != nil {
			return nil, fmt.Errorf("reading the ids of users: %w", err)
		}
		out = append(out, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
	}
	return out, nil
}

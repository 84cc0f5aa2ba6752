package testbed

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// servers writes the programs that answer http hooks. It writes them next to the
// workspace, because they are not files of the project.
func (p *place) servers(sections []section) (map[string]string, error) {
	if len(sections) == 0 {
		return nil, nil
	}
	dir := filepath.Join(p.top, "servers")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of servers: %w", err)
	}
	out := map[string]string{}
	for i, s := range sections {
		file := filepath.Join(dir, fmt.Sprintf("%d.sh", i+1))
		if err := os.WriteFile(file, s.data, 0o755); err != nil {
			return nil, fmt.Errorf("writing a server: %w", err)
		}
		out[strings.TrimSpace(strings.TrimPrefix(s.name, serverPrefix))] = file
	}
	return out, nil
}

package telemetry

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
)

// Installation returns the id of the installation whose .gemini directory is
// dir, as Gemini CLI keeps it. Where there is none it makes one; it is used even
// if it cannot be kept.
func Installation(dir string) string {
	path := filepath.Join(dir, "installation_id")
	if data, err := boundedfile.Read(path, boundedfile.Written); err == nil && isID(strings.TrimSpace(string(data))) {
		return strings.TrimSpace(string(data))
	}
	id := uuid.NewString()
	if os.MkdirAll(dir, 0o700) == nil {
		_ = atomicfile.WriteFile(path, []byte(id), 0o600) // another one next time is no harm
	}
	return id
}

// isID tells an id from what a fault left in its place. Others may have ids of
// another form than ours.
func isID(s string) bool {
	return len(s) >= 6 && len(s) <= 128 && strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}

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
// dir, as Gemini CLI stores it. If there is none it makes one, which it returns
// even if it cannot be stored.
func Installation(dir string) string {
	path := filepath.Join(dir, "installation_id")
	if data, err := boundedfile.Read(path, boundedfile.Written); err == nil && isID(strings.TrimSpace(string(data))) {
		return strings.TrimSpace(string(data))
	}
	id := uuid.NewString()
	if os.MkdirAll(dir, 0o700) == nil {
		_ = atomicfile.WriteFile(path, []byte(id), 0o600) // another id next time does no harm
	}
	return id
}

// isID reports whether s is an id rather than a damaged file. Ids of others may
// have another form than ours.
func isID(s string) bool {
	return len(s) >= 6 && len(s) <= 128 &&
		strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}

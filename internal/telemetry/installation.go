package telemetry

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
)

// Installation returns the id of the installation whose .gemini directory is dir, as
// stored by Gemini CLI. If there is none, it makes one, and returns it even if it
// cannot be stored.
func Installation(dir string) string {
	path := filepath.Join(dir, "installation_id")
	if data, err := boundedfile.Read(path, boundedfile.Written); err == nil && isID(strings.TrimSpace(string(data))) {
		return strings.TrimSpace(string(data))
	}
	id := uuid.NewString()
	if os.MkdirAll(dir, 0o700) == nil {
		_ = atomicfile.WriteFile(path, []byte(id), 0o600) // a different id next time does no harm
	}
	return id
}

// isID reports whether s is an id rather than the content of a damaged file. Other
// programs' ids may have a different form.
func isID(s string) bool {
	return len(s) >= 6 && len(s) <= 128 &&
		strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}

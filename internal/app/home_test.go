package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/exit"
)

// TestHomeIsAFile: where the home or .gemini in it is a file, the error says so
// and what to do; a home that is not there yet is fine.
func TestHomeIsAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, home := filepath.Join(dir, "file"), filepath.Join(dir, "home")
	require.NoError(t, os.Mkdir(home, 0o755))
	for _, path := range []string{file, filepath.Join(home, ".gemini")} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	for name, want := range map[string]string{
		file:                       file + " is not a folder: settings and sessions are kept below it; set HOME (or GEMINI_CLI_HOME) to a folder",
		home:                       filepath.Join(home, ".gemini") + " is not a folder: settings and sessions are kept below it; move the file away, or set GEMINI_CLI_HOME to another folder",
		filepath.Join(dir, "none"): "",
	} {
		_, err := Configure(&System{Env: []string{"HOME=" + name}, Dir: t.TempDir()}, &Options{})
		if want == "" {
			require.NoError(t, err)
			continue
		}
		var e *exit.Error
		require.ErrorAs(t, err, &e, name)
		assert.Equal(t, exit.Config, e.Code)
		assert.EqualError(t, err, want)
	}
}

package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/exit"
)

// TestHomeIsAFile checks that the error says what to do if the home, or .gemini in it,
// is a file.
func TestHomeIsAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, home := filepath.Join(dir, "file"), filepath.Join(dir, "home")
	require.NoError(t, os.Mkdir(home, 0o755))
	for _, path := range []string{file, filepath.Join(home, ".gemini")} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	for name, want := range map[string]string{
		file: "no home folder: HOME does not count: " + file + " is not a folder. " +
			"Set HOME (or GEMINI_CLI_HOME) to the absolute path of a folder of yours",
		home: filepath.Join(home, ".gemini") + " is not a folder: settings and sessions are kept in it. " +
			"Move the file away, or set GEMINI_CLI_HOME to another folder",
		dir: "",
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

// TestHomeOfChildren checks that hooks and commands do not get a HOME that minigem
// ignores.
func TestHomeOfChildren(t *testing.T) {
	t.Parallel()
	dir, account := t.TempDir(), t.TempDir()
	for _, home := range []string{"", ".", dir} {
		sys := &System{Env: []string{"HOME=" + home}, Dir: dir, Account: func() (string, error) { return account, nil }}
		c, err := Configure(sys, &Options{})
		require.NoError(t, err)
		assert.Equal(t, account, c.Home)
		assert.Equal(t, account, c.Origin().Home)
		for _, env := range [][]string{sys.Env, c.childEnvironment, c.ownEnvironment} {
			assert.Equal(t, account, (&System{Env: env}).Getenv("HOME"))
		}
	}
}

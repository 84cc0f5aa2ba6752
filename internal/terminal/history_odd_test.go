//go:build unix

package terminal

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHistoryThatCannotBeRead checks that something other than a regular file is not
// written to either, since a named pipe may have no reader.
func TestHistoryThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(path string) error{
		"a named pipe": func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"a device":     func(p string) error { return os.Symlink("/dev/zero", p) },
		"a directory":  func(p string) error { return os.Mkdir(p, 0o700) },
	} {
		path := filepath.Join(t.TempDir(), "history")
		require.NoError(t, put(path), name)
		term := &Terminal{history: history{edit: &editor{}}}
		term.History(path)
		term.history.add("a prompt")
		assert.Equal(t, []string{"a prompt"}, term.history.prompts, name)
		assert.Empty(t, term.history.file, name)
	}
	path := filepath.Join(t.TempDir(), "new", "history")
	term := &Terminal{history: history{edit: &editor{}}}
	term.History(path)
	term.history.add("a prompt")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "a prompt\n", string(text))
}

package e2e

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOutputThatIsLost: for every command, output that could not be written is a failure,
// unless the reader closed the pipe because it had read enough.
func TestOutputThatIsLost(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	defer full.Close()
	h := newHome(t, nil)
	for name, args := range map[string][]string{
		"text": {"-p", "hi"}, "json": {"-o", "json", "-p", "hi"}, "stream-json": {"-o", "stream-json", "-p", "hi"},
		"settings": {"settings", "list"}, "schema": {"hooks", "schema"}, "help": {"--help"},
	} {
		if name == "text" || args[0] == "-o" {
			args = append(h.answersFile(t, "say Done."), args...)
		}
		cmd, _, stderr := h.command(t, run{Args: args})
		cmd.Stdout = full
		_ = cmd.Run()
		assert.Equal(t, 1, cmd.ProcessState.ExitCode(), "%s: %s", name, stderr)
		assert.Contains(t, stderr.String(), "no space left on device", name)

		r, w, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, r.Close())
		cmd, _, stderr = h.command(t, run{Args: args})
		cmd.Stdout = w
		_ = cmd.Run()
		require.NoError(t, w.Close())
		assert.NotContains(t, stderr.String(), "not whole", name)
	}
}

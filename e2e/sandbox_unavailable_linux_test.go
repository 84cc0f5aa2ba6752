package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/internal/confine"
	"minigem/internal/sandbox/confined"
)

// TestWithoutConfinement: if the kernel cannot confine what must be confined, the run
// ends before the model is asked. The kernel allows a process at most 16 layers of
// Landlock.
func TestWithoutConfinement(t *testing.T) {
	t.Parallel()
	if confine.ABI() < confine.LeastABI {
		t.Skip("the kernel has no Landlock")
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-s"}, 52, "commands cannot be confined: "},
		{nil, 0, ""},
	} {
		h := newHome(t, nil)
		h.write(t, "answers", `{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"Done."}]},"finishReason":"STOP"}]}]}`+"\n")
		cmd, stdout, stderr := h.command(t, run{Args: append([]string{"-p", "hi", "--fake-responses", "answers"}, c.args...)})
		const layers = 16
		argv := slices.Concat([]string{cmd.Path}, cmd.Args[1:])
		for range layers {
			argv = append([]string{confined.Self, confined.Name, string(confined.Writable) + "/tmp", string(confined.Writable) + cmd.Dir, "--"}, argv...)
		}
		cmd.Args = argv
		for i, e := range cmd.Env {
			cmd.Env[i] = strings.Repeat("_", layers) + e
		}
		_ = cmd.Run() // the exit code says more
		assert.Equal(t, c.code, cmd.ProcessState.ExitCode(), stderr)
		assert.Equal(t, c.code == 0, strings.Contains(stdout.String(), "Done."))
		assert.Contains(t, stderr.String(), c.says)
	}
}

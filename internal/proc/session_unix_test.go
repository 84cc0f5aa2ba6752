//go:build unix

package proc_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/proc"
)

// TestRunInTerminal checks that a command has a terminal, gets keys, learns of a new
// size, and requests single keys through its terminal, not by what it prints.
func TestRunInTerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, line string
		keys       map[string]string // after printing the text, these keys are pressed
		lines      string            // printed while reading whole lines
		drawn      string            // printed while reading single keys
		code       int
	}{
		{"prints", "echo one; test -t 1 && exit 3", nil, "one\n", "", 3},
		{"asks", "printf 'name? '; read x; echo \"hello $x\"", map[string]string{"name? ": "you\r"}, "name? you\nhello you\n", "", 0},
		{"takes keys", "stty -icanon -echo; printf 'key?'; dd bs=1 count=1 2>/dev/null; stty icanon echo; echo; echo done",
			map[string]string{"key?": "x"}, "done\n", "key?", 0},
		{"pretends", `printf '\033[?1049hevil\n'`, nil, "\x1b[?1049hevil\n", "", 0},
		{"interrupted", "trap 'echo caught; exit 5' INT; echo wait; while :; do sleep 0.01; done", map[string]string{"wait": "\x03"}, "caught\n", "", 5},
		{"resized", "echo ready; read x; stty size", map[string]string{"ready": "SIZE\r"}, "10 70", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var lines, drawn strings.Builder
			var press func([]byte)
			var resized func()
			columns := 80
			res, err := proc.RunInTerminal(t.Context(), proc.Session{
				Command: proc.Command{Line: c.line, Dir: t.TempDir(), Env: os.Environ()},
				Size:    func() (int, int) { mu.Lock(); defer mu.Unlock(); return columns, 10 },
				Begin:   func(keys func([]byte), size func()) func() { press, resized = keys, size; return func() {} },
				Show: func(b []byte, keys bool) {
					to := &lines
					if keys {
						to = &drawn
					}
					to.Write(b)
					for seen, k := range c.keys {
						if strings.Contains(lines.String()+drawn.String(), seen) {
							delete(c.keys, seen)
							if strings.HasPrefix(k, "SIZE") {
								mu.Lock()
								columns = 70
								mu.Unlock()
								resized()
								k = "\r"
							}
							press([]byte(k))
						}
					}
				},
			})
			require.NoError(t, err)
			assert.Equal(t, c.code, res.ExitCode)
			assert.Contains(t, strings.ReplaceAll(lines.String(), "\r\n", "\n"), c.lines)
			if c.drawn == "" {
				assert.Empty(t, drawn.String())
			} else {
				assert.Contains(t, drawn.String(), c.drawn)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	res, err := proc.RunInTerminal(ctx, proc.Session{
		Command: proc.Command{Line: "echo on; trap '' INT HUP TERM; while :; do sleep 0.01; done", Dir: t.TempDir(), Env: os.Environ()},
		Size:    func() (int, int) { return 80, 24 },
		Begin:   func(func([]byte), func()) func() { return func() {} },
		Show:    func([]byte, bool) { cancel() },
	})
	require.NoError(t, err)
	assert.Equal(t, "SIGKILL", res.SignalName)
	assert.ErrorIs(t, res.Stopped, context.Canceled)
}

// TestRunInTerminalControls checks that the terminal is the controlling terminal of the
// command's session, so that ^C and /dev/tty work. bash takes care of that itself, so
// the test makes sure that sh runs instead.
func TestRunInTerminalControls(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var shown strings.Builder
	res, err := proc.RunInTerminal(t.Context(), proc.Session{
		Command: proc.Command{Line: "echo one >/dev/tty", Dir: t.TempDir(), Env: os.Environ()},
		Size:    func() (int, int) { return 80, 24 },
		Begin:   func(func([]byte), func()) func() { return func() {} },
		Show:    func(b []byte, _ bool) { shown.Write(b) },
	})
	require.NoError(t, err)
	assert.Equal(t, 0, res.ExitCode)
	assert.Equal(t, "one\r\n", shown.String())
}

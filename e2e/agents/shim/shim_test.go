//go:build unix

package shim

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPassesThrough: a hook's input, output and exit code are the same with the shim, and
// are recorded.
func TestPassesThrough(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	for _, tt := range []struct {
		name, command, stdin, stdout, stderr string
		exit                                 int
	}{
		{"both streams", "cat; echo no >&2; exit 2", `{"a": 1}`, `{"a": 1}`, "no\n", 2},
		{"reads nothing", "echo yes", strings.Repeat("x", 1<<20), "yes\n", "", 0},
		{"quotes", `printf '%s' "it's $X"`, "", "it's here", "", 0},
		{"several lines", "echo a\necho b", "", "a\nb\n", "", 0},
		{"not there", "./no-such-program", "", "", "*", 127},
		{"large", "head -c 300000 /dev/zero | tr '\\0' x", "", strings.Repeat("x", 300000), "", 0},
		{"the shell", `echo "$0"`, "", "sh\n", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "it's here")
			run := func(line string) (string, string, int) {
				cmd := exec.Command("sh", "-c", line)
				cmd.Stdin = strings.NewReader(tt.stdin)
				cmd.Env = append(os.Environ(), "X=here")
				var stdout, stderr strings.Builder
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				_ = cmd.Run()
				return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
			}
			stdout, stderr, exit := run(Command(self, dir, "7", tt.command))
			bareOut, _, bareExit := run(tt.command)
			assert.Equal(t, bareOut, stdout)
			assert.Equal(t, bareExit, exit)
			assert.Equal(t, tt.stdout, stdout)
			assert.Equal(t, tt.exit, exit)
			runs, err := Read(dir)
			require.NoError(t, err)
			require.Len(t, runs, 1)
			got := runs[0]
			assert.Equal(t, "7", got.Hook)
			assert.Equal(t, tt.exit, got.Exit)
			assert.Equal(t, tt.stdout, string(got.Stdout))
			assert.Equal(t, stderr, string(got.Stderr))
			assert.Equal(t, tt.stdin, string(got.Stdin))
			assert.False(t, got.Killed)
			if tt.stderr != "*" {
				assert.Equal(t, tt.stderr, stderr)
			}
		})
	}
}

// TestSignals: the agent's signals reach the hook, and a killed hook is recorded as
// killed.
func TestSignals(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	for _, tt := range []struct {
		name   string
		signal syscall.Signal
		killed bool
		exit   int
	}{
		{"TERM, which the hook takes", syscall.SIGTERM, false, 9},
		{"KILL", syscall.SIGKILL, true, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command("sh", "-c", Command(self, dir, "1", `trap 'exit 9' TERM; echo ready; while :; do sleep 0.01; done`))
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			_, err = out.Read(make([]byte, 1))
			require.NoError(t, err)
			require.NoError(t, cmd.Process.Signal(tt.signal))
			_ = cmd.Wait()
			runs, err := Read(dir)
			require.NoError(t, err)
			require.Len(t, runs, 1)
			assert.Equal(t, tt.killed, runs[0].Killed)
			assert.Equal(t, tt.exit, runs[0].Exit)
			assert.Equal(t, "ready\n", string(runs[0].Stdout))
		})
	}
}

// TestPipesStayOpen: the agent sees the end of a hook's output only when its last child
// has closed it, and the exit code before that, as without the shim.
func TestPipesStayOpen(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	dir, records := t.TempDir(), t.TempDir()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	cmd := exec.Command("sh", "-c", Command(self, records, "1", `echo a; (while [ ! -e go ]; do sleep 0.01; done; echo b) & exit 2`))
	cmd.Dir, cmd.Stdout = dir, w
	require.NoError(t, cmd.Start())
	require.NoError(t, w.Close())
	state, err := cmd.Process.Wait()
	require.NoError(t, err)
	assert.Equal(t, 2, state.ExitCode())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
	out, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, "a\nb\n", string(out))
	runs, err := Read(records)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	assert.Equal(t, "a\nb\n", string(runs[0].Stdout))
	assert.Equal(t, 2, runs[0].Exit)
}

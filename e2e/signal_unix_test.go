//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"minigem/internal/waittest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waitFor polls until a file exists.
func waitFor(t testing.TB, file string) {
	t.Helper()
	waittest.Until(t, func() bool { _, err := os.Stat(file); return err == nil }, "%s was never written", filepath.Base(file))
}

// busy is a command that reports that it has started and then hangs, with children that
// would outlive it if only the shell were ended. It waits for a job, so that the shell
// itself receives signals.
const busy = `touch started; sleep 3600 & sleep 3600 | cat; wait`

const endHook = `"SessionEnd": [{"hooks": [{"type": "command", "command": "cat >>end.json"}]}]`

// TestSignals: at any point that would never end by itself, a signal ends the program with
// the matching exit code. The session ends properly and can be resumed, and no process is
// left.
func TestSignals(t *testing.T) {
	t.Parallel()
	hook := func(event string) string {
		return `{"hooks": {"` + event + `": [{"hooks": [{"type": "command", "command": "` + busy + `"}]}], ` + endHook + `}}`
	}
	plain := `{"hooks": {` + endHook + `}}`
	shell := `call run_shell_command {"command": "` + busy + `"}`
	for _, c := range []struct {
		name     string
		signal   syscall.Signal
		settings string
		answers  string
		code     int
	}{
		// ^C
		{"interrupt in a tool", syscall.SIGINT, plain, shell, 130},
		{"interrupt in BeforeAgent", syscall.SIGINT, hook("BeforeAgent"), "say Hi.", 130},
		{"interrupt in BeforeModel", syscall.SIGINT, hook("BeforeModel"), "say Hi.", 130},
		{"interrupt in BeforeTool", syscall.SIGINT, hook("BeforeTool"), shell, 130},
		{"interrupt in AfterTool", syscall.SIGINT, hook("AfterTool"), `call list_directory {"dir_path": "."}`, 130},
		{"interrupt in AfterModel", syscall.SIGINT, hook("AfterModel"), "say Hi.\nsay Ho.", 130},
		{"interrupt in AfterAgent", syscall.SIGINT, hook("AfterAgent"), "say Hi.", 130},
		{"interrupt in SessionStart", syscall.SIGINT, hook("SessionStart"), "say Hi.", 130},
		// kill, and the end of the terminal
		{"terminate in a tool", syscall.SIGTERM, plain, shell, 143},
		{"terminate in a hook", syscall.SIGTERM, hook("BeforeTool"), shell, 143},
		{"hang up in a tool", syscall.SIGHUP, plain, shell, 143},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{".gemini/settings.json": c.settings})
			args := append(h.answersFile(t, c.answers, "say Never."), "--yolo", "-p", "do it")
			cmd, stdout, stderr := h.command(t, run{Args: args, Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}})
			require.NoError(t, cmd.Start())
			waitFor(t, filepath.Join(h.workspace, "started"))
			require.NoError(t, cmd.Process.Signal(c.signal))
			_ = cmd.Wait() // the exit code is checked below

			assert.Equal(t, c.code, cmd.ProcessState.ExitCode(), stderr.String())
			assert.NotContains(t, stdout.String(), "Never")
			assert.Contains(t, h.read(t, "end.json"), `"hook_event_name":"SessionEnd"`)
			h.assertTidy(t, outcome{Stderr: stderr.String()})
			h.assertResumes(t)
		})
	}
}

// assertResumes resumes the latest session, with an API that refuses what the real one
// would refuse.
func (h home) assertResumes(t *testing.T) {
	t.Helper()
	require.NoError(t, os.RemoveAll(filepath.Join(h.workspace, ".gemini")))
	server := startFakeAPI(t, textAnswers(t, "Here again.", 1))
	o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-r", "latest", "-p", "go on"}, Env: server.env()})
	assert.Equal(t, 0, o.Code, o.Stderr)
	assert.Equal(t, "Here again.\n", o.Stdout)
	assert.Empty(t, server.problems())
}

// TestInterruptInAStream: a stream that hangs in the middle is left at once, and the text
// so far is kept.
func TestInterruptInAStream(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	entries, err := parseAnswers("answers", "say So far.\nsay Never.\nfault {\"after\": 1, \"silent\": true}")
	require.NoError(t, err)
	server := startFakeAPI(t, entries)
	cmd, stdout, stderr := h.command(t, run{Args: []string{"-m", "gemini-2.5-flash", "-o", "stream-json", "-p", "go"}, Env: server.env()})
	out, err := os.Create(filepath.Join(h.dir, "out"))
	require.NoError(t, err)
	defer out.Close()
	cmd.Stdout = out
	require.NoError(t, cmd.Start())
	waittest.Until(t, func() bool {
		data, err := os.ReadFile(out.Name())
		return err == nil && strings.Contains(string(data), "So far.")
	}, "the beginning of the answer")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait() // the stream never ends
	assert.Equal(t, 130, cmd.ProcessState.ExitCode())
	assert.Equal(t, "[WARNING] interrupted\n", stderr.String())
	assert.Empty(t, stdout.String())
	h.assertTidy(t, outcome{Stderr: stderr.String()})
	h.assertResumes(t)
}

// TestSecondInterrupt: the second ^C waits for nothing, not even for a SessionEnd hook
// that hangs. The hook is left running, as it is after its five seconds.
func TestSecondInterrupt(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {"SessionEnd": [{"hooks": [
		{"type": "command", "command": "touch ending; sleep 20"}]}]}}`})
	args := append(h.answersFile(t, `call run_shell_command {"command": "`+busy+`"}`), "--yolo", "-p", "do it")
	cmd, _, stderr := h.command(t, run{Args: args, Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}})
	require.NoError(t, cmd.Start())
	waitFor(t, filepath.Join(h.workspace, "started"))
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	waitFor(t, filepath.Join(h.workspace, "ending"))
	interruptUntilEnded(cmd.Process)
	_ = cmd.Wait()
	assert.Equal(t, 130, cmd.ProcessState.ExitCode())
	assert.NotContains(t, strings.Join(marked(h.dir), "\n"), "sleep 3600")
	assert.NotContains(t, stderr.String(), "goroutine ")
}

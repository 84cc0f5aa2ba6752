//go:build unix

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"minigem/internal/waittest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// signalled returns how often each way of sending two signals is tried: MINIGEM_SIGNALS,
// by default 4.
func signalled(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("MINIGEM_SIGNALS"))
	if err != nil {
		return 4
	}
	return n
}

// slowEnd is a SessionEnd hook that only leaves a trace when it has finished.
const slowEnd = `{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "cat >end.tmp; sleep 0.1; mv end.tmp end.json"}]}]}}`

// TestSignalledTwice: repeated HUP and TERM count once, in a one-shot run and in a chat.
// However soon the second one comes, SessionEnd completes and no process is left.
func TestSignalledTwice(t *testing.T) {
	t.Parallel()
	n := signalled(t)
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		for i := range n {
			delay := 50 * time.Millisecond * time.Duration(i) / time.Duration(max(1, n-1))
			twice := func(t *testing.T, p *os.Process) {
				require.NoError(t, p.Signal(s))
				time.Sleep(delay) // this delay is what is tested
				_ = p.Signal(s)   // it may have exited
			}
			t.Run(fmt.Sprintf("one-shot/%v/%v", s, delay), func(t *testing.T) {
				t.Parallel()
				endedInATool(t, nil, twice)
			})
			t.Run(fmt.Sprintf("chat/%v/%v", s, delay), func(t *testing.T) {
				t.Parallel()
				h := newHome(t, map[string]string{".gemini/settings.json": slowEnd})
				c := h.startChat(t, nil, trusted(append(h.answersFile(t, busyCall, "say Never."), "--yolo"))...)
				c.say("go")
				waitFor(t, filepath.Join(h.workspace, "started"))
				twice(t, c.cmd.Process)
				<-c.exited
				assert.Equal(t, 143, c.cmd.ProcessState.ExitCode())
				h.assertEnded(t)
			})
		}
	}
	for i := range n {
		t.Run(fmt.Sprintf("timeout/%d", i), func(t *testing.T) {
			t.Parallel()
			needs(t, "timeout")
			// When timeout is told to end, it acts as if the time were up: it signals its
			// child, and then the group of both.
			endedInATool(t, []string{"timeout", "3600"}, func(t *testing.T, p *os.Process) {
				asleep(t, p.Pid) // before it knows its child, it would just exit
				require.NoError(t, p.Signal(syscall.SIGTERM))
			})
		})
	}
}

const busyCall = `call run_shell_command {"command": "` + busy + `"}`

// asleep waits until a process sleeps, if the system reports that.
func asleep(t *testing.T, pid int) {
	t.Helper()
	stat := fmt.Sprintf("/proc/%d/stat", pid)
	waittest.Until(t, func() bool {
		data, err := os.ReadFile(stat)
		return err != nil || strings.Contains(string(data), ") S ")
	})
}

// endedInATool starts a one-shot run, with an optional launcher, and ends it once its tool
// runs.
func endedInATool(t *testing.T, launcher []string, end func(*testing.T, *os.Process)) {
	t.Helper()
	h := newHome(t, map[string]string{".gemini/settings.json": slowEnd})
	args := append(h.answersFile(t, busyCall, "say Never."), "--yolo", "-p", "do it")
	cmd, _, stderr := h.command(t, run{Args: args, Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}})
	if len(launcher) > 0 {
		program, err := exec.LookPath(launcher[0])
		require.NoError(t, err)
		cmd.Path, cmd.Args = program, append(append(launcher, binary), args...)
	}
	require.NoError(t, cmd.Start())
	waitFor(t, filepath.Join(h.workspace, "started"))
	end(t, cmd.Process)
	_ = cmd.Wait() // the exit code is checked below
	assert.Equal(t, 143, cmd.ProcessState.ExitCode())
	assert.Contains(t, stderr.String(), "minigem: terminated\n")
	h.assertEnded(t)
}

func (h home) assertEnded(t *testing.T) {
	t.Helper()
	assert.FileExists(t, filepath.Join(h.workspace, "end.json"))
	assertNoOrphans(t, h.dir)
}

// TestKilledInATool: even after a kill, no command of a tool and none of its children
// keeps running. The second command says that the first one has started.
func TestKilledInATool(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	args := append(h.answersFile(t,
		`call run_shell_command {"is_background": true, "command": "trap '' TERM; sleep 3600 & wait"}`,
		`call run_shell_command {"command": "touch started; sleep 3599"}`), "--yolo", "-p", "do it")
	cmd, _, _ := h.command(t, run{Args: args, Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}})
	require.NoError(t, cmd.Start())
	waitFor(t, filepath.Join(h.workspace, "started"))
	require.Contains(t, strings.Join(marked(h.dir), "\n"), "sleep 3600")
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	waittest.Until(t, func() bool { return !strings.Contains(strings.Join(marked(h.dir), "\n"), "sleep 3600") }, "%q", marked(h.dir))
	for _, line := range marked(h.dir) { // killed just as it started, before the guard knew of it
		pid, err := strconv.Atoi(strings.Fields(line)[0])
		require.NoError(t, err)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// TestForcedExitEndsWhatRuns: the third ^C waits for nothing, and a hook that ignores TERM
// is ended anyway.
func TestForcedExitEndsWhatRuns(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {"BeforeAgent": [{"hooks": [
		{"type": "command", "command": "trap '' TERM; touch started; while :; do sleep 1; done"}]}]}}`})
	args := append(h.answersFile(t, "say Never."), "-p", "do it")
	cmd, _, _ := h.command(t, run{Args: args, Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}})
	require.NoError(t, cmd.Start())
	waitFor(t, filepath.Join(h.workspace, "started"))
	interruptUntilEnded(cmd.Process)
	_ = cmd.Wait()
	assert.Equal(t, 130, cmd.ProcessState.ExitCode())
	waittest.Until(t, func() bool { return len(marked(h.dir)) == 0 }, "%q", marked(h.dir))
}

// TestTheSecondInterruptEndsTheSession: the second ^C kills a hook that ignores TERM, and
// SessionEnd fires anyway.
func TestTheSecondInterruptEndsTheSession(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": strings.Replace(slowEnd, `{"hooks": {`, `{"hooks": {"BeforeAgent": [{"hooks": [
		{"type": "command", "command": "trap '' TERM; touch started; while :; do sleep 1; done"}]}], `, 1)})
	args := append(h.answersFile(t, "say Never."), "-p", "do it")
	cmd, _, _ := h.command(t, run{Args: args, Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}})
	require.NoError(t, cmd.Start())
	waitFor(t, filepath.Join(h.workspace, "started"))
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	time.Sleep(500 * time.Millisecond) // a second one that comes sooner counts as the first
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	assert.Equal(t, 130, cmd.ProcessState.ExitCode())
	h.assertEnded(t)
}

// interruptUntilEnded presses ^C repeatedly, because one that follows the first too soon
// does not count.
func interruptUntilEnded(p *os.Process) {
	go func() {
		for p.Signal(os.Interrupt) == nil {
			time.Sleep(50 * time.Millisecond)
		}
	}()
}

//go:build unix

package proc

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"minigem/internal/waittest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var path = []string{"PATH=" + os.Getenv("PATH")}

// run makes the test fail if the command hangs, before the package's timeout does.
func run(t *testing.T, c Command) Result {
	t.Helper()
	c.Env = append(path, c.Env...)
	r, err := Run(waittest.Context(t), c)
	require.NoError(t, err)
	require.NotEqual(t, context.DeadlineExceeded, r.Stopped)
	return r
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		c              Command
		stdout, stderr string
		code           int
		signal         string
	}{
		// streams
		{"both", Command{Line: "echo a; echo b >&2"}, "a\n", "b\n", 0, ""},
		{"merged in order", Command{Line: "echo a; echo b >&2; echo c", Merge: true}, "a\nb\nc\n", "", 0, ""},
		{"stdin", Command{Line: "cat", Stdin: [][]byte{[]byte("hi")}}, "hi", "", 0, ""},
		{"no stdin", Command{Line: "cat; echo end"}, "end\n", "", 0, ""},
		{"empty stdin", Command{Line: "cat; echo end", Stdin: [][]byte{}}, "end\n", "", 0, ""},
		{"stdin not read", Command{Line: "exit 0", Stdin: [][]byte{make([]byte, 1<<20)}}, "", "", 0, ""},
		{"stdin closed early", Command{Line: "exec <&-; echo x", Stdin: [][]byte{make([]byte, 1<<20)}}, "x\n", "", 0, ""},
		{"binary", Command{Line: `printf '\377\000a'`}, "\xff\x00a", "", 0, ""},
		{"no final newline", Command{Line: "printf a"}, "a", "", 0, ""},
		// limits
		{"head only", Command{Line: "printf 0123456789", Out: Limit{Head: 4}}, "0123", "", 0, ""},
		{"head and tail", Command{Line: "printf 0123456789", Out: Limit{Head: 2, Tail: 3}}, "01\n[... 5 bytes omitted ...]\n789", "", 0, ""},
		{"tail only", Command{Line: "for i in 1 2 3 4 5; do printf 01234$i; sleep 0.01; done", Out: Limit{Tail: 3}}, "\n[... 27 bytes omitted ...]\n345", "", 0, ""},
		{"at the limit", Command{Line: "printf 01234", Out: Limit{Head: 2, Tail: 3}}, "01234", "", 0, ""},
		{"stderr's own", Command{Line: "printf abc; printf abc >&2", Err: Limit{Head: 1}}, "abc", "a", 0, ""},
		// endings
		{"code", Command{Line: "exit 3"}, "", "", 3, ""},
		{"signal", Command{Line: "kill -9 $$"}, "", "", -1, "SIGKILL"},
		{"signal of a child", Command{Line: "exec 2>/dev/null; sh -c 'kill -15 $$'; exit $?"}, "", "", 143, ""},
		// what it is run with
		{"program", Command{Path: "printf", Args: []string{"%s", "a b"}}, "a b", "", 0, ""},
		{"env is all", Command{Path: "env", Env: []string{"A=b"}}, "PATH=" + os.Getenv("PATH") + "\nA=b\n", "", 0, ""},
		{"dir", Command{Line: "pwd", Dir: "/"}, "/\n", "", 0, ""},
		{"own group", Command{Line: `[ "$(ps -o pgid= -p $$ | tr -d ' ')" = $$ ] && echo yes`}, "yes\n", "", 0, ""},
		{"no terminal", Command{Line: "(: </dev/tty) 2>/dev/null || echo none"}, "none\n", "", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, tt.c)
			assert.Equal(t, tt.stdout, r.Stdout.String())
			assert.Equal(t, tt.stderr, r.Stderr.String())
			assert.Equal(t, tt.code, r.ExitCode)
			assert.Equal(t, tt.signal, r.SignalName)
			assert.NoError(t, r.Stopped)
			assert.False(t, r.Held)
		})
	}
}

func TestRunCannotStart(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o755))
	for _, c := range []Command{
		{Path: "no-such-program"},
		{Path: script},
		{Line: "true", Dir: "/no/such/dir"},
		{Path: "/etc"},
	} {
		r, err := Run(t.Context(), c)
		assert.ErrorContains(t, err, "starting ")
		assert.Equal(t, Result{ExitCode: -1}, r)
	}
}

func TestCancelledBeforeStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	r, err := Run(ctx, Command{Path: "no-such-program"})
	require.NoError(t, err)
	assert.Equal(t, Result{ExitCode: -1, Stopped: cause}, r)
}

// TestStopLeavesNothing cancels commands that resist, and looks for survivors.
func TestStopLeavesNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("processes that left the group are found on Linux and macOS only")
	}
	setsid, err := Look("setsid")
	for name, line := range map[string]string{
		"obedient":          "echo $$; sleep 3600",
		"ignores TERM":      "trap '' TERM; echo $$; while :; do sleep 0.05; done",
		"children":          "sleep 3600 & echo $!; sleep 3600 & echo $!; wait",
		"deaf grandchild":   "bash -c 'trap \"\" TERM; echo $$; while :; do sleep 0.05; done' & wait",
		"leader exits":      "bash -c 'trap \"\" TERM; echo $$; while :; do sleep 0.05; done' & trap 'exit 0' TERM; echo $$; wait",
		"own session":       setsid + " bash -c 'echo $$; sleep 3600' & wait",
		"group of its own":  "set -m; sleep 3600 & echo $!; wait",
		"output never ends": "echo $$; yes",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err != nil && strings.HasPrefix(line, " ") { // starts with setsid's path, which is empty
				t.Skip("no setsid here")
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			var once sync.Once
			cause := errors.New("enough")
			r, err := Run(ctx, Command{Line: line, Env: path, Out: Limit{Head: 64}, Grace: 200 * time.Millisecond,
				Live: func([]byte) { once.Do(func() { cancel(cause) }) }})
			require.NoError(t, err)
			assert.Equal(t, cause, r.Stopped)
			pids := append(numbers(r.Stdout.String()), r.PID)
			waittest.Until(t, func() bool { return !alive(r.PID, pids) }, "%v", pids)
		})
	}
}

func numbers(s string) (ns []int) {
	for f := range strings.FieldsSeq(s) {
		if n, err := strconv.Atoi(f); err == nil {
			ns = append(ns, n)
		}
	}
	return ns
}

func TestIdle(t *testing.T) {
	t.Parallel()
	for idle := time.Second; ; idle *= 2 { // the shortest that this machine can keep
		r := run(t, Command{Line: "for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done; sleep 3600", Idle: idle, Grace: time.Minute})
		assert.Equal(t, ErrIdle, r.Stopped)
		assert.Equal(t, "SIGTERM", r.SignalName)
		if r.Stdout.String() == "1\n2\n3\n4\n5\n6\n" {
			return
		}
	}
}

// TestBackgroundChildDoesNotHang checks that a child holding stdout open lives on, and
// that its later output neither kills it nor appears.
func TestBackgroundChildDoesNotHang(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var mu sync.Mutex
	var live strings.Builder
	p, err := Start(Command{Line: "(until [ -e '" + dir + "/go' ]; do sleep 0.01; done; echo late; echo later; touch '" + dir + "/mark') & echo now", Env: path,
		Live: func(b []byte) { mu.Lock(); defer mu.Unlock(); live.Write(b) }})
	require.NoError(t, err)
	<-p.Done()
	r := p.Result()
	assert.Equal(t, "now\n", r.Stdout.String())
	assert.True(t, r.Held)
	assert.Equal(t, 0, r.ExitCode)
	assert.NotEmpty(t, p.Members())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
	waittest.Until(t, func() bool { _, err := os.Stat(filepath.Join(dir, "mark")); return err == nil })
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, "now\n", live.String())
}

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	p, err := Start(Command{Line: "echo on; sleep 3600", Env: path, Grace: time.Second})
	require.NoError(t, err)
	waittest.Until(t, func() bool { return p.Result().Stdout.String() == "on\n" })
	assert.Equal(t, -1, p.Result().ExitCode)
	assert.NoError(t, syscall.Kill(p.PID(), 0))
	p.Stop()
	p.Stop()
	r := p.Result()
	assert.Equal(t, "SIGTERM", r.SignalName)
	assert.Equal(t, int(syscall.SIGTERM), r.Signal)
	assert.NoError(t, r.Stopped)
	assert.Empty(t, p.Members())
}

// TestNothingWrittenBeforeTheExitIsLost checks that output is kept even if the readers
// are late, as they may be on a busy machine.
func TestNothingWrittenBeforeTheExitIsLost(t *testing.T) {
	t.Parallel()
	for range 50 {
		res, err := Run(t.Context(), Command{Line: "printf '%60000s' x; printf '%60000s' y >&2", Env: os.Environ(), Drain: time.Nanosecond})
		require.NoError(t, err)
		require.Len(t, res.Stdout.Head, 60000)
		require.Len(t, res.Stderr.Head, 60000)
	}
}

// TestOpen checks that the caller can talk to the command, and that its stderr is kept.
func TestOpen(t *testing.T) {
	t.Parallel()
	p, err := Start(Command{Line: `while read -r l; do echo "got $l"; done; echo bye >&2; exit 3`, Env: path, Open: true, Err: Limit{Tail: 100}})
	require.NoError(t, err)
	answers := bufio.NewReader(p.Stdout())
	for _, word := range []string{"one", "two"} {
		_, err = io.WriteString(p.Stdin(), word+"\n")
		require.NoError(t, err)
		answer, err := answers.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "got "+word+"\n", answer)
	}
	require.NoError(t, p.Stdin().Close())
	_, err = answers.ReadByte()
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, p.Stdout().Close())
	r := p.Wait(t.Context())
	require.Equal(t, 3, r.ExitCode)
	require.Equal(t, "bye\n", string(r.Stderr.Bytes()))
	require.Empty(t, r.Stdout.Bytes())
}

// TestOpenAndHeld checks that a child holding the streams does not lose output that the
// caller has yet to read.
func TestOpenAndHeld(t *testing.T) {
	t.Parallel()
	p, err := Start(Command{Line: `sleep 30 & echo last`, Env: path, Open: true, Drain: 20 * time.Millisecond})
	require.NoError(t, err)
	<-p.Done()
	answer, err := bufio.NewReader(p.Stdout()).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "last\n", answer)
	p.Stop()
}

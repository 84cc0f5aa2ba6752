//go:build unix

package command_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/protocol"
	"minigem/internal/waittest"
)

// runner returns a Runner like cmd's, in a temporary directory.
func runner(t *testing.T) command.Runner {
	t.Helper()
	return command.Runner{Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH"), "SECRET=base"}}
}

// run runs line, which must end by itself.
func run(t *testing.T, r command.Runner, line, stdin string) hooks.Exit {
	t.Helper()
	return runUntil(t.Context(), t, r, line, stdin)
}

func runUntil(ctx context.Context, t *testing.T, r command.Runner, line, stdin string) hooks.Exit {
	t.Helper()
	e := r.Run(ctx, hooks.Hook{Command: line}, hooks.Payload{[]byte(stdin)}, []string{"GEMINI_SESSION_ID=" + t.Name()})
	assert.Positive(t, e.Duration)
	return e
}

// runWithin runs line, which must end by itself, with the shortest timeout that this
// machine keeps. It returns the context with that deadline.
func runWithin(t *testing.T, r command.Runner, line string, limit time.Duration) (context.Context, hooks.Exit) {
	t.Helper()
	for ; ; limit *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		t.Cleanup(cancel)
		e := runUntil(ctx, t, r, line, "{}")
		if !errors.Is(e.Err, context.DeadlineExceeded) || limit > time.Minute {
			return ctx, e
		}
	}
}

// due is a context whose deadline passes when a file exists.
type due struct {
	context.Context
	done chan struct{}
}

func dueWith(t *testing.T, file string) due {
	d := due{t.Context(), make(chan struct{})}
	go func() {
		for t.Context().Err() == nil {
			if _, err := os.Stat(file); err == nil {
				close(d.done)
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return d
}

func (d due) Done() <-chan struct{} { return d.done }

func (d due) Err() error {
	select {
	case <-d.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// alive reports whether a process still runs. A zombie does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// gone waits until the processes whose ids are in the file have ended.
func gone(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	ids := strings.Fields(string(data))
	require.NotEmpty(t, ids)
	for _, id := range ids {
		pid, err := strconv.Atoi(id)
		require.NoError(t, err)
		waittest.Until(t, func() bool { return !alive(pid) }, "process %d lives", pid)
	}
}

func TestExitIsReportedAsItWas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, line     string
		code           int
		signal         string
		stdout, stderr string
	}{
		{"success", "printf ok", 0, "", "ok", ""},
		{"exit 1", "printf no >&2; exit 1", 1, "", "", "no"},
		{"exit 2, both streams", "printf out; printf err >&2; exit 2", 2, "", "out", "err"},
		{"exit 3", "exit 3", 3, "", "", ""},
		{"death by signal", "printf last; kill -KILL $$", -1, "killed", "last", ""},
		{"TERM by itself", "kill -TERM $$", -1, "terminated", "", ""},
		// output
		{"invalid UTF-8 arrives as it is", `printf '\377\376x'`, 0, "", "\xff\xfex", ""},
		{"a character split across writes", `printf '\342\202'; sleep 0.05; printf '\254'`, 0, "", "€", ""},
		{"NUL bytes", `printf 'a\0b'`, 0, "", "a\x00b", ""},
		// stdin
		{"stdin is the payload and ends", "cat", 0, "", `{"a":1}`, ""},
		{"stdin closed at once", "exec <&-; printf ok", 0, "", "ok", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := run(t, runner(t), c.line, `{"a":1}`)
			e.Duration = 0
			want := hooks.Exit{Code: c.code, Signal: c.signal}
			got := e
			got.Stdout, got.Stderr = nil, nil
			assert.Equal(t, want, got)
			assert.Equal(t, c.stdout, string(e.Stdout))
			assert.Equal(t, c.stderr, string(e.Stderr))
		})
	}
}

func TestWhatTheShellCannotRun(t *testing.T) {
	t.Parallel()
	r := runner(t)
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir, "plain"), []byte("echo hi"), 0o644))

	missing := run(t, r, "./missing.sh", "")
	assert.Equal(t, 127, missing.Code)
	assert.Contains(t, string(missing.Stderr), "missing.sh")

	notExecutable := run(t, r, "./plain", "")
	assert.Equal(t, 126, notExecutable.Code)

	for _, line := range []string{"", "  \n", "echo \x00"} {
		e := run(t, r, line, "")
		assert.Error(t, e.Err, "%q", line)
	}
	r.Dir = filepath.Join(r.Dir, "nowhere")
	elsewhere := run(t, r, "exit 2", "")
	assert.Equal(t, 2, elsewhere.Code)
	assert.Contains(t, elsewhere.Warning, r.Dir)
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	for _, c := range []struct {
		name, line string
		signal     string
		atLeast    time.Duration
	}{
		{"one program", `echo $$ >pids; printf early; : >ready; exec sleep 3600`, "terminated", 0},
		{"a child", `echo $$ >pids; printf early; sleep 3600 & echo $! >>pids; : >ready; wait`, "terminated", 0},
		{"TERM ignored", `trap "" TERM; echo $$ >pids; printf early; : >ready; while :; do sleep 0.05; done`, "killed", time.Second},
		{"a child that ignores TERM", `(trap "" TERM; : >trapped; exec sleep 3600) & echo $$ $! >pids; printf early; until [ -e trapped ]; do sleep 0.01; done; : >ready; wait`, "terminated", time.Second},
		{"a child of another session", `setsid sleep 3600 & echo $! >pids; printf early; : >ready; sleep 3600`, "terminated", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := runner(t)
			e := runUntil(dueWith(t, filepath.Join(r.Dir, "ready")), t, r, c.line, "{}")
			assert.ErrorIs(t, e.Err, context.DeadlineExceeded)
			assert.Equal(t, c.signal, e.Signal)
			assert.Equal(t, "early", string(e.Stdout), "what was said before counts")
			assert.GreaterOrEqual(t, e.Duration, c.atLeast)
			gone(t, filepath.Join(r.Dir, "pids"))
		})
	}
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	r := runner(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		waittest.Until(t, func() bool {
			data, _ := os.ReadFile(filepath.Join(r.Dir, "pids"))
			return bytes.HasSuffix(data, []byte("\n"))
		})
		cancel()
	}()
	e := r.Run(ctx, hooks.Hook{Command: "echo $$ >pids; exec sleep 3600"}, nil, nil)
	assert.ErrorIs(t, e.Err, context.Canceled)
	assert.Equal(t, "terminated", e.Signal)

	again := r.Run(ctx, hooks.Hook{Command: "touch ran"}, nil, nil)
	assert.ErrorIs(t, again.Err, context.Canceled)
	assert.NoFileExists(t, filepath.Join(r.Dir, "ran"))
}

func TestAChildThatHoldsTheStreams(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	r := runner(t)
	_, e := runWithin(t, r, `sleep 3600 & echo $! >pids; printf '{"decision":"deny"}'`, time.Second)
	require.NoError(t, e.Err, "the answer does not wait for the child")
	assert.Equal(t, `{"decision":"deny"}`, string(e.Stdout))
	gone(t, filepath.Join(r.Dir, "pids"))
}

func TestAServiceThatLeftTheHookStays(t *testing.T) {
	t.Parallel()
	r := runner(t)
	ctx, e := runWithin(t, r, `sleep 3600 >/dev/null 2>&1 </dev/null & echo $! >pids`, 200*time.Millisecond)
	require.NoError(t, e.Err)
	data, err := os.ReadFile(filepath.Join(r.Dir, "pids"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	require.NoError(t, err)
	defer syscall.Kill(pid, syscall.SIGKILL)
	<-ctx.Done()
	time.Sleep(100 * time.Millisecond) // past the deadline; there is nothing to wait for, because nothing should happen
	assert.True(t, alive(pid))
}

func TestStdinNeverRead(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 4<<20) // larger than any pipe
	e := run(t, runner(t), "printf ok", big)
	assert.Equal(t, "ok", string(e.Stdout))
	assert.NoError(t, e.Err)
	assert.Zero(t, e.Code)

	deep := strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)
	e = run(t, runner(t), "cat", deep)
	assert.Equal(t, deep, string(e.Stdout))
}

func TestMuchOutputTakesLittleMemory(t *testing.T) {
	// Not parallel: it measures the heap.
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	e := run(t, runner(t), `head -c 100000000 /dev/zero; head -c 2000000 /dev/zero >&2; printf end`, "{}")
	runtime.ReadMemStats(&during)
	require.NoError(t, e.Err)
	const omitted = "\n[... 98951427 bytes omitted ...]\n"
	assert.Len(t, e.Stdout, 1<<20+len(omitted))
	assert.Contains(t, string(e.Stdout), omitted)
	assert.True(t, bytes.HasSuffix(e.Stdout, []byte("\x00end")), "the end is kept")
	assert.Less(t, len(e.Stderr), 1<<20+100)
	assert.True(t, e.StdoutTruncated)
	assert.True(t, e.StderrTruncated)
	assert.Less(t, during.TotalAlloc-before.TotalAlloc, uint64(64<<20), "allocated in all, garbage too")
}

func TestExactlyAMebibyteIsWhole(t *testing.T) {
	t.Parallel()
	e := run(t, runner(t), "head -c 1048576 /dev/zero", "")
	assert.Len(t, e.Stdout, 1<<20)
	assert.False(t, e.StdoutTruncated)
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	r := runner(t)
	r.Env = append(r.Env, "A=base", "B=base", "C=base", "EMPTY=")
	h := hooks.Hook{
		Command: `printf '%s|%s|%s|%s|%s|%s|%s' "$A" "$B" "$C" "$D" "$E" "$F" "${NOTSET-unset}"`,
		Env: map[string]string{
			"C": "hook", "D": "$A-${B}-x", "E": "${NONE:-fallback}$NONE", "F": "${EMPTY:-not this}",
		},
	}
	e := r.Run(t.Context(), h, nil, []string{"B=added", "C=added"})
	assert.Equal(t, "base|added|hook|base-added-x|fallback$NONE||unset", string(e.Stdout))

	more := hooks.Hook{Event: "BeforeTool", Command: `printf %s "$A"`, Env: map[string]string{"A": "$A:more"}}
	engine := hooks.Engine{Config: hooks.Config{Hooks: []hooks.Hook{more}}, Runner: r}
	assert.Equal(t, "base:more", engine.BeforeTool(t.Context(), hooks.ToolUse{}).SystemMessage, "added once, by the runner alone")

	h.Source.Layer = hooks.LayerExtension
	e = r.Run(t.Context(), h, nil, nil)
	assert.Contains(t, string(e.Stdout), "|$A-${B}-x|", "an extension's settings may be secrets with a dollar in them")
}

func TestNothingIsPutIntoTheCommand(t *testing.T) {
	t.Parallel()
	r := runner(t)
	r.Dir = filepath.Join(r.Dir, `a "b" $(touch owned) 'c`)
	require.NoError(t, os.Mkdir(r.Dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir, "h.sh"), []byte("printf ran"), 0o755))
	e := r.Run(t.Context(), hooks.Hook{Command: `bash "$GEMINI_PROJECT_DIR/h.sh"; printf '%s' '$GEMINI_PROJECT_DIR'`}, nil,
		[]string{"GEMINI_PROJECT_DIR=" + r.Dir})
	assert.Equal(t, "ran$GEMINI_PROJECT_DIR", string(e.Stdout))
	assert.NoFileExists(t, filepath.Join(r.Dir, "owned"))
}

func TestOwnProcessGroup(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ps"); errors.Is(err, exec.ErrNotFound) {
		t.Skip("needs ps")
	}
	e := run(t, runner(t), `ps -o pgid= -p $$; echo $$`, "")
	ids := strings.Fields(string(e.Stdout))
	require.Len(t, ids, 2)
	assert.Equal(t, ids[1], ids[0])
}

// BenchmarkHook runs one hook and one bare bash in turn, so that both meet the same
// conditions, and reports the difference.
func BenchmarkHook(b *testing.B) {
	payload := []byte(`{"hook_event_name":"BeforeTool","tool_input":{"command":"ls"}}`)
	env := os.Environ()
	const line = `read -r x; printf '{"decision":"allow"}'`
	r := command.Runner{Dir: b.TempDir(), Env: env}
	var hook, bare []time.Duration
	for b.Loop() {
		began := time.Now()
		if e := r.Run(b.Context(), hooks.Hook{Command: line}, hooks.Payload{payload}, nil); e.Err != nil {
			b.Fatal(e.Err)
		}
		hook = append(hook, time.Since(began))

		began = time.Now()
		cmd := exec.Command("bash", "-c", line)
		cmd.Dir, cmd.Env, cmd.Stdin = r.Dir, env, bytes.NewReader(payload)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		bare = append(bare, time.Since(began))
	}
	slices.Sort(hook)
	slices.Sort(bare)
	b.ReportMetric(float64(hook[len(hook)/2])/float64(bare[len(bare)/2]), "of-bash")
}

func TestChildrenEndWithTheSession(t *testing.T) {
	t.Parallel()
	r := runner(t)
	r.Children = &command.Children{}
	const line = `sleep 3600 & echo $! >>pids`
	for _, ev := range []protocol.Event{"AfterTool", "SessionEnd"} {
		e := r.Run(t.Context(), hooks.Hook{Event: ev, Command: line}, nil, nil)
		require.NoError(t, e.Err)
	}
	data, err := os.ReadFile(filepath.Join(r.Dir, "pids"))
	require.NoError(t, err)
	var pids []int
	for _, id := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(id)
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	require.Len(t, pids, 2)
	assert.True(t, alive(pids[0]))
	require.NoError(t, r.Children.Close())
	waittest.Until(t, func() bool { return !alive(pids[0]) })
	assert.True(t, alive(pids[1]), "what SessionEnd begins may run on")
	require.NoError(t, syscall.Kill(pids[1], syscall.SIGKILL))
}

//go:build unix

package command_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/internal/thorough"
	"minigem/internal/waittest"
)

// fault is one way in which a hook can fail.
type fault struct {
	name  string
	line  string // what the shell does once the answer has been printed
	hangs bool   // it runs until its timeout
	// print prints the answer in a faulty way. If it is nil, the answer is printed as
	// it is.
	print  func(answer string) string
	failed string // part of the reason why the run failed; empty if it did not
	warned string // part of a warning
	blocks bool   // the fault itself is a denial
	heavy  bool   // only a few may run at a time
	large  bool   // with a payload of 2 MiB
	cut    bool   // a stream is cut, so the run failed and blocks
}

const (
	patient = time.Hour   // longer than anything that ends by itself, on any machine
	short   = time.Second // the first timeout for hooks that never end
)

var faults = []fault{
	// How it ends
	{name: "exit 1", line: "exit 1", failed: "exit status 1"},
	{name: "exit 2", line: "exit 2", blocks: true, failed: "exit status 2"},
	{name: "exit 3", line: "exit 3", failed: "exit status 3"},
	{name: "exit 127", line: "exit 127", failed: "exit status 127 (command not found)"},
	{name: "death by signal", line: "kill -KILL $$", failed: "killed by signal"},
	{name: "no such file", line: "./no-such-hook", failed: "exit status 127 (command not found)"},
	{name: "not executable", line: "./plain", failed: "exit status 126 (not executable)"},
	// When
	{name: "timeout", line: "sleep 3600", hangs: true, failed: "timed out after "},
	{name: "TERM ignored", line: `trap "" TERM; while :; do sleep 0.05; done`, hangs: true, failed: "timed out after "},
	// The child ends with the test's directory, because processes of SessionEnd hooks
	// may run on.
	{name: "a child keeps stdout open", line: "while [ -e plain ]; do sleep 0.1; done & exit 0"},
	// What it prints
	{name: "much output", line: "yes '' | head -c " + flood + "; exit 0", cut: true, failed: "stdout was cut",
		warned: "stdout was longer than what is kept", heavy: true},
	{name: "much on stderr", line: "head -c " + flood + " /dev/zero >&2; exit 0", cut: true, failed: "stderr was cut",
		warned: "stderr was longer than what is kept", heavy: true},
	{name: "invalid UTF-8", print: with(`"x":"\377\376"`), warned: "not valid UTF-8"},
	{name: "a character split across writes", print: with(`"x":"\303'; sleep 0.05; printf '\251"`),
		warned: "unknown field x"},
	{name: "JSON nested 10,000 deep", print: with(`"x":'; printf '{"a":%.0s' $(seq 10000); printf 1; printf '}%.0s' ` +
		`$(seq 10000); printf '`), warned: "unknown field x"},
	// What it reads
	{name: "stdin never read", line: "exit 0", large: true, heavy: true},
	{name: "stdin closed at once", line: "exec <&-; sleep 0.05; exit 0", large: true, heavy: true},
}

// flood is the size of an output that is far larger than what is kept.
var flood = strconv.Itoa(thorough.Times(20_000_000, 100_000_000))

// with adds a field to the answer.
func with(field string) func(string) string {
	return func(answer string) string {
		if answer == "" {
			answer = "{}"
		}
		open := strings.TrimSuffix(answer, "}")
		if open != "{" {
			open += ","
		}
		return "printf '" + open + field + "}'"
	}
}

// answers are what hooks print before the fault.
var answers = []struct {
	text string
	says hooks.Decision
}{
	{"", hooks.Proceed},
	{`{"decision":"deny","reason":"no"}`, hooks.Deny},
	{`{"continue":false,"stopReason":"no"}`, hooks.Stop},
}

const (
	matrixMark = "MINIGEM_FAULT_MATRIX" // the environment variable of all processes of the matrix
	mostMemory = 64 << 20
)

// TestFaultMatrix runs every fault at every event with real processes. Every run ends,
// even if its children never would. The decision is the contract's, and a block that
// was printed before the fault holds. It runs in a separate process, so that it can
// measure the largest resident set and find leftover processes by their environment.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("hundreds of processes")
	}
	if os.Getenv(matrixMark) != "" {
		runMatrix(t)
		return
	}
	mark := matrixMark + "=" + t.TempDir()
	child := exec.CommandContext(waittest.Lifetime(t), os.Args[0], "-test.run=^TestFaultMatrix$", "-test.v")
	child.Env = append(os.Environ(), mark, "GOMEMLIMIT=40MiB") // measure live memory, not garbage
	out, err := child.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Regexp(t, `(?m)^\d{3} runs$`, string(out))
	t.Log(string(out))
	if runtime.GOOS != "linux" {
		return // there is no /proc
	}
	waittest.Until(t, func() bool { return len(marked(mark)) == 0 }, "left running: %q", marked(mark))
}

// marked returns the command lines of the processes whose environment has mark.
func marked(mark string) []string {
	var found []string
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(env, []byte(mark+"\x00")) {
			continue
		}
		if line, _ := os.ReadFile(filepath.Join(dir, "cmdline")); len(line) > 0 { // otherwise a zombie
			found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}

func runMatrix(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plain"), []byte("echo hi"), 0o644))
	light, heavy := make(chan struct{}, 12), make(chan struct{}, 1)
	var wg sync.WaitGroup
	runs := 0
	for i, f := range faults {
		for j, ev := range protocol.Events {
			for k, a := range answers {
				if f.heavy && a.says == hooks.Stop {
					continue // a deny shows the same, and these take long
				}
				if !thorough.Asked() && !f.often(ev, i+j+k) {
					continue
				}
				runs++
				wg.Go(func() {
					slots := light
					if f.heavy {
						slots = heavy
					}
					slots <- struct{}{}
					defer func() { <-slots }()
					f.meet(t, dir, ev, a.text, a.says)
				})
			}
		}
	}
	wg.Wait()
	fmt.Printf("%d runs\n", runs)
	if peak := peakMemory(t); peak > 0 {
		fmt.Printf("peak memory: %.1f MiB\n", float64(peak)/(1<<20))
		if !thorough.Race {
			assert.Less(t, peak, int64(mostMemory))
		}
	}
}

// often reports whether an ordinary run tries f at ev with the answer of that index:
// one answer per event, in rotation, and heavy faults only at one event that can be
// blocked and one that cannot.
func (f fault) often(ev protocol.Event, turn int) bool {
	if f.heavy {
		return ev == protocol.BeforeTool || ev == protocol.PreCompress
	}
	return turn%len(answers) == 0
}

// peakMemory returns the largest resident set of this process, or 0 if the system does
// not report it.
func peakMemory(t *testing.T) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, found := strings.Cut(string(status), "VmHWM:")
	require.True(t, found)
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	require.NoError(t, err)
	return kib << 10
}

// meet runs a hook that prints answer and then fails. A hook that hangs is stopped at
// its timeout. If the machine was too slow for it to print its answer by then, the
// timeout is doubled.
func (f fault) meet(t *testing.T, dir string, ev protocol.Event, answer string, says hooks.Decision) {
	name := fmt.Sprintf("%s/%s/%s", f.name, ev, says)
	printed := fmt.Sprintf("printf '%s'", answer)
	if f.print != nil {
		printed = f.print(answer)
	}
	line, limit := printed+"\n"+f.line, patient
	ready := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
	if f.hangs {
		line, limit = printed+"\n: >'"+ready+"'\n"+f.line, short
	}
	for ; ; limit *= 2 {
		report, ok := f.run(t, dir, ev, hooks.Hook{Event: ev, Name: "h", Command: line, Timeout: limit})
		if !assert.True(t, ok, name) {
			return
		}
		if !f.hangs || !missing(ready) {
			f.judge(t, name, report, says)
			return
		}
	}
}

// run fires ev with one hook, and reports whether there was one report of one run.
func (f fault) run(t *testing.T, dir string, ev protocol.Event, h hooks.Hook) (hooks.Report, bool) {
	children := &command.Children{}
	defer children.Close() // otherwise children with open streams would live until the limit
	var reports []hooks.Report
	e := &hooks.Engine{
		Config:   hooks.Config{Hooks: []hooks.Hook{h}},
		Runner:   command.Runner{Dir: dir, Env: os.Environ(), Children: children},
		Origin:   hookstest.Origin,
		Report:   func(r hooks.Report) { reports = append(reports, r) },
		Patience: patient,
	}
	if f.large {
		e.Origin.TranscriptPath = strings.Repeat("x", 2<<20)
	}
	hookstest.Stimulus{Event: ev}.Fire(e)
	if !assert.Len(t, reports, 1) || !assert.Len(t, reports[0].Runs, 1) {
		return hooks.Report{}, false
	}
	return reports[0], true
}

func (f fault) judge(t *testing.T, name string, r hooks.Report, says hooks.Decision) {
	run := r.Runs[0]
	want, failed := hooks.Proceed, f.failed
	if r.Event.CanBlock() {
		want = says
		if f.blocks {
			want, failed = max(says, hooks.Deny), ""
		}
		if f.cut {
			want = max(says, hooks.Deny)
		}
	}
	assert.Equal(t, want, r.Verdict.Decision, "%s: %q", name, run.Warnings)
	if want != hooks.Proceed {
		assert.Equal(t, []string{"h"}, r.Verdict.Hooks, name)
	}
	if f.cut && want > says {
		assert.Contains(t, r.Verdict.Reason, "printed too much", name)
	} else if says != hooks.Proceed && want != hooks.Proceed {
		assert.Equal(t, "no", r.Verdict.Reason, name)
	}
	assert.Equal(t, f.hangs, run.TimedOut, name)
	assert.Equal(t, failed == "", run.Failed == "", "%s: %q", name, run.Failed)
	assert.Contains(t, run.Failed, failed, name)
	assert.Contains(t, strings.Join(run.Warnings, "\n"), f.warned, name)
	const cut = "\n[... 1234567890 bytes omitted ...]\n"
	assert.LessOrEqual(t, len(run.Exit.Stdout), 1<<20+len(cut), name)
	assert.LessOrEqual(t, len(run.Exit.Stderr), 1<<20+len(cut), name)
	if f.large {
		assert.Greater(t, r.Input.Len(), 2<<20, name)
	}
}

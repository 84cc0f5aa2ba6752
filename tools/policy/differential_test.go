//go:build unix

package policy

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
	"minigem/tools/workspace"
)

const denyCanary = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"canary\"\ndecision = \"deny\"\n" +
	"priority = 1"

// judges are the engines whose verdicts are compared with bash, in the folder of a
// sandbox. What the first two allow must run no canary and make no file. The third
// denies canary.
func judges(t testing.TB, s sandbox) map[string]*Engine {
	work := filepath.Join(s.dir, "work")
	require.NoError(t, os.MkdirAll(work, 0o755))
	ws, err := workspace.New(work)
	require.NoError(t, err)
	o := Options{Interactive: true, Refused: func(path string, r workspace.Reach) string {
		return ws.Refused(path, r, workspace.Ignore{})
	}}
	yolo := o
	yolo.Mode = ModeYolo
	return map[string]*Engine{
		"default chat": engineWith(t, "", o), "prefixes": engineWith(t, allowPrefixes, o),
		"denied in yolo": engineWith(t, denyCanary, yolo),
	}
}

// batch holds lines that one engine allows.
type batch struct {
	s     sandbox
	files bool     // they must not make files
	lines []string // lines, some of which have OnlyReads
	found []string
	total int
}

func (b *batch) add(t testing.TB, line string) {
	b.lines = append(b.lines, line)
	if b.total++; len(b.lines) == 500 {
		b.run(t)
	}
}

func (b *batch) run(t testing.TB) {
	b.found = append(b.found, b.s.culprits(t, b.lines, b.files)...)
	b.lines = nil
}

// A real bash runs what the policy allows, confined if it would be. It must not run
// anything that was not judged, change a file, connect, or print a secret of a file or
// a variable. MINIGEM_DIFFERENTIAL is the number of lines to generate, and
// MINIGEM_DIFFERENTIAL_SEED the seed.
func TestAllowedCommandLinesRunNothingElse(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	connect := "echo a >/dev/tcp/127.0.0.1/" + s.port()
	require.Len(t,
		s.culprits(t, []string{"ls", "canary evil", "(", "exec ls", "exit", "echo a > pwn", "echo b > a", "cat .env",
			connect}, true), 5, "the sandbox sees what runs")
	confined := s
	confined.rules = &confine.Rules{Hidden: []string{filepath.Join(s.dir, "work", ".env")}}
	if confine.Supported() != nil {
		t.Skip(confine.Supported())
	}
	require.Empty(
		t, confined.culprits(t, []string{"ls", "canary evil", "echo a > pwn", "cat .env", connect, "set",
			"cat /proc/self/environ"}, true),
		"what is confined writes nothing, connects to nothing and reads no secrets")
	require.Len(t, confined.culprits(t, []string{"echo " + token, "echo " + secret}, true), 2,
		"the sandbox sees what is printed")
	samples, seed := 4_000, 2
	if n, err := strconv.Atoi(os.Getenv("MINIGEM_DIFFERENTIAL")); err == nil {
		samples = n
	}
	if n, err := strconv.Atoi(os.Getenv("MINIGEM_DIFFERENTIAL_SEED")); err == nil {
		seed = n
	}
	for name, e := range judges(t, s) {
		g := generator{rand.New(rand.NewPCG(uint64(samples), uint64(seed))), carriers(t), s.port()}
		free, reads := batch{s: s, files: e.Mode() != ModeYolo}, batch{s: confined, files: true}
		holding := 0
		for range samples {
			line := g.line()
			v := e.Check(in(filepath.Join(s.dir, "work"), line))
			if !runnable(line, e.Mode()) || v.Decision != Allow {
				continue
			}
			if strings.Contains(line, "canary") {
				holding++
			}
			if v.OnlyReads {
				reads.add(t, line)
			} else {
				free.add(t, line)
			}
		}
		free.run(t)
		reads.run(t)
		assert.Empty(t, append(free.found, reads.found...), "%s: these ran something", name)
		assert.Greater(t, holding, samples/300, "%s: the sample is worth something", name)
		t.Logf("%s: of %d command lines %d were allowed and run, %d of them confined; %d hold canary", name, samples,
			free.total+reads.total, reads.total, holding)
	}
}

// runnable lines come to an end, and stay in the sandbox: in yolo mode they may
// run whatever they find, and write whatever they name, and a substitution in PS4 is
// traced by the next one, without end. A file that one line left
// elsewhere, another one could run.
func runnable(line string, mode Mode) bool {
	if mode == ModeYolo &&
		(containsAny(line, "env -", "command -p", "PS4") || strings.Contains(devices.Replace(line), "/")) {
		return false
	}
	if strings.Count(line, "flock") > 1 { // the inner one waits for the outer one
		return false
	}
	return !containsAny(line, "\x00", "while", "until", "for ((", "sleep", "select") || strings.Contains(line, "break")
}

var devices = strings.NewReplacer("/dev/null", "", "/dev/stdin", "", "/dev/fd/", "")

func containsAny(s string, list ...string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(s, w) })
}

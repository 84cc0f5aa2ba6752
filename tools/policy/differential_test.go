//go:build unix

package policy

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const denyCanary = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"canary\"\ndecision = \"deny\"\npriority = 1"

// judges are the engines whose verdicts are compared with bash. What the first
// two let through runs no canary and makes no file; the third holds canary back.
func judges(t testing.TB) map[string]*Engine {
	return map[string]*Engine{
		"default chat":   engineWith(t, "", Options{Interactive: true}),
		"prefixes":       engineWith(t, allowPrefixes, Options{Interactive: true}),
		"denied in yolo": engineWith(t, denyCanary, Options{Interactive: true, Mode: ModeYolo}),
	}
}

// What the policy lets through is given to a real bash, and must not run what it
// was not judged to run. MINIGEM_DIFFERENTIAL is how many lines are made.
func TestAllowedCommandLinesRunNothingElse(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	require.Len(t, s.culprits(t, []string{"ls", "canary evil", "(", "exec ls", "exit", "echo a > pwn"}, true), 2, "the sandbox sees what runs")
	samples := 4_000
	if n, err := strconv.Atoi(os.Getenv("MINIGEM_DIFFERENTIAL")); err == nil {
		samples = n
	}
	for name, e := range judges(t) {
		g := generator{rand.New(rand.NewPCG(uint64(samples), 2)), carriers(t)}
		var batch, found []string
		allowed, holding := 0, 0
		for i := range samples {
			line := g.line()
			if runnable(line, e.Mode()) && e.Check(shellCall(line)).Decision == Allow {
				batch = append(batch, line)
				allowed++
				if strings.Contains(line, "canary") {
					holding++
				}
			}
			if len(batch) == 500 || i == samples-1 {
				found = append(found, s.culprits(t, batch, e.Mode() != ModeYolo)...)
				batch = nil
			}
		}
		assert.Empty(t, found, "%s: these ran something", name)
		assert.Greater(t, holding, samples/100, "%s: the sample is worth something", name)
		t.Logf("%s: of %d command lines %d were allowed and run; %d of these hold canary", name, samples, allowed, holding)
	}
}

// runnable lines come to an end, and stay in the sandbox: in yolo mode they may
// run whatever they find, and write whatever they name. A file that one line left
// elsewhere, another one could run.
func runnable(line string, mode Mode) bool {
	if mode == ModeYolo && (containsAny(line, "env -", "command -p") || strings.Contains(devices.Replace(line), "/")) {
		return false
	}
	return !containsAny(line, "\x00", "while", "until", "((;;))", "sleep", "select") || strings.Contains(line, "break")
}

var devices = strings.NewReplacer("/dev/null", "", "/dev/stdin", "", "/dev/fd/", "")

func containsAny(s string, list ...string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(s, w) })
}

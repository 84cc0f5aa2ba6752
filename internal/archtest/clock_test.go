package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clock lists the functions and methods that wait for a time or measure how long
// something took.
var clock = map[string][]string{
	"time":    {"Since", "Until", "After", "AfterFunc", "Sleep", "NewTimer", "NewTicker", "Tick"},
	"context": {"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause"},
	"require": {"Eventually", "Eventuallyf", "EventuallyWithT", "Never", "Neverf", "WithinDuration"},
	"assert":  {"Eventually", "Eventuallyf", "EventuallyWithT", "Never", "Neverf", "WithinDuration"},
	"":        {"SetDeadline", "SetReadDeadline", "SetWriteDeadline"},
}

// clockUses lists the test functions that use the clock, and why they work on a machine
// of any speed.
var clockUses = map[string]string{
	// These wait for an event and poll.
	"e2e golden":                   "it polls the screen until go test ends; one that is updated is looked at for a second",
	"e2e interruptUntil":           "it presses ^C until the screen has changed",
	"e2e interruptUntilEnded":      "it presses ^C until the process has ended",
	"hooks/command dueWith":        "it polls for a file until the test ends",
	"hooks/hookstest Run":          "it polls for a file until the hook has ended",
	"internal/terminal awaitQuiet": "it presses a key again until that is heard",
	// Any moment is right.
	"e2e TestSignalledTwice":                         "the second signal comes at any time after the first",
	"e2e TestTheSecondInterruptEndsTheSession":       "a second ^C that comes too soon is the same one",
	"e2e killedRun":                                  "the kill comes at any time",
	"hooks/command TestAServiceThatLeftTheHookStays": "nothing happens at the deadline, however long it is waited for",
	"internal/discovered TestCancelled":              "the call never ends, and is cancelled at any time",
	"internal/mcp TestCancelledCall":                 "the call never ends, and is cancelled at any time",
	"internal/mcp TestRemoteCallsEnd":                "the call never ends, and is cancelled at any time",
	"internal/terminal streaming":                    "lines come by at any speed",
	"llm/gemini TestCancel":                          "the answer never comes, and is cancelled at any time",
	// Only something that never ends reaches the limit.
	"hooks/command runWithin":                 "a limit that is too short is doubled",
	"internal/mcp TestRemoteThatHangs":        "the server never answers",
	"internal/mcp TestServersThatDoNotAnswer": "the server never answers",
	"tools/policy ran":                        "a line that was not run lets nothing pass, and fails nothing",
	// These run in a synctest bubble, or in a benchmark.
	"agent Stream":             "in a bubble",
	"hooks/author/inspect Run": "a hook that is left running ends at any time",
	"tools/toolcall slow":      "in a bubble",
	"e2e run":                  "benchmarks read it",
	"tools/builtin fastest":    "in a benchmark",
	"e2e/agents peakBelow":     "in a benchmark",
	"e2e measureBash":          "in a benchmark",
	"internal/terminal deaf":   "it is stopped at once",
}

// TestNoTestDependsOnTheClock checks that no test fails because it takes too long. Such
// a test would fail on a slow machine, and say nothing about the code. Tests may use
// the time of testing/synctest or of a benchmark, or time that does not matter.
func TestNoTestDependsOnTheClock(t *testing.T) {
	t.Parallel()
	found := map[string][]string{}
	walkAll(t, func(dir, file string) {
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		f := parsed(t, file)
		for where, uses := range clockIn(f) {
			found[dir+" "+where] = append(found[dir+" "+where], uses...)
		}
	})
	for where, uses := range found {
		assert.NotEmpty(t, clockUses[where], "%s uses %s: wait with internal/waittest, take synctest or make it a benchmark", where, strings.Join(uses, ", "))
	}
	for where := range clockUses {
		assert.Contains(t, found, where, "it needs no exception any more")
	}
}

// clockIn returns the uses of the clock in a file, by the function they are in.
func clockIn(f *ast.File) map[string][]string {
	found := map[string][]string{}
	for _, d := range f.Decls {
		where := "variables"
		if fn, ok := d.(*ast.FuncDecl); ok {
			if where = fn.Name.Name; strings.HasPrefix(where, "Benchmark") {
				continue
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if x, name := called(call); x == "synctest" && name == "Test" {
					return false
				}
			}
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x := ""
			if id, ok := s.X.(*ast.Ident); ok {
				x = id.Name
			}
			if slices.Contains(clock[x], s.Sel.Name) || slices.Contains(clock[""], s.Sel.Name) {
				found[where] = append(found[where], strings.TrimPrefix(x+"."+s.Sel.Name, "."))
			}
			return true
		})
	}
	return found
}

// called returns the package and name of a called function of another package.
func called(call *ast.CallExpr) (x, name string) {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	id, ok := s.X.(*ast.Ident)
	if !ok {
		return "", ""
	}
	return id.Name, s.Sel.Name
}

func TestTheClockIsFound(t *testing.T) {
	t.Parallel()
	const source = `package x
func TestBad(t *testing.T) { began := time.Now(); work(); assert.Less(t, time.Since(began), time.Second) }
func helper() { c.SetReadDeadline(x); go func() { require.Eventually(t, f, 1, 2) }() }
func TestGood(t *testing.T) { synctest.Test(t, func(t *testing.T) { time.Sleep(1); context.WithTimeout(nil, 1) }) }
func BenchmarkX(b *testing.B) { time.Since(began) }
var late = time.After(1)
`
	f, err := parser.ParseFile(token.NewFileSet(), "x_test.go", source, 0)
	require.NoError(t, err)
	assert.Equal(t, "map[TestBad:[time.Since] helper:[c.SetReadDeadline require.Eventually] variables:[time.After]]", fmt.Sprint(clockIn(f)))
}

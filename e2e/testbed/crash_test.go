package testbed

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
)

// TestCrash: a crash is distinguished from a decision by the exit code and by what
// interpreters print.
func TestCrash(t *testing.T) {
	t.Parallel()
	r := &Record{Workspace: t.TempDir(), Home: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(r.Home, "guard.sh"), nil, 0o600))
	const grep = "grep: list: No such file or directory"
	for name, c := range map[string]struct {
		command string
		run     hooks.Run
		want    string
	}{
		"it decided": {"guard", hooks.Run{Exit: hooks.Exit{Code: 2, Stderr: []byte("no")}}, ""},
		"JSON on stdout": {
			"guard", hooks.Run{Exit: hooks.Exit{Code: 2, Stdout: []byte(` {"decision": "deny"}`), Stderr: []byte(grep)}}, ""},
		"JSON on stderr": {
			"guard", hooks.Run{Exit: hooks.Exit{Code: 2, Stderr: []byte(`{"a": 1}` + "\n" + grep)}}, ""},
		"a skipped hook": {"guard", hooks.Run{Skipped: "no", Exit: hooks.Exit{Code: 127}}, ""},
		"exit 0":         {"guard", hooks.Run{Exit: hooks.Exit{Stderr: []byte(grep)}}, ""},
		"a timeout": {"guard", hooks.Run{TimedOut: true, Exit: hooks.Exit{Code: 1}},
			"it did not end in time"},
		"a timeout that it denied": {"guard", hooks.Run{TimedOut: true, Exit: hooks.Exit{Code: 2}}, ""},
		"a signal": {"guard", hooks.Run{Exit: hooks.Exit{Code: -1, Signal: "killed"}},
			"a signal ended it: killed"},
		"not started": {"guard", hooks.Run{Exit: hooks.Exit{Code: -1, Err: errors.New("no fork")}},
			"it could not be started: no fork"},
		"no program": {"guard", hooks.Run{Exit: hooks.Exit{Code: 127}},
			"its program could not be started: "},
		"no permission": {"guard", hooks.Run{Exit: hooks.Exit{Code: 126}},
			"its program could not be started: "},
		"no file": {"sh guard.sh", hooks.Run{Exit: hooks.Exit{Code: 2}}, "there is no file " +
			filepath.Join(r.Workspace, "guard.sh")},
		"a file at home":        {"sh ~/guard.sh", hooks.Run{Exit: hooks.Exit{Code: 2}}, ""},
		"a folder nobody knows": {`sh "$TOOLS/guard.sh"`, hooks.Run{Exit: hooks.Exit{Code: 2}}, ""},
		"perl": {
			"guard", hooks.Run{Exit: hooks.Exit{Code: 2, Stderr: []byte("no list at x.pl line 3.\n")}},
			"no list at x.pl line 3."},
		"its own traceback": {
			"python3 -m x # guard.py",
			hooks.Run{Exit: hooks.Exit{Code: 1, Stderr: []byte("  File \"/x/guard.py\", line 3\nKeyError: 1")}}, "KeyError: 1"},
		"a traceback of what it ran": {
			"guard", hooks.Run{Exit: hooks.Exit{Code: 2, Stderr: []byte("  File \"/x/test_a.py\", line 3\nAssertionError")}},
			""},
		"a tool's fault": {"guard", hooks.Run{Exit: hooks.Exit{Code: 2, Stderr: []byte(grep)}}, grep},
		"its own fault": {
			"./guard.sh", hooks.Run{Exit: hooks.Exit{Code: 2, Stderr: []byte("./guard.sh: line 2: syntax error near x")}},
			"./guard.sh: line 2: syntax error near x"},
		"the fault of a checked file": {
			"./guard.sh", hooks.Run{Exit: hooks.Exit{Code: 2, Stderr: []byte("a.sh: line 2: syntax error near x")}}, ""},
	} {
		c.run.Hook.Command = c.command
		assert.Equal(t, c.want, r.Crash(c.run), name)
	}
}

// TestCutRunsAreNotOK: a case that was interrupted before it finished is not ok in TAP.
func TestCutRunsAreNotOK(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	f := NewFormat("tap", &out, false, "")
	for _, why := range []string{interrupted, "no git"} {
		f.Result(Result{Case: &Case{Name: "a"}, Skipped: why})
	}
	assert.Equal(t, "TAP version 13\nnot ok 1 - a\nok 2 - a # SKIP no git\n", out.String())
}

// TestExitOfASummary: a run in which every case was skipped proves nothing.
func TestExitOfASummary(t *testing.T) {
	t.Parallel()
	passed, skipped := Result{}, Result{Skipped: "no"}
	failed, broken := Result{Failures: []Failure{{}}}, Result{Broken: errors.New("no")}
	for _, c := range []struct {
		results []Result
		want    int
	}{
		{[]Result{passed}, ExitPassed},
		{[]Result{passed, skipped}, ExitPassed},
		{[]Result{skipped, skipped}, ExitFailed},
		{[]Result{passed, failed}, ExitFailed},
		{[]Result{failed, broken, skipped}, ExitBroken},
	} {
		assert.Equal(t, c.want, Summary{Results: c.results}.ExitCode())
	}
}

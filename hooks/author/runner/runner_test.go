package runner_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/author/runner"
)

const bash = `{"session_id":"s","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`

// run runs a script for a payload of Claude Code, unless o says otherwise.
func run(t *testing.T, script, stdin string, o runner.Options) (code int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "guard.sh")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	var out, errs bytes.Buffer
	if o.Command == nil {
		o.Command = []string{path}
	}
	if o.Dialect == "" {
		o.Dialect = "gemini"
	}
	o.Dir, o.Env, o.Stdin, o.Stdout, o.Stderr = dir, []string{"PATH=" + os.Getenv("PATH")}, strings.NewReader(stdin), &out, &errs
	code = runner.Start(t.Context(), o, true)
	return code, out.String(), errs.String()
}

// TestScriptsThatFail checks that a script that does not start or does not end refuses,
// that other failures are warnings, and that --on-error changes both.
func TestScriptsThatFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script  string
		options runner.Options
		code    int
		says    string
	}{
		"it is not there":          {"", runner.Options{Command: []string{"./nobody.sh"}}, 2, "no such file"},
		"it is not in PATH":        {"", runner.Options{Command: []string{"no-such-program-here"}}, 2, "not found"},
		"not there, and allowed":   {"", runner.Options{Command: []string{"./nobody.sh"}, OnError: "allow"}, 0, "no such file"},
		"a folder":                 {"", runner.Options{Command: []string{"/"}}, 2, "/"},
		"what it calls is missing": {"exec no-such-program-here", runner.Options{}, 2, "127"},
		"it takes too long":        {"exec sleep 60", runner.Options{Timeout: 50_000_000}, 2, "took longer than 50ms"},
		"too long, and allowed":    {"exec sleep 60", runner.Options{Timeout: 50_000_000, OnError: "allow"}, 0, "took longer"},
		"a signal":                 {"kill -9 $$", runner.Options{}, 2, "SIGKILL"},
		"exit 1":                   {"echo broken >&2; exit 1", runner.Options{}, 0, "broken"},
		"exit 1, and blocked":      {"echo broken >&2; exit 1", runner.Options{OnError: "block"}, 2, "broken"},
		"exit 2":                   {"echo no >&2; exit 2", runner.Options{OnError: "allow"}, 2, "no"},
		"exit 2 without a reason":  {"exit 2", runner.Options{}, 2, "refused by a hook"},
		"exit 1 with a deny":       {`echo '{"decision":"deny","reason":"no"}'; exit 1`, runner.Options{}, 2, "no"},
		"no --portable dialect":    {"", runner.Options{Dialect: "klingon"}, 2, "klingon"},
		"no such agent":            {"", runner.Options{Agent: "clawd"}, 2, "clawd"},
		"no such value":            {"", runner.Options{OnError: "perhaps"}, 2, "perhaps"},
	} {
		code, stdout, stderr := run(t, c.script, bash, c.options)
		assert.Equal(t, c.code, code, "%s: %s%s", name, stdout, stderr)
		assert.Contains(t, stderr, c.says, name)
	}
}

// TestWhatScriptsRead checks that a script reads the same from two agents, in either
// dialect, with the variables of the folder.
func TestWhatScriptsRead(t *testing.T) {
	t.Parallel()
	copilot := `{"sessionId":"s","timestamp":1795293622490,"cwd":"/work","toolName":"bash","toolArgs":{"command":"ls"}}`
	tell := `input=$(cat); echo "$input $GEMINI_PROJECT_DIR" >&2; exit 2`
	code, stdout, stderr := run(t, tell, copilot, runner.Options{})
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, `"tool_name":"run_shell_command","tool_input":{"command":"ls"}`)
	assert.Contains(t, stderr, "} /work")
	assert.Contains(t, stdout, `"permissionDecision":"deny"`)

	_, _, stderr = run(t, tell, copilot, runner.Options{Dialect: "claude"})
	assert.Contains(t, stderr, `"tool_name":"Bash"`)
	assert.Contains(t, stderr, `"hook_event_name":"PreToolUse"`)

	claude := `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not so"}}'`
	code, stdout, _ = run(t, claude, copilot, runner.Options{Dialect: "claude"})
	assert.Equal(t, 2, code)
	assert.Contains(t, stdout, `"permissionDecisionReason":"not so"`)
}

// TestMatch checks that other tools pass without running the script, by the tool names
// of its dialect.
func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		match, dialect string
		code           int
	}{
		{"run_shell", "gemini", 2}, {"^write_file$", "gemini", 0}, {"Bash", "gemini", 0}, {"Bash|Write", "claude", 2}, {"Ba", "claude", 0}, {"", "gemini", 2}, {".*", "claude", 2},
	} {
		code, _, _ := run(t, "exit 2", bash, runner.Options{Match: c.match, Dialect: c.dialect})
		assert.Equal(t, c.code, code, c.match)
	}
}

// TestOddInput checks that input that no agent sends, or no input, refuses.
func TestOddInput(t *testing.T) {
	t.Parallel()
	for _, stdin := range []string{"", "{", "[]", "null", `{"a":1}`} {
		code, stdout, stderr := run(t, "exit 0", stdin, runner.Options{})
		assert.Equal(t, 2, code, stdin)
		assert.Contains(t, stdout, `"cancel":true`, "it refuses whoever reads it")
		assert.NotEmpty(t, stderr)
	}
}

// TestEventsWithoutCounterpart checks that they are passed on unchanged.
func TestEventsWithoutCounterpart(t *testing.T) {
	t.Parallel()
	code, stdout, _ := run(t, "cat; exit 3", `{"session_id":"s","permission_mode":"default","hook_event_name":"PostToolBatch","tool_calls":[]}`, runner.Options{})
	assert.Equal(t, 3, code)
	assert.Contains(t, stdout, `"hook_event_name":"PostToolBatch"`)
}

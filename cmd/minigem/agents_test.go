package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/app"
)

// TestMain runs minigem itself if the test binary is started as "minigem" or to run a
// hook, because hooks of cases call it. The tests run without CI in their environment:
// --strict is the default with it.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "minigem" || len(os.Args) > 2 && os.Args[1] == "hooks" && os.Args[2] == "run" {
		main()
	}
	os.Unsetenv("CI")
	os.Exit(m.Run())
}

// TestBinary checks that --binary means --on gemini, and that a program that is not
// that agent has a column that says so.
func TestBinary(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "fork")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho fork 9.9.9\n"), 0o755))
	file := testbedData + "/cases/before_tool_deny.txtar"
	tidy := func(s string) string { return regexp.MustCompile(`\d+\.\ds`).ReplaceAllString(s, "TIME") }
	code, old, stderr := hooksTest(t, "--binary", program, file)
	assert.Equal(t, 1, code, stderr)
	assert.Contains(t, old, "gemini: cannot: gemini made no request to the model: exit 0, it last printed \"fork 9.9.9\"")
	code, now, stderr := hooksTest(t, "--on", "gemini", "--agent-bin", "gemini="+program, file)
	assert.Equal(t, 1, code, stderr)
	assert.Equal(t, tidy(now), tidy(old))
	code, _, missing := hooksTest(t, "--binary", program+"s", file)
	assert.Equal(t, 42, code)
	assert.Contains(t, missing, "gemini: there is no program "+program+"s")
}

// TestOnRefuses checks that flags that a matrix does not support are errors before
// anything runs.
func TestOnRefuses(t *testing.T) {
	t.Parallel()
	file := testbedData + "/cases/before_tool_deny.txtar"
	for _, tt := range []struct{ flags, want string }{
		{"--on claude --format tap", `the format is "tap": with --on and --as, use one of text, json, github`},
		{"--on claude --junit x.xml", "--junit is not available with --on"},
		{"--on claude --coverage", "--coverage is not available with --on"},
		{"--on claude --min 5", "--min is not available with --on"},
		{"--on claude --watch", "--watch is not available with --on"},
		{"--on claude --update", "--update is not available with --on"},
		{"--html x.html --watch", "--html is not available with --watch"},
		{"--format xml", "the format is \"xml\": use one of text, tap, junit, github, json"},
	} {
		code, _, stderr := hooksTest(t, append(strings.Fields(tt.flags), file)...)
		assert.Equal(t, 42, code, tt.flags)
		assert.Contains(t, stderr, tt.want, tt.flags)
	}
}

// TestRealAgents runs the example that refuses everywhere, and the one that does not,
// on the agents in the folder MINIGEM_AGENTS.
func TestRealAgents(t *testing.T) {
	from := os.Getenv("MINIGEM_AGENTS")
	if from == "" {
		t.Skip("MINIGEM_AGENTS names no folder with agents, such as that of: minigem agents install")
	}
	code, stdout, stderr := hooksTest(t, "--on", "claude,codex", "--agents-from", from, "--format", "json",
		"../../examples/portable/universal.txtar", "../../examples/portable/naive.txtar")
	require.Equal(t, 1, code, stderr)
	var cells []struct{ Case, Agent, State, Why string }
	require.NoError(t, json.Unmarshal([]byte(stdout), &cells))
	states := map[string]string{}
	for _, c := range cells {
		states[c.Agent+" "+c.Case[len("../../examples/portable/"):]] = c.State + c.Why
	}
	assert.Equal(t, map[string]string{
		"minigem universal": "pass", "claude universal": "pass", "codex universal": "pass",
		"minigem naive": "pass", "claude naive": "fail", "codex naive": "fail",
	}, states)
}

func TestOnNamesAnAgent(t *testing.T) {
	t.Parallel()
	code, _, stderr := hooksTest(t, "--on", "zebra", "../../examples/portable/naive.txtar")
	assert.Equal(t, 42, code)
	assert.Contains(t, stderr, `there is no agent "zebra": expected minigem, all, or some of claude, codex`)
}

// TestAsNamesAnAgent checks that a misspelled agent gets a suggestion, and that the
// column of an agent that is not known well enough says so and does not pass.
func TestAsNamesAnAgent(t *testing.T) {
	t.Parallel()
	code, _, stderr := hooksTest(t, "--as", "cluade", "../../examples/portable/naive.txtar")
	assert.Equal(t, 42, code)
	assert.Contains(t, stderr, `there is no agent "cluade"; did you mean "claude"?`)
	for _, args := range [][2]string{{"--as", "copilotc"}, {"--as", "opencode,copilotc"}, {"--on", "copilotc"}, {"--on", "minigem,copilotc"}} {
		code, stdout, stderr := hooksTest(t, args[0], args[1], "../../examples/portable/naive.txtar")
		assert.Equal(t, 42, code, args)
		assert.Contains(t, stderr, `there is no agent "copilotc"; did you mean "copilot"?`, args)
		assert.Empty(t, stdout, args)
		assert.NotContains(t, stderr, "copilotc,", "the list has only what can be played")
	}
	code, _, stderr = hooksTest(t, "--as", ",", "../../examples/portable/naive.txtar")
	assert.Equal(t, 42, code, stderr)
	code, stdout, _ := hooksTest(t, "--as", "amp", "../../examples/portable/naive.txtar")
	assert.Equal(t, 1, code, "what was asked for and proves nothing must not go unseen")
	assert.Contains(t, stdout, "amp (unproven): cannot: the hooks of Amp have not been measured; its documentation is at https://")
	assert.Contains(t, stdout, "1 passed, 0 failed, 1 undecided")
}

// TestVerboseMatrix checks that -v also shows what happened where a case passed.
func TestVerboseMatrix(t *testing.T) {
	t.Parallel()
	file := testbedData + "/cases/before_tool_deny.txtar"
	const seen = "before_tool_deny on gemini (played):\n    seen: BeforeTool "
	code, stdout, stderr := hooksTest(t, "-v", "--as", "gemini", file)
	assert.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, seen)
	code, stdout, stderr = hooksTest(t, "--as", "gemini", file)
	assert.Equal(t, 0, code, stderr)
	assert.NotContains(t, stdout, seen)
}

// TestAs checks that minigem plays agents and that each cell says how the agent treats
// the case. The column of a played agent never has the agent's bare name.
func TestAs(t *testing.T) {
	t.Parallel()
	const folder = "../../e2e/agents/played/testdata/cases"
	code, stdout, stderr := hooksTest(t, "--as", "claude,qwen,gemini", "--format", "json", folder)
	require.Equal(t, 1, code, stderr)
	var cells []struct{ Case, Agent, State, Why string }
	require.NoError(t, json.Unmarshal([]byte(stdout), &cells))
	states := map[string]string{}
	for _, c := range cells {
		if c.Agent != "minigem" {
			states[c.Agent+" "+c.Case[len(folder)+1:]] = c.State
		}
		if c.State == "cannot" {
			assert.NotEmpty(t, c.Why)
		}
	}
	assert.Equal(t, map[string]string{
		"claude (played) all_texts": "cannot", "qwen (played) all_texts": "cannot", "gemini (played) all_texts": "pass",
		"gemini (played) claude": "cannot", "gemini (played) failed": "cannot", "gemini (played) nested_allow": "pass",
		"gemini (played) odd_entry":  "cannot",
		"gemini (played) unmeasured": "cannot", "claude (played) claude": "pass", "claude (played) failed": "pass",
		"claude (played) nested_allow": "pass", "claude (played) odd_entry": "fail",
		"claude (played) unmeasured": "cannot",
		"qwen (played) claude":       "cannot", "qwen (played) failed": "fail", "qwen (played) nested_allow": "fail",
		"qwen (played) odd_entry":  "cannot",
		"qwen (played) unmeasured": "cannot",
	}, states)
}

// TestAsIsOnlyForCases checks that agents are played only in cases: minigem itself has
// no such flag.
func TestAsIsOnlyForCases(t *testing.T) {
	t.Parallel()
	b := &strings.Builder{}
	sys := &app.System{Stdin: strings.NewReader(""), Stdout: b, Stderr: b, Dir: t.TempDir(),
		Env: []string{"HOME=" + t.TempDir()}}
	assert.Equal(t, 1, run([]string{"--as", "claude", "-p", "hello"}, sys))
	assert.Contains(t, b.String(), "unknown flag: --as")
}

// TestPortableExamples checks that minigem refuses and passes as the examples say, and
// that each of them proves something.
func TestPortableExamples(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "minigem"))) // see TestMain
	var out, errs bytes.Buffer
	env := append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	sys := &app.System{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Env: env, Dir: t.TempDir(),
		Now: time.Now}
	code, stdout, stderr := run([]string{"hooks", "test", "--strict", "../../examples/portable"}, sys), out.String(), errs.String()
	assert.Equal(t, 0, code, stdout+stderr)
}

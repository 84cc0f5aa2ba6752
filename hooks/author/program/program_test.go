package program_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/program"
)

type fact = program.Fact

// read examines a program with this text, which the hook runs as "./NAME".
func read(t *testing.T, name, text string) program.Facts {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	all := program.Read(hooks.Hook{Command: "./" + name}, program.Place{Dir: dir, ProjectDir: dir, Home: dir})
	require.Len(t, all, 2, "the command, and the program")
	assert.Equal(t, program.Shell, all[0].Lang)
	assert.Empty(t, all[0].Path)
	f := all[1]
	assert.Equal(t, filepath.Join(dir, name), f.Path)
	assert.Equal(t, text, f.Text)
	f.Path, f.Text = "", ""
	return f
}

func TestShell(t *testing.T) {
	t.Parallel()
	type facts = program.Facts
	at := func(line int, text string) []fact { return []fact{{Line: line, Text: text}} }
	for _, c := range []struct {
		text string
		want facts
	}{
		{"", facts{Silent: true}},
		{"exit 2", facts{Silent: true, Exits: at(1, "2")}},
		{"exit $code; exit", facts{Silent: true}},
		{"echo no\nexit 2", facts{Stdout: at(1, "no"), Exits: at(2, "2")}},
		{"echo -n no >&2", facts{Stderr: at(1, "no")}},
		{"echo no > /dev/stderr", facts{Stderr: at(1, "no")}},
		{"echo no > log", facts{Silent: true}},
		{"echo no >> log; echo &> log", facts{Silent: true}},
		{"{ echo no; } >/dev/null", facts{Silent: true}},
		{"printf '%s' x | jq .", facts{}},
		{"cat <<E\n{\"a\": 1}\nE", facts{Stdout: at(1, "{\"a\": 1}\n")}},
		{"if grep -q x; then exit 2; fi", facts{Silent: true, Exits: at(1, "2")}},
		{"grep x", facts{}},
		{"f() { exit 3; }\nf", facts{Exits: at(1, "3")}},
		{"# exit 2\ntrue", facts{Silent: true}},
		{"case $x in a) exit 2 ;; esac", facts{Silent: true, Exits: at(1, "2")}},
		{"for x in a; do exit 4; done; while true; do exit 5; done; (exit 6); time exit 7", facts{Silent: true, Exits: []fact{{1, "4"}, {1, "5"}, {1, "6"}, {1, "7"}}}},
		// text, then JSON, on one path
		{"echo a\necho '{}'", facts{Stdout: []fact{{1, "a"}, {2, "{}"}}, Mixed: &fact{1, "a"}}},
		{"echo '{}'\necho a", facts{Stdout: []fact{{1, "{}"}, {2, "a"}}}},
		{"if x; then echo a; else echo '{}'; fi >&1", facts{Stdout: []fact{{1, "a"}, {1, "{}"}}}},
		{"echo a >&2\necho '{}'", facts{Stderr: at(1, "a"), Stdout: at(2, "{}")}},
		{`echo "{\"decision\": \"deny\"}"`, facts{Stdout: at(1, `{"decision": "deny"}`), Decisions: at(1, "deny")}},
		// signals and children
		{"trap '' TERM", facts{Silent: true, Traps: &fact{Line: 1}}},
		{"true\ntrap \"\" 15 INT", facts{Silent: true, Traps: &fact{Line: 2}}},
		{"trap 'rm x' TERM; trap '' INT; trap '' EXIT", facts{Silent: true}},
		{"sleep 9 &", facts{Silent: true, Leaves: &fact{Line: 1}}},
		{"sleep 9 >/dev/null 2>&1 &", facts{Silent: true}},
		{"kill -9 $$", facts{Silent: true, Kills: &fact{1, "kill -9 $$"}}},
		{"kill $child", facts{Silent: true}},
		// left behind by editors
		{"\ufeffexit 2\r\n", facts{Silent: true, Exits: at(1, "2")}},
	} {
		c.want.Lang = program.Shell
		assert.Equal(t, c.want, read(t, "x.sh", c.text), c.text)
	}
	broken := read(t, "x.sh", "if true; then")
	assert.NotEmpty(t, broken.Invalid)
	assert.False(t, broken.Silent, "nothing is known of what cannot be read")
}

func TestOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		lang       program.Language
		exits      []fact
		stderr     bool // it prints JSON on stderr
	}{
		{"x.py", "sys.exit(2)\nos._exit( 3 )\nexit(0)", program.Python, []fact{{1, "2"}, {2, "3"}, {3, "0"}}, false},
		{"x.py", "# sys.exit(2)\nsys.exit(code)", program.Python, nil, false},
		{"x.py", "sys.exit('not this file')\nraise SystemExit(f\"no\")\nsys.exit(main())", program.Python, []fact{{1, "1"}, {2, "1"}}, false},
		{"x.py", "print(json.dumps(a), file=sys.stderr)", program.Python, nil, true},
		{"x.py", "json.dump(a, sys.stdout)", program.Python, nil, false},
		{"x.js", "process.exit(2)\nprocess.exitCode = 1", program.Script, []fact{{1, "2"}, {2, "1"}}, false},
		{"x.js", "console.error(JSON.stringify(a))", program.Script, nil, true},
		{"x.mjs", "// process.exit(2)", program.Script, nil, false},
		// by the first line, regardless of the name
		{"x", "#!/usr/bin/env python3\nsys.exit(2)", program.Python, []fact{{2, "2"}}, false},
		{"x", "#!/usr/bin/env node\nprocess.exit(2)", program.Script, []fact{{2, "2"}}, false},
		{"x.py", "#!/bin/bash\nexit 2", program.Shell, []fact{{2, "2"}}, false},
		{"x", "\ufeff#!/bin/sh\nexit 2", program.Shell, []fact{{2, "2"}}, false},
		{"x.rb", "exit 2", program.Other, nil, false},
	} {
		f := read(t, c.name, c.text)
		assert.Equal(t, c.lang, f.Lang, c.text)
		assert.Equal(t, c.exits, f.Exits, c.text)
		assert.Equal(t, c.stderr, f.JSONOnStderr() != nil, c.text)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	f := read(t, "x.py", "# stop_hook_active\nprint({\"decision\": \"deny\"})\nx = {'decision': 'denied'}\nprint('permissionDecision', 'updatedInput')\n")
	assert.Equal(t, []fact{{2, "deny"}, {3, "denied"}}, f.Decisions)
	assert.Equal(t, []fact{{4, "permissionDecision"}, {4, "updatedInput"}}, f.Foreign)

	f = program.Facts{Text: "# stop_hook_active\n  // tool_input\nif x[\"prompt\"]:\n", Exits: []fact{{1, "1"}, {2, "x"}, {3, "2"}}, Stdout: []fact{{1, "hello"}, {2, " {} "}}}
	assert.False(t, f.Mentions("stop_hook_active"), "a comment")
	assert.False(t, f.Mentions("tool_input"), "a comment")
	assert.True(t, f.Mentions("prompt"))
	assert.Equal(t, &fact{3, "2"}, f.Exit(func(code int) bool { return code == 2 }))
	assert.Nil(t, f.Exit(func(code int) bool { return code > 2 }))
	assert.Equal(t, &fact{2, " {} "}, f.JSONOnStdout())
	assert.Nil(t, f.JSONOnStderr())
}

// Read leaves out files that are not programs or cannot be examined.
func TestReadLeavesOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"built": "\x7fELF\x00\x00", "rules.json": "{}", "notes.md": "exit 2", "large.sh": strings.Repeat("true\n", 100_000), "run": "exit 2", "my dir/x.sh": "exit 2",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	for command, want := range map[string][]string{
		"./built":                      nil,
		"./no-such.sh":                 nil,
		"./large.sh":                   nil,
		"sh run --rules rules.json":    {"run"},
		"cat notes.md":                 nil,
		`"$HOME/my dir/x.sh"`:          {"my dir/x.sh"},
		"${GEMINI_PROJECT_DIR}/run -v": {"run"},
		"if true; then":                nil,
	} {
		all := program.Read(hooks.Hook{Command: command}, program.Place{Dir: dir, ProjectDir: dir, Home: dir})
		require.NotEmpty(t, all, command)
		var got []string
		for _, f := range all[1:] {
			rel, err := filepath.Rel(dir, f.Path)
			require.NoError(t, err)
			got = append(got, filepath.ToSlash(rel))
		}
		assert.Equal(t, want, got, command)
	}
}

func TestSingleQuotedVariable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		single  bool
	}{
		{"$GEMINI_PROJECT_DIR/x.sh", false},
		{`"$GEMINI_PROJECT_DIR/x.sh"`, false},
		{"'$GEMINI_PROJECT_DIR/x.sh'", true},
		{"echo '${X}' '$1' '$'", true},
		{"awk '{print $1}'", false},
		{"echo 'broken $HOME", false},
	} {
		assert.Equal(t, c.single, program.SingleQuotedVariable(c.command), c.command)
	}
}

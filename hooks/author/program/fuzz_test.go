package program_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/program"
)

// FuzzRead checks that, for any program, each fact has a line of it, and that there are
// no more facts than the text has room for.
func FuzzRead(f *testing.F) {
	for _, seed := range [][2]string{
		{"hook.sh", "#!/bin/bash\ntrap '' TERM\nsleep 5 &\necho '{\"decision\":\"deny\"}' >&2\nif a; then exit 2; fi\n"}, {"hook.sh", "cat <<X\n{}\nX\nkill $$"}, {"hook.sh", "((("},
		{"hook.py", "#!/usr/bin/env python3\nimport sys\nprint(json.dumps({\"decision\": 'block'}), file=sys.stderr)\nsys.exit(2)\n"},
		{"hook.js", "process.exit(1); console.error(JSON.stringify({decision: 'allow'}))"}, {"hook", "\ufeff#!/bin/sh\nexit 3"},
	} {
		f.Add(seed[0], seed[1], "./"+seed[0])
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, name, text, command string) {
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz.") != "" || strings.Trim(name, ".") == "" || len(name) > 100 {
			name = "hook.sh"
		}
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o700))
		defer os.Remove(file)
		place := program.Place{Dir: dir, ProjectDir: dir, Home: dir}
		for _, c := range []string{"./" + name, command} {
			for _, facts := range program.Read(hooks.Hook{Command: c}, place) {
				checkFacts(t, facts)
			}
			program.SingleQuotedVariable(c)
		}
	})
}

func checkFacts(t *testing.T, f program.Facts) {
	last := strings.Count(f.Text, "\n") + 1
	found := append(append(append(append(append([]program.Fact(nil), f.Exits...), f.Decisions...), f.Foreign...), f.Stdout...), f.Stderr...)
	for _, p := range []*program.Fact{f.Mixed, f.Traps, f.Leaves, f.Kills} {
		if p != nil {
			found = append(found, *p)
		}
	}
	require.LessOrEqual(t, len(found), 2*len(f.Text)+4)
	for _, fact := range found {
		require.Positive(t, fact.Line, "%+v", fact)
		require.LessOrEqual(t, fact.Line, last, "%+v", fact)
	}
}

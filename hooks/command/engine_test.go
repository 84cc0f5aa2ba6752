//go:build unix

package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// engine returns an engine whose settings have n BeforeTool hooks, which are real
// processes.
func engine(t testing.TB, n int, line func(i int) string) (*hooks.Engine, *[]hooks.Report) {
	t.Helper()
	dir := t.TempDir()
	var list string
	for i := range n {
		if i > 0 {
			list += ","
		}
		list += fmt.Sprintf(`{"type": "command", "name": "h%d", "command": %q, "timeout": 1500}`, i, line(i))
	}
	s, err := config.LoadSettings(hooks.LayerUser, filepath.Join(dir, "settings.json"), []byte(`{"hooks": {"BeforeTool": [{"hooks": [`+list+`]}]}}`))
	require.NoError(t, err)
	require.Empty(t, s.Problems)
	var reports []hooks.Report
	children := &command.Children{}
	t.Cleanup(func() { assert.NoError(t, children.Close()) })
	return &hooks.Engine{
		Config: config.Merge(s).Config,
		Runner: command.Runner{Dir: dir, Env: os.Environ(), Children: children},
		Origin: hooks.Origin{SessionID: "s", Cwd: dir, ProjectDir: dir},
		Report: func(r hooks.Report) { reports = append(reports, r) },
	}, &reports
}

var use = hooks.ToolUse{Call: llm.ToolCall{ID: "1", Name: "run_shell_command", Args: map[string]any{"command": "ls"}}}

func TestABlockAlwaysBlocksDespiteEveryFault(t *testing.T) {
	t.Parallel()
	faults := []string{
		`exit 1`, `exit 3`, `exit 127`, `kill -KILL $$`, `./no-such-file`, `sleep 3600`, `trap "" TERM; while :; do sleep 0.05; done`,
		`sleep 3600 & printf '{"decision":"allow"}'`, `head -c 3000000 /dev/zero`, `printf '\377\376'`, `printf '{"decision":'`,
		`exec <&- >&- 2>&-`, `printf '{"hookSpecificOutput":"text"}'`,
		`printf '{"a":%.0s' $(seq 10000)`, `exit 2`,
	}
	e, reports := engine(t, len(faults), func(i int) string { return faults[i] })
	for i := range faults {
		if i != 5 && i != 6 {
			e.Config.Hooks[i].Timeout = patient // it ends by itself
		}
	}
	out := e.BeforeTool(t.Context(), use)
	assert.Equal(t, hooks.Deny, out.Decision)
	assert.Equal(t, []string{"h8", "h14"}, out.Hooks, "a stream that was cut, and exit 2")
	require.Len(t, *reports, 1)
	require.Len(t, (*reports)[0].Runs, len(faults))
	for i, run := range (*reports)[0].Runs {
		assert.Equal(t, i == 5 || i == 6, run.TimedOut, faults[i])
	}
}

func missing(file string) bool {
	_, err := os.Stat(file)
	return err != nil
}

// TestADenyIsNeverLost checks that a printed deny holds, whatever else the hook does.
func TestADenyIsNeverLost(t *testing.T) {
	t.Parallel()
	const deny = `printf '{"decision":"deny","reason":"no"}'`
	for _, c := range []struct{ name, line string }{
		// how it is written
		{"in two writes", `printf '{"decision":"de'; sleep 0.2; printf 'ny"}'`},
		{"byte by byte", `for c in '{' '"decision"' ':' '"d' eny '"}'; do printf %s "$c"; sleep 0.02; done`},
		{"through a process substitution", `exec > >(sleep 0.1; cat); ` + deny},
		{"by a child that the shell waits for", `{ sleep 0.2; ` + deny + `; } | cat`},
		{"in UTF-16", `printf '\377\376{\0"\0d\0e\0c\0i\0s\0i\0o\0n\0"\0:\0"\0d\0e\0n\0y\0"\0}\0'`},
		// what surrounds it
		{"after 3 MB", `head -c 3000000 /dev/zero | tr '\0' x; echo; ` + deny},
		{"after 3 MB of braces", `yes '{ "a": {' | head -c 3000000; echo; ` + deny},
		{"in the middle of 6 MB", `head -c 3000000 /dev/zero | tr '\0' x; echo; ` + deny + `; echo; head -c 3000000 /dev/zero | tr '\0' x`},
		{"in the middle of 6 MB of stderr", `{ head -c 3000000 /dev/zero | tr '\0' x; echo; ` + deny + `; echo; head -c 3000000 /dev/zero | tr '\0' x; } >&2`},
		{"after 20 MB of lines, before 2", `yes 'all is well { here' | head -c 20000000; echo; ` + deny + `; echo; yes | head -c 2000000`},
		{"before 3 MB", deny + `; echo; head -c 3000000 /dev/zero | tr '\0' x`},
		{"with a reason of 3 MB", `printf '{"decision":"deny","reason":"'; head -c 3000000 /dev/zero | tr '\0' x; printf '"}'`},
		{"after a reason of 3 MB", `printf '{"reason":"'; head -c 3000000 /dev/zero | tr '\0' x; printf '","decision":"deny"}'`},
		{"beside 3 MB of stderr", `head -c 3000000 /dev/zero >&2; ` + deny},
		{"on stderr after 3 MB", `head -c 3000000 /dev/zero | tr '\0' x >&2; { echo; ` + deny + `; } >&2`},
		{"after a deep value", `printf '{"a":'; head -c 20000 /dev/zero | tr '\0' '['; head -c 20000 /dev/zero | tr '\0' ']'; printf ',"decision":"deny"}'`},
		{"after a deep value among noise", `echo x; printf '{"a":'; head -c 20000 /dev/zero | tr '\0' '['; head -c 20000 /dev/zero | tr '\0' ']'; printf ',"decision":"deny"}'`},
		// how the hook ends
		{"exit 2 that says allow", `printf '{"decision":"allow"}'; exit 2`},
		{"exit 1", deny + `; exit 1`},
		{"it kills itself", deny + `; kill -KILL $$`},
		{"it kills its group", deny + `; kill -KILL 0`},
		{"a timeout", deny + `; : >ready; sleep 3600`},
		{"a timeout, TERM ignored", deny + `; trap "" TERM; : >ready; while :; do sleep 0.05; done`},
		{"a timeout in the middle", `printf '{"decision":"deny","reason":"half'; : >ready; sleep 3600`},
		{"a daemon holds stdout", `sleep 3600 & ` + deny},
		{"a daemon writes on", `(while :; do echo x; sleep 0.01; done) & ` + deny},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, _ := engine(t, 1, func(int) string { return c.line })
			hangs := strings.HasPrefix(c.name, "a timeout")
			if !hangs {
				e.Config.Hooks[0].Timeout = patient
			}
			out := e.BeforeTool(t.Context(), use)
			for hangs && missing(filepath.Join(e.Origin.Cwd, "ready")) { // the machine was too slow
				e.Config.Hooks[0].Timeout *= 2
				out = e.BeforeTool(t.Context(), use)
			}
			assert.Equal(t, hooks.Deny, out.Decision)
		})
	}
}

func TestHooksReadWhatTheManualSays(t *testing.T) {
	t.Parallel()
	e, reports := engine(t, 1, func(int) string {
		return `cat >in.json; printf '%s' "$GEMINI_PROJECT_DIR|$GEMINI_SESSION_ID|$GEMINI_CWD|$CLAUDE_PROJECT_DIR|$PWD"`
	})
	e.BeforeTool(t.Context(), use)
	dir := e.Origin.Cwd
	require.Len(t, *reports, 1)
	assert.Equal(t, fmt.Sprintf("%s|s|%s|%s|%s", dir, dir, dir, dir), string((*reports)[0].Runs[0].Exit.Stdout))
	data, err := os.ReadFile(filepath.Join(dir, "in.json"))
	require.NoError(t, err)
	assert.Equal(t, (*reports)[0].Input.String(), string(data))
	assert.Contains(t, string(data), `"hook_event_name":"`+string(protocol.BeforeTool)+`"`)
}

// BenchmarkEightHooks runs eight hooks of 100 ms each in parallel.
func BenchmarkEightHooks(b *testing.B) {
	e, _ := engine(b, 8, func(i int) string { return fmt.Sprintf(": %d; exec sleep 0.1", i) })
	for b.Loop() {
		if out := e.BeforeTool(b.Context(), use); out.Decision != hooks.Proceed {
			b.Fatal(out.Reason)
		}
	}
}

// TestAGuardOutlivesTheWorkingDirectory checks that deleting the session's folder, or
// removing the permission to enter it, does not disable a guard.
func TestAGuardOutlivesTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(dir string) error{
		"deleted":   os.RemoveAll,
		"a file":    func(dir string) error { _ = os.RemoveAll(dir); return os.WriteFile(dir, nil, 0o600) },
		"no rights": func(dir string) error { return os.Chmod(dir, 0) },
	} {
		e, reports := engine(t, 2, func(i int) string {
			return []string{"touch left; cat >/dev/null; pwd >&2; exit 2", "rm -f left"}[i]
		})
		for i := range e.Config.Hooks {
			e.Config.Hooks[i].Timeout = patient
		}
		require.NoError(t, take(e.Origin.Cwd))
		if name == "no rights" && os.Geteuid() == 0 {
			continue // root can enter every folder
		}
		out := e.BeforeTool(t.Context(), use)
		assert.Equal(t, hooks.Deny, out.Decision, name)
		require.Contains(t, out.Reason, "minigem-", name)
		for _, run := range (*reports)[0].Runs {
			require.Len(t, run.Warnings, 1, name)
			assert.Contains(t, run.Warnings[0], "started in an empty folder", name)
		}
		require.NoError(t, os.RemoveAll(out.Reason)) // the first left a file there
	}
}

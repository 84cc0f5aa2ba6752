package torture_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/torture"
	"minigem/hooks/command"
	"minigem/hooks/protocol"
)

// tortured runs all trials on a script, whose payload is a command.
func tortured(t *testing.T, script, onError string, guard bool, trials string) torture.Report {
	t.Helper()
	dir, temp := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hook.sh"), []byte(script), 0o600))
	children := &command.Children{}
	t.Cleanup(func() { _ = children.Close() })
	c := hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Name: "hook", Command: "sh hook.sh", OnError: onError}}}
	payload, err := torture.SampleFor(c, protocol.BeforeTool, []string{"run_shell_command"})
	require.NoError(t, err)
	payload, err = inspect.Set(payload, "tool_input.command=cat .env")
	require.NoError(t, err)
	r, err := torture.Torture(t.Context(), torture.Subject{
		Config: c, Dir: dir, Temp: temp, Left: children.Running, Payload: payload, Guard: guard, Heavy: 1 << 16, Most: 4, Match: regexp.MustCompile(trials),
		Runner: func(at torture.Place) hooks.Runner {
			env := []string{"PATH=" + os.Getenv("PATH")}
			if at.Env["HOME"] != "" || !hasKey(at.Env, "HOME") {
				env = append(env, "HOME="+temp)
			}
			for name, value := range at.Env {
				env = append(env, name+"="+value)
			}
			return command.Runner{Dir: at.Dir, Env: env, Children: children}
		},
	}, nil)
	require.NoError(t, err)
	return r
}

func hasKey(m map[string]string, key string) bool { _, ok := m[key]; return ok }

// TestPlantedFaults checks that each fault is found, under the name of its class.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the hooks are scripts of sh")
	}
	const refuse = "*.env*) echo no >&2; exit 2;;"
	for _, c := range []struct {
		class, script string
		guard         bool
		trials        string
	}{
		{torture.Crash, "case $(cat) in *heavy*) exit 3;; esac", false, "heavy"},
		{torture.Crash, "case $(cat) in *'\\u0000'*) kill -9 $$;; esac", false, "NUL"},
		{torture.FailOpen, "in=$(cat)\ncase $in in *x_note*) exit 1;; " + refuse + " esac", true, "double quotes"},
		{torture.FailOpen, "in=$(cat)\ncase $in in *x_unknown*) ;; " + refuse + " esac", true, "unknown"},
		{torture.FailOpen, "[ -e seen ] && exit 0\n: > seen\ncat >/dev/null; echo no >&2; exit 2", true, "twice"},
		{torture.NoJSON, `c=$(sed 's/.*"command":"//; s/","description.*//; s/\\"/"/g'); echo "{\"systemMessage\": \"$c\"}"`, false, "double quotes"},
		{torture.Injection, `c=$(sed 's/.*"command":"//; s/"}.*//; s/","description.*//'); eval "echo $c" >/dev/null 2>&1; true`, false, "command"},
		{torture.Differs, "cat >/dev/null; [ -e seen ] && { echo no >&2; exit 2; }\n: > seen", false, "twice"},
		{torture.Files, "cat >/dev/null; : > \"$TMPDIR/left.$$\"", false, "twice"},
		{torture.Processes, "cat >/dev/null; sleep 3600 &", false, "twice"},
		{torture.Elsewhere, "cat >/dev/null; [ -d \"$HOME\" ] || { echo no >&2; exit 2; }", false, "HOME"},
		{torture.Elsewhere, "cat >/dev/null; case $PWD in *' '*) echo no >&2; exit 2;; esac", false, "blanks"},
		{torture.Order, "cat >/dev/null; : > m.$$; i=0; while [ $i -lt 3000 ]; do set -- m.*; [ $# -gt 1 ] && exit 1; i=$((i+1)); done; rm m.$$", false, "many at once"},
	} {
		t.Run(c.class, func(t *testing.T) {
			t.Parallel()
			r := tortured(t, c.script, "", c.guard, c.trials)
			assert.True(t, slices.ContainsFunc(r.Findings, func(f torture.Finding) bool { return f.Class == c.class }), "%s\n%s", c.script, r.Write("hook"))
			if c.class == torture.FailOpen {
				assert.True(t, r.Fails())
			}
		})
	}
}

// TestNothingToFind checks that a well-made hook gets no finding, whether it refuses or
// not, and that onError "block" keeps a guard's failure from letting anything pass.
func TestNothingToFind(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the hooks are scripts of sh")
	}
	for script, refuses := range map[string]bool{
		"cat >/dev/null": false,
		"if grep -q 'cat \\.env'; then echo no >&2; exit 2; fi": true,
		"cat >/dev/null; echo '{}'":                             false,
	} {
		r := tortured(t, script, "", true, "[aeo]")
		assert.Empty(t, r.Findings, script)
		assert.Equal(t, refuses, r.Refuses, script)
		assert.GreaterOrEqual(t, r.Trials, 38)
		assert.Contains(t, r.Write("hook"), "it survived all of them")
	}
	r := tortured(t, "in=$(cat)\ncase $in in *x_note*) exit 1;; *.env*) echo no >&2; exit 2;; esac", "block", true, "unknown")
	assert.False(t, r.Fails(), r.Write("hook"))
}

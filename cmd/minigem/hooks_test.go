package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/protocol"
	"minigem/internal/app"
)

// A hookWorld is a home and a project with given files. Names that begin with ~/ are in
// the home, names that begin with sys/ are the system's, and all others are in the
// project.
type hookWorld struct {
	t             *testing.T
	home, project string
	system        string
}

func newHookWorld(t *testing.T, files map[string]string) hookWorld {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := hookWorld{t, filepath.Join(top, "home"), filepath.Join(top, "home", "project"), filepath.Join(top, "sys")}
	require.NoError(t, os.MkdirAll(w.project, 0o755))
	for name, content := range files {
		path := w.path(name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o755))
	}
	return w
}

func (w hookWorld) path(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(w.home, rest)
	}
	if rest, ok := strings.CutPrefix(name, "sys/"); ok {
		return filepath.Join(w.system, rest)
	}
	return filepath.Join(w.project, name)
}

func (w hookWorld) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.path(name))
	require.NoError(w.t, err)
	return string(data)
}

// said is the output and the exit code of a command.
type said struct {
	out, err string
	code     int
}

// sys returns the System of a command. The folder is trusted unless env says otherwise.
func (w hookWorld) sys(env ...string) (sys *app.System, out, errOut *bytes.Buffer) {
	out, errOut = &bytes.Buffer{}, &bytes.Buffer{}
	return &app.System{
		Stdin: strings.NewReader(""), Stdout: out, Stderr: errOut, Dir: w.project, Now: time.Now,
		Env: append([]string{
			"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "GEMINI_CLI_TRUST_WORKSPACE=true",
			"GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + filepath.Join(w.system, "settings.json"),
		}, env...),
	}, out, errOut
}

func (w hookWorld) run(args string, env ...string) said {
	w.t.Helper()
	sys, out, errOut := w.sys(env...)
	code := run(words(args), sys)
	tidy := strings.NewReplacer(w.project, "PROJECT", w.home, "HOME", w.system, "SYS")
	return said{tidy.Replace(out.String()), tidy.Replace(errOut.String()), code}
}

// words splits a command line. The path of the temporary folder may contain blanks.
func words(line string) []string {
	out := strings.Fields(strings.ReplaceAll(line, os.TempDir(), "\x00"))
	for i, w := range out {
		out[i] = strings.ReplaceAll(w, "\x00", os.TempDir())
	}
	return out
}

const untrusted = "GEMINI_CLI_TRUST_WORKSPACE="

// oneHook returns a settings file with a BeforeTool hook.
func oneHook(name string) string {
	return `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "` + name + `", "command": "true"}]}]}}`
}

func TestHooksSchema(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, nil)
	keys := func(args string, path ...string) []string {
		got := w.run(args)
		require.Equal(t, said{got.out, "", 0}, got)
		var v map[string]any
		require.NoError(t, json.Unmarshal([]byte(got.out), &v))
		for _, p := range path {
			v = v[p].(map[string]any)
		}
		return slices.Sorted(maps.Keys(v))
	}
	assert.Equal(t, []string{"cwd", "hook_event_name", "session_id", "source", "timestamp", "transcript_path"},
		keys("hooks schema SessionStart --input", "properties"))
	assert.Contains(t, keys("hooks schema BeforeTool --output", "properties", "hookSpecificOutput", "properties"), "tool_input")
	assert.Equal(t, []string{"input", "output"}, keys("hooks schema AfterAgent"))
	assert.Len(t, keys("hooks schema"), len(protocol.Events))
	assert.Contains(t, keys("hooks schema --input", "AfterModel", "properties"), "llm_response")

	assert.Equal(t, said{"", "minigem: there is no event \"PreToolUse\"; did you mean \"BeforeTool\"?\n", 42}, w.run("hooks schema PreToolUse"))
	assert.Contains(t, w.run("hooks schema nothing-like-it").err, "the events are [SessionStart ")
}

func (w hookWorld) exists(name string) bool {
	_, err := os.Stat(w.path(name))
	return err == nil
}

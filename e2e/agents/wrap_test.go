package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/agents/shim"
	"minigem/e2e/testbed"
	"minigem/hooks/jsonc"
	"minigem/llm/script"
)

func adapter(t *testing.T, name string) *Adapter {
	t.Helper()
	i := slices.IndexFunc(Adapters(), func(a *Adapter) bool { return a.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return Adapters()[i]
}

func wrapped(t *testing.T, name string) *wrapper {
	t.Helper()
	return &wrapper{a: adapter(t, name), self: "/bin/minigem", records: "/records", ws: t.TempDir(), home: t.TempDir()}
}

// TestAdapters: every adapter has a title, a measured version and its limits, and makes a
// call for every action.
func TestAdapters(t *testing.T) {
	t.Parallel()
	for _, a := range Adapters() {
		assert.NotEmpty(t, a.Title, a.Name)
		assert.NotEmpty(t, a.Measured, a.Name)
		assert.NotEmpty(t, a.Cannot, a.Name)
		for _, kind := range script.ActionKinds {
			act := script.Action{Kind: kind, Command: "C", Path: "f.txt", Text: "T", Old: "O", New: "N", Pattern: "P"}
			c, err := a.call(act, t.TempDir())
			if assert.NoError(t, err, "%s %s", a.Name, kind) {
				assert.NotContains(t, fillAll(c.Args, nil), "{", "%s %s", a.Name, kind)
			}
		}
		assert.Equal(t, "BeforeTool", a.event(a.Events["BeforeTool"]), a.Name)
	}
}

// TestPluginsAreRead: the text of an OpenCode plugin shows its events and tools, but never
// whether it did anything.
func TestPluginsAreRead(t *testing.T) {
	t.Parallel()
	const text = `export const P = async ({ $ }) => {
  return {
    "tool.execute.before": async (input) => {
      if (new RegExp("Bash").test(input.tool)) {
        await $` + "`sh guard.sh`" + `
      }
    },
    "session.idle": async () => {}
    },
  }
}
`
	w := wrapped(t, "opencode")
	path := filepath.Join(w.ws, ".opencode/plugins/p.js")
	require.NoError(t, testbed.WriteInto(path, []byte(text), 0o644))
	require.NoError(t, w.prepare(map[string]string{}, nil))
	var got []hook
	for _, h := range w.hooks {
		if !h.observer {
			got = append(got, h)
		}
	}
	assert.Equal(t, []hook{
		{id: "1", event: "session.idle", command: "p.js", file: "p.js", unseen: true},
		{id: "2", event: "tool.execute.before", command: "p.js", file: "p.js", matcher: "Bash", unseen: true},
	}, got)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, text, string(data), "it stays as it is")
	x := &session{a: w.a, w: w}
	assert.Equal(t, "what a plugin of OpenCode runs is not recorded", x.Cannot("fired", []string{"BeforeTool", "p.js"}, nil))
	assert.Empty(t, x.Cannot("fired", []string{"BeforeAgent", "p.js"}, nil))
}

func TestAdapterErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ old, new, want string }{
		{`protocol = "chat"`, `protocol = "smoke"`, `x.toml: protocol is "smoke"`},
		{`form = "nested"`, `form = "flying"`, `hooks.form is "flying"`},
		{`unit = "s"`, `unit = "h"`, `hooks.unit is "h"`},
		{`programs = ["fake-agent"]`, ``, "programs, start.args and start.modes.yolo are needed"},
		{`title =`, `titel =`, "titel"},
		{`write = {`, `wirte = {`, "tools.write is missing"},
	} {
		text := strings.NewReplacer("SECONDS", "1").Replace(fakeAdapter)
		require.Contains(t, text, tt.old)
		_, err := ReadAdapter("x.toml", []byte(strings.Replace(text, tt.old, tt.new, 1)))
		assert.ErrorContains(t, err, tt.want)
	}
}

// TestWrapChangesCommandsAlone: wrapping changes only commands; the rest of a native file
// stays the same, byte for byte.
func TestWrapChangesCommandsAlone(t *testing.T) {
	t.Parallel()
	const before = `{
  // guards
  "other": {"command": "stays"},
  "hooks": {
    "PreToolUse": [{"matcher": "Bash|Write",  "hooks": [
      {"type": "command", "command": "sh guard.sh 'a b'", "timeout": 5, "unknown": [1, 2]},
      {"type": "http", "url": "http://x", "command": "stays"}, 7, {"type": "command"}]}],
    "PostToolUse": "no list",
    "Stop": [{"hooks": [{"command": "sh guard.sh 'a b'"}, {"command": "sh guard.sh 'a b'"}]}]
  },
}
`
	w := wrapped(t, "claude")
	path := filepath.Join(w.ws, "settings.json")
	require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
	require.NoError(t, wrapJSON(w, path))
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	want := strings.Replace(before, `"sh guard.sh 'a b'"`, `"exec '/bin/minigem' minigem-hook-shim '/records' '1' \"$0\" 'sh guard.sh '\\''a b'\\'''"`, 1)
	want = strings.ReplaceAll(want, `"sh guard.sh 'a b'"`, `"exec '/bin/minigem' minigem-hook-shim '/records' '2' \"$0\" 'sh guard.sh '\\''a b'\\'''"`)
	assert.Equal(t, want, string(after), "the same command at the same event has one id")
	assert.Len(t, w.hooks, 2)
	assert.Equal(t, "Bash|Write", w.hooks[0].matcher)
	assert.Equal(t, []string{"a hook of PreToolUse is not recorded: its type is http"}, w.notes)
}

// TestPortable: a portable hook in the terms of each agent.
func TestPortable(t *testing.T) {
	t.Parallel()
	shell := testbed.Portable{Event: "BeforeTool", Tools: []string{"shell", "write"}, Command: "./guard.sh", Timeout: 1500 * time.Millisecond}
	for _, tt := range []struct {
		agent, file string
		want        []string
	}{
		{"claude", ".claude/settings.json", []string{`"PreToolUse"`, `"matcher": "Bash|Write"`, `"timeout": 2`, `./guard.sh`}},
		{"codex", ".codex/hooks.json", []string{`"PreToolUse"`, `"matcher": "Bash|apply_patch"`, `"timeout": 2`}},
		{"copilot", ".github/hooks/portable.json", []string{`"preToolUse"`, `"matcher": "bash|create"`, `"timeoutSec": 2`, `"bash": "exec`, `"version": 1`}},
		{"gemini", ".gemini/settings.json", []string{`"BeforeTool"`, `"matcher": "^(?:run_shell_command|write_file)$"`, `"timeout": 1500`}},
		{"qwen", ".qwen/settings.json", []string{`"PreToolUse"`, `"matcher": "^(?:run_shell_command|write_file)$"`, `"timeout": 2`}},
		{"opencode", ".opencode/plugin/portable.js", []string{`"event":"tool.execute.before"`, `"tools":["bash","write"]`, `"timeout":1500`, "export const Portable"}},
		{"cline", ".clinerules/hooks/PreToolUse", []string{`*'"toolName":"run_commands"'*|*'"toolName":"editor"'*`, "./guard.sh"}},
		{"kimi", "home/.kimi-code/config.toml", []string{"[[hooks]]", "event = 'PreToolUse'", "matcher = '^(?:Bash|Write)$'", "timeout = 2", "default_model = 'fake'"}},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			t.Parallel()
			w := wrapped(t, tt.agent)
			require.NoError(t, w.prepare(map[string]string{"URL": "http://127.0.0.1:1"}, []testbed.Portable{shell}))
			data, err := os.ReadFile(w.path(tt.file))
			require.NoError(t, err)
			for _, want := range tt.want {
				assert.Contains(t, string(data), want)
			}
		})
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		agent string
		d     time.Duration
		want  int
	}{
		{"claude", 0, 0}, {"claude", time.Second, 1}, {"claude", 10 * time.Millisecond, 1}, {"gemini", time.Second, 1000},
		{"qwen", 999 * time.Second, 999}, {"qwen", 1000 * time.Second, 1000000}, {"codex", 2 * time.Hour, 7200},
	} {
		assert.Equal(t, tt.want, adapter(t, tt.agent).timeout(tt.d), "%s %s", tt.agent, tt.d)
	}
}

// TestCannotBePortable: a feature that an agent lacks does not fail the case.
func TestCannotBePortable(t *testing.T) {
	t.Parallel()
	var cannot *testbed.CannotError
	for _, tt := range []struct {
		agent string
		p     testbed.Portable
		want  string
	}{
		{"claude", testbed.Portable{Event: "BeforeModel"}, "claude has no event BeforeModel"},
		{"codex", testbed.Portable{Event: "BeforeTool", Tools: []string{"read"}}, "codex has no tool to read: it runs commands, and a hook on shell sees them"},
	} {
		_, err := adapter(t, tt.agent).portable(tt.p)
		require.ErrorAs(t, err, &cannot)
		assert.Equal(t, tt.want, cannot.Why)
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.txt")
	require.NoError(t, os.WriteFile(path, []byte("one\ntwo\n"), 0o600))
	assert.Equal(t, "*** Begin Patch\n*** Add File: /f\n+a\n+b\n*** End Patch\n", patch(script.Action{Kind: script.DoWrite, Text: "a\nb\n"}, "/f"))
	assert.Equal(t, "*** Begin Patch\n*** Update File: "+path+"\n@@\n-one\n-two\n+one\n+2\n*** End Patch\n", patch(script.Action{Kind: script.DoEdit, Old: "two", New: "2"}, path))
	assert.Empty(t, patch(script.Action{Kind: script.DoEdit, Old: "three", New: "3"}, path))
}

// TestProgramsRunOnce: the program that replaces a hook starts the hook, not itself.
func TestProgramsRunOnce(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	w := wrapped(t, "cline")
	w.self, w.records = self, t.TempDir()
	theirs := w.path(".clinerules/hooks/PreToolUse")
	require.NoError(t, testbed.WriteInto(theirs, []byte("#!/bin/sh\necho theirs\n"), 0o755))
	require.NoError(t, wrapProgram(w, theirs))
	ours := w.path("ours")
	require.NoError(t, writeProgram(w, ours, hook{event: "PostToolUse", command: "cat; echo ours", tools: []string{"editor"}}))
	for _, tt := range []struct{ path, stdin, want string }{
		{theirs, "{}", "theirs\n"},
		{filepath.Join(ours, "PostToolUse"), `{"toolName":"editor"}`, `{"toolName":"editor"}ours` + "\n"},
		{filepath.Join(ours, "PostToolUse"), `{"toolName":"other"}`, ""},
	} {
		cmd := exec.Command("timeout", "60", tt.path)
		cmd.Stdin = strings.NewReader(tt.stdin)
		out, err := cmd.Output()
		require.NoError(t, err)
		assert.Equal(t, tt.want, string(out))
	}
	runs, err := shim.Read(w.records)
	require.NoError(t, err)
	assert.Len(t, runs, 2)
}

// FuzzWrap: a file of a case, whatever its content, is wrapped or stays unchanged.
func FuzzWrap(f *testing.F) {
	f.Add([]byte(`{"hooks": {"PreToolUse": [{"hooks": [{"command": "x"}]}, {"bash": "y"}, 1]}}`), []byte("[[hooks]]\nevent = 'Stop'\ncommand = 'x'\n"))
	f.Add([]byte(`"tool.execute.before": new RegExp("Ba\"sh")`), []byte(""))
	f.Add([]byte(`{"a": {"b": 1}} // c`), []byte("a = 1\n[b]\nc = 2\n"))
	f.Fuzz(func(t *testing.T, object, table []byte) {
		w := &wrapper{a: &Adapter{Events: map[string]string{"BeforeTool": "tool.execute.before"}}, self: "/bin/minigem", records: "/records"}
		dir := t.TempDir()
		for name, data := range map[string][]byte{"a.json": object, "a.toml": table} {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			wrap := wrapJSON
			if filepath.Ext(name) == ".toml" {
				wrap = wrapTOML
			}
			if err := wrap(w, path); err != nil {
				t.Skip(err)
			}
		}
		plugin := filepath.Join(dir, "plugin.js")
		if err := os.WriteFile(plugin, append([]byte("const hooks = "), object...), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := readPlugin(w, plugin); err != nil {
			t.Error(err)
		}
		if err := writePlugin(w, plugin, hook{event: "e", command: "c"}); err == nil {
			if err := writePlugin(w, plugin, hook{event: "f", command: "d"}); err != nil {
				t.Errorf("what it wrote for %q it cannot read: %v", object, err)
			}
		}
		if merged, err := mergeJSON("a.json", object, `{"a": {"z": 1}}`); err == nil {
			if _, err := jsonc.Parse("merged", []byte(merged)); err != nil {
				t.Errorf("%q becomes %q, which is not JSON: %v", object, merged, err)
			}
		}
		if whole, err := merged(table, "z = 1\n", toml.Unmarshal, toml.Marshal); err == nil {
			if _, err := merged([]byte(whole), "", toml.Unmarshal, toml.Marshal); err != nil {
				t.Errorf("%q becomes %q, which is not TOML: %v", table, whole, err)
			}
		}
	})
}

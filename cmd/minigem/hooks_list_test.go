package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/internal/listing"
)

func TestHooksListNone(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, nil)
	assert.Equal(t, said{`No hooks configured.

They would be under "hooks" in
  system           SYS/settings.json
  project          .gemini/settings.json
  user             ~/.gemini/settings.json
  system-defaults  SYS/system-defaults.json
  extension        ~/.gemini/extensions/NAME/hooks/hooks.json
`, "", 0}, w.run("hooks list"))
	assert.Equal(t, `{
  "folder": {
    "dir": "PROJECT",
    "trusted": true,
    "why": "GEMINI_CLI_TRUST_WORKSPACE"
  },
  "hooks": [],
  "problems": []
}
`, w.run("hooks list --json").out)
}

// everyLayer has hooks in all layers, with everything that the list can show about
// them.
var everyLayer = map[string]string{
	".gemini/settings.json": `{
  // comments are fine
  "hooks": {
    "AfterTool": [{"matcher": "write_.*", "sequential": true, "hooks": [
      {"type": "command", "name": "lint", "command": "./lint.sh", "timeout": 5000, "description": "Lints what was written"}]}],
    "BeforeTool": [{"hooks": [
      {"type": "command", "command": "./guard.sh"},
      {"type": "command", "name": "off", "command": "true", "onError": "block"}]}],
    "BeforeTol": []
  }
}`,
	"lint.sh": "true", "guard.sh": "true",
	"~/.gemini/settings.json": `{
  "hooksConfig": {"disabled": ["off"]},
  "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "./guard.sh"}, {"command": "x"}]}]}
}`,
	"sys/settings.json": oneHook("audit"),
	"~/.gemini/extensions/ext/gemini-extension.json": `{"name": "ext", "version": "1.0.0"}`,
	"~/.gemini/extensions/ext/hooks/hooks.json":      oneHook("shipped"),
}

// TestHooksListOfDeadMatchers checks that a matcher without a tool is reported as such, and
// that a name that no tool has is reported even if the rest of its matcher has one.
func TestHooksListOfDeadMatchers(t *testing.T) {
	t.Parallel()
	for matcher, dead := range map[string]bool{
		"write-file": true, "^nothing$": true, "write_file|write-file": false, "^(write_file|write-file)$": false,
		"": false, "*": false, ".*": false, "mcp_x": false, "tracker_.*": false,
	} {
		w := newHookWorld(t, map[string]string{"~/.gemini/settings.json": `{"hooks": {"BeforeTool": [{"matcher": "` + matcher + `", "hooks": [{"type": "command", "command": "true"}]}]}}`})
		list := w.run("hooks list").out
		assert.Equal(t, dead, strings.Contains(list, "  matches no built-in tool  never ran"), "%s\n%s", matcher, list)
		if strings.Contains(matcher, "write-file") {
			const says = `no built-in tool is called "write-file"; did you mean "write_file"?`
			assert.Contains(t, list, says, matcher)
			assert.Contains(t, w.run("hooks lint").out, "HK003: matcher: "+says, matcher)
		}
	}
}

func TestHooksList(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, everyLayer)
	got := w.run("hooks list")
	assert.Equal(t, said{`BeforeTool
  ./guard.sh  project        *         60000 ms  shadowed         never ran  .gemini/settings.json:7
    this project's hooks were never trusted
    the same hook runs from ~/.gemini/settings.json:3
  off         project        *         60000 ms  disabled         never ran  .gemini/settings.json:8
    disabled in ~/.gemini/settings.json:2
  ./guard.sh  user           *         60000 ms  enabled          never ran  ~/.gemini/settings.json:3
  audit       system         *         60000 ms  enabled          never ran  SYS/settings.json:1
  shipped     extension ext  *         60000 ms  enabled          never ran  ~/.gemini/extensions/ext/hooks/hooks.json:1

AfterTool
  lint        project        write_.*  5000 ms   not yet trusted  never ran  .gemini/settings.json:5
    Lints what was written
    this project's hooks were never trusted

Problems
  .gemini/settings.json:9: there is no event "BeforeTol", its hooks never run; did you mean "BeforeTool"?
  ~/.gemini/settings.json:3: a hook of BeforeTool has no "type": write "type": "command"; skipped
`, "", 0}, got)

	t.Run("trusted", func(t *testing.T) {
		require.Equal(t, 0, w.run("trust").code)
		text := w.run("hooks list").out
		assert.NotContains(t, text, "not yet trusted")
		assert.NotContains(t, text, "trusted this project")
		assert.NotContains(t, text, "never trusted")
	})
}

func TestHooksListJSON(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, everyLayer)
	var l listing.HookList
	require.NoError(t, json.Unmarshal([]byte(w.run("hooks list --json").out), &l))
	require.Len(t, l.Hooks, 6)
	note := "this project's hooks were never trusted"
	assert.Equal(t, listing.ListedHook{
		Event: "BeforeTool", ID: "off", Name: "off", Command: "true", TimeoutMS: 60000, OnError: "block", Layer: hooks.LayerProject,
		File: "PROJECT/.gemini/settings.json", Line: 8, Disabled: "disabled in HOME/.gemini/settings.json:2", Note: note, Loaded: true,
	}, l.Hooks[1])
	assert.Equal(t, listing.ListedHook{
		Event: "AfterTool", ID: "lint", Name: "lint", Command: "./lint.sh", Description: "Lints what was written", Matcher: "write_.*",
		TimeoutMS: 5000, Sequential: true, Layer: hooks.LayerProject, File: "PROJECT/.gemini/settings.json", Line: 5,
		Enabled: true, Note: note, Loaded: true,
	}, l.Hooks[5])
	assert.Equal(t, 9, l.Problems[0].Line)
}

func TestHooksListOff(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json": oneHook("a"), "~/.gemini/settings.json": `{"hooksConfig": {"enabled": false}}`,
	})
	text := w.run("hooks list").out
	assert.True(t, strings.HasPrefix(text, "Hooks are off: hooksConfig.enabled is false in ~/.gemini/settings.json:1. None of these runs.\n\nBeforeTool\n"), text)
	var l listing.HookList
	require.NoError(t, json.Unmarshal([]byte(w.run("hooks list --json").out), &l))
	assert.Equal(t, "hooksConfig.enabled is false in HOME/.gemini/settings.json:1", l.Off)
}

// TestHooksListUntrusted checks that hooks of an untrusted folder are listed and not
// loaded, and cannot control the terminal.
func TestHooksListUntrusted(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json":                            oneHook(`evil\u001b[2J`),
		".gemini/extensions/brought/gemini-extension.json": `{"name": "brought", "version": "1.0.0"}`,
		".gemini/extensions/brought/hooks/hooks.json":      oneHook("theirs"),
		"~/.gemini/settings.json":                          oneHook("mine"),
	})
	assert.Equal(t, said{`BeforeTool
  mine             user               *  60000 ms  enabled     never ran  ~/.gemini/settings.json:1
  evil<U+001B>[2J  project            *  60000 ms  not loaded  never ran  .gemini/settings.json:1
  theirs           extension brought  *  60000 ms  not loaded  never ran  .gemini/extensions/brought/hooks/hooks.json:1

This folder is not trusted (it has not been trusted yet): nothing of it is loaded. Look at it, then run minigem trust.
`, "", 0}, w.run("hooks list", untrusted))
	var l listing.HookList
	require.NoError(t, json.Unmarshal([]byte(w.run("hooks list --json", untrusted).out), &l))
	assert.False(t, l.Folder.Trusted)
	assert.Equal(t, []bool{true, false, false}, []bool{l.Hooks[0].Trusted, l.Hooks[1].Trusted, l.Hooks[2].Trusted})
	assert.Equal(t, []bool{true, false, false}, []bool{l.Hooks[0].Loaded, l.Hooks[1].Loaded, l.Hooks[2].Loaded})
}

func TestHooksListFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		files map[string]string
		env   string
		want  said
	}{
		{"a broken file", map[string]string{".gemini/settings.json": "{\n  \"hooks\": {,}\n}"}, "",
			said{"", "PROJECT/.gemini/settings.json:2:13: ", 52}},
		{"somebody else's broken file", map[string]string{".gemini/settings.json": "{\n  \"hooks\": {,}\n}"}, untrusted,
			said{"Problems\n  .gemini/settings.json:2: ", "", 0}},
		{"a broken extension", map[string]string{"~/.gemini/extensions/x/gemini-extension.json": "{"}, "",
			said{"Problems\n  ~/.gemini/extensions/x/gemini-extension.json: ", "", 0}},
	} {
		got := newHookWorld(t, c.files).run("hooks list", c.env)
		assert.Equal(t, c.want.code, got.code, c.name)
		assert.Contains(t, got.out, c.want.out, c.name)
		assert.Contains(t, got.err, c.want.err, c.name)
	}
}

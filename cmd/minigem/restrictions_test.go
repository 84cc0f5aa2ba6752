package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/inspection"
	"minigem/internal/settings"
	"minigem/llm"
)

func nested(key, value string) string {
	parts := strings.Split(key, ".")
	for i := len(parts) - 1; i >= 0; i-- {
		value = fmt.Sprintf("{%q: %s}", parts[i], value)
	}
	return value
}

var restrictionsDone = llm.Chunk{Parts: []llm.Part{llm.Text{Text: "Done."}}, FinishReason: "STOP"}

// TestARestrictionWithoutEffectStopsTheRun checks that each restriction in the list
// ends the run with 52 if its value would restrict something, and has no effect
// otherwise.
func TestARestrictionWithoutEffectStopsTheRun(t *testing.T) {
	t.Parallel()
	for _, k := range settings.KnownKeys() {
		if k.Effect != settings.EffectRestriction {
			continue
		}
		harmful := map[string][]string{"true": {"false"}, "false": {"true"}, "{}": {`{"a": {"url": "https://host"}}`, `{"a": {}}`}}[k.Harmless[0]]
		for _, value := range slices.Concat(harmful, k.Harmless) {
			w := newHookWorld(t, map[string]string{"~/.gemini/settings.json": nested(k.Key, value)})
			got := runWith(t, w, "text", restrictionsDone)
			if slices.Contains(harmful, value) {
				assert.Equal(t, exit.Config, got.code, k.Key)
				assert.Empty(t, got.out)
				assert.Contains(t, got.err, k.Key)
				assert.Contains(t, got.err, "minigem cannot enforce: take it out")
				assert.Contains(t, w.run("settings list").err, "so that no session begins")
			} else {
				assert.Equal(t, said{"Done.\n", "", exit.OK}, got, "%s %s", k.Key, value)
			}
		}
	}
}

// TestAMistakenRestrictionStopsTheRun checks that a restriction with a wrong type, an
// older or misspelled name, or a dotted name ends the run instead of being ignored.
func TestAMistakenRestrictionStopsTheRun(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"tools": {"exclude": "write_file"}}`:      `tools.exclude must be a list, not "write_file".`,
		`{"excludeTools": ["write_file"]}`:          "excludeTools is not known, and would have no effect: write tools.exclude.",
		`{"tools": {"exlude": ["write_file"]}}`:     "tools.exlude is not known, and would have no effect: write tools.exclude.",
		`{"tools.exclude": ["write_file"]}`:         `tools.exclude has a dot in its name, and would have no effect: write {"tools": {"exclude": ...}}.`,
		`{"security": {"disableYoloMode": "true"}}`: `security.disableYoloMode must be true or false, not "true".`,
	} {
		w := newHookWorld(t, map[string]string{"~/.gemini/settings.json": text})
		got := runWith(t, w, "text", restrictionsDone)
		assert.Equal(t, exit.Config, got.code, text)
		assert.Contains(t, got.err, "~/.gemini/settings.json:1: "+want+" Nothing runs until this is corrected, because it may be a restriction", text)
	}
}

// TestNoSkillsWhereTheUserAllowsNone checks that a project cannot turn skills on again.
func TestNoSkillsWhereTheUserAllowsNone(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"admin.skills.enabled", "skills.enabled"} {
		w := newHookWorld(t, map[string]string{
			"~/.gemini/settings.json":          nested(key, "false"),
			".gemini/settings.json":            nested(key, "true"),
			"~/.gemini/skills/review/SKILL.md": "---\nname: review\ndescription: Reviews.\n---\nRead.\n",
		})
		assert.Contains(t, w.run("skills list").out, "review [Disabled]", key)
	}
}

// TestAnUnknownRestrictionStopsTheRun checks that an unknown key among restrictions
// ends the run, because it may be one. Elsewhere an unknown key is reported.
func TestAnUnknownRestrictionStopsTheRun(t *testing.T) {
	t.Parallel()
	for text, key := range map[string]string{
		`{"admin": {"foo": 1}}`:                                   "admin.foo",
		`{"admin": {"foo": {"bar": true}}}`:                       "admin.foo",
		`{"admin": {"extensions": {"allowed": []}}}`:              "admin.extensions.allowed",
		`{"security": {"toolSandbox": true}}`:                     "security.toolSandbox",
		`{"security": {"folderTrust": {"always": false}}}`:        "security.folderTrust.always",
		`{"security": {"network": {"allowed": ["example.com"]}}}`: "security.network",
		`{"admin": {"foo": null, "extensions": {}}}`:              "",
		`{"security": {"network": {}}}`:                           "",
		`{"general": {"foo": 1}, "bar": {"baz": 2}}`:              "",
	} {
		w := newHookWorld(t, map[string]string{"~/.gemini/settings.json": text})
		got := runWith(t, w, "text", restrictionsDone)
		if key == "" {
			assert.Equal(t, said{"Done.\n", "", exit.OK}, got, text)
			continue
		}
		assert.Equal(t, exit.Config, got.code, text)
		assert.Empty(t, got.out, text)
		assert.Contains(t, got.err, ":1: "+key+" is ", text)
	}
	w := newHookWorld(t, map[string]string{"~/.gemini/settings.json": `{"general": {"foo": 1}, "bar": {"baz": 2}}`})
	assert.Contains(t, w.run("settings list").err, `the key "bar" is not known`)
	sys, _, _ := w.sys()
	c, err := app.Configure(sys, &app.Options{})
	require.NoError(t, err)
	assert.Equal(t, "2 settings have no effect in minigem: general.foo, bar; minigem settings list says more", inspection.WithoutEffect(c))
}

func TestSandboxIsRefused(t *testing.T) {
	t.Parallel()
	const on = `{"tools": {"sandbox": "docker"}}`
	for _, c := range []struct {
		settings string
		env      []string
		args     []string
		code     int
	}{
		{on, nil, nil, exit.Config},
		{on, []string{"GEMINI_SANDBOX=false"}, nil, exit.OK},
		{on, []string{"SANDBOX=docker"}, nil, exit.OK},
		{on, nil, []string{"--sandbox=false"}, exit.OK},
		{"{}", []string{"GEMINI_SANDBOX=docker"}, nil, exit.Config},
		{"{}", []string{"GEMINI_SANDBOX=podman"}, []string{"--sandbox=false"}, exit.Config},
		{"{}", []string{"GEMINI_SANDBOX=0"}, []string{"--sandbox=docker"}, exit.OK},
		{"{}", nil, []string{"--sandbox=/usr/bin/jail"}, exit.Config},
		{`{"tools": {"sandbox": {"enabled": true, "command": "docker"}}}`, nil, nil, exit.Config},
	} {
		w := newHookWorld(t, map[string]string{
			"~/.gemini/settings.json": c.settings,
			"answers":                 `{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"Done."}]},"finishReason":"STOP"}]}]}` + "\n",
		})
		sys, out, errOut := w.sys(c.env...)
		code := run(append(c.args, "-p", "go", "--fake-responses", w.path("answers")), sys)
		assert.Equal(t, c.code, code, "%+v: %s", c, errOut)
		assert.Equal(t, c.code == exit.OK, out.String() == "Done.\n", errOut.String())
		assert.Equal(t, c.code == exit.Config, strings.Contains(errOut.String(), "sandbox"), errOut.String())
	}
}

// TestExtensionsAreRestricted checks the restrictions of extensions: their sources, the
// tools that they exclude, and their policies.
func TestExtensionsAreRestricted(t *testing.T) {
	t.Parallel()
	world := func(settings string) hookWorld {
		return newHookWorld(t, map[string]string{
			"~/.gemini/settings.json":                                 settings,
			"~/.gemini/extensions/ext/gemini-extension.json":          `{"name": "ext", "version": "1", "excludeTools": ["glob"]}`,
			"~/.gemini/extensions/ext/.gemini-extension-install.json": `{"source": "https://git.host/ext", "type": "git"}`,
			"~/.gemini/extensions/ext/policies/strict.toml":           "[[rule]]\ntoolName = \"read_file\"\ndecision = \"deny\"\npriority = 100\ndenyMessage = \"the extension says no\"\n\n[[rule]]\ntoolName = \"write_file\"\ndecision = \"allow\"\npriority = 900\n",
			"a.txt": "A",
		})
	}
	read := llm.Chunk{Parts: []llm.Part{llm.ToolCall{Name: "read_file", Args: map[string]any{"file_path": "a.txt"}}}, FinishReason: "STOP"}
	write := llm.Chunk{Parts: []llm.Part{llm.ToolCall{Name: "write_file", Args: map[string]any{"file_path": "b.txt", "content": "B"}}}, FinishReason: "STOP"}
	for _, c := range []struct {
		settings string
		used     bool
		code     int
	}{
		{"{}", true, exit.OK},
		{`{"security": {"blockGitExtensions": true}}`, false, exit.OK},
		{`{"security": {"allowedExtensions": ["^https://git\\.host/"]}}`, true, exit.OK},
		{`{"security": {"allowedExtensions": ["^https://git\\.host/"], "blockGitExtensions": true}}`, true, exit.OK},
		{`{"security": {"allowedExtensions": ["^https://other/"]}}`, false, exit.OK},
		{`{"security": {"allowedExtensions": ["("]}}`, false, exit.Config},
	} {
		w := world(c.settings)
		got := runWith(t, w, "text", glob("*"), read, write, restrictionsDone)
		assert.Equal(t, c.code, got.code, got.err)
		if c.code != exit.OK {
			continue
		}
		assert.Equal(t, c.used, strings.Contains(got.err, `executing tool glob`), "%s: %s", c.settings, got.err)
		assert.Equal(t, c.used, strings.Contains(got.err, `executing tool read_file`), "%s: %s", c.settings, got.err)
		assert.Equal(t, !c.used, strings.Contains(got.err, "the extension ext is not used: security."), got.err)
		assert.NoFileExists(t, w.path("b.txt"), "an extension allows nothing")
	}
}

// TestFilesThatSwitchOff checks that if a file that turns extensions or MCP servers off
// cannot be parsed, none of them runs. The same holds for an extension's lists.
func TestFilesThatSwitchOff(t *testing.T) {
	t.Parallel()
	manifest := func(exclude string) string {
		return `{"name": "ext", "version": "1", "excludeTools": ["` + exclude + `"]}`
	}
	for _, c := range []struct{ manifest, enablement, says string }{
		{manifest("glob"), `{"ext": {"overrides": ["/*"]}}`, ""},
		{manifest("glob"), `{"ext": ["!/*"]}`, `reading which extensions are off: ~/.gemini/extensions/extension-enablement.json:1: "ext" must be {"overrides": [...]}, an array of strings: correct the file, or move it away`},
		{manifest("globb"), `{}`, `~/.gemini/extensions/ext/gemini-extension.json: excludeTools: there is no tool "globb"; did you mean "glob"?`},
		{manifest("run_shell_command(rm"), `{}`, `gemini-extension.json: excludeTools: "run_shell_command(rm" has no closing parenthesis`},
	} {
		w := newHookWorld(t, map[string]string{
			"~/.gemini/extensions/ext/gemini-extension.json": c.manifest,
			"~/.gemini/extensions/extension-enablement.json": c.enablement,
		})
		got := runWith(t, w, "text", restrictionsDone)
		if c.says == "" {
			assert.Equal(t, exit.OK, got.code, got.err)
			continue
		}
		assert.Equal(t, exit.Config, got.code, c.says)
		assert.Contains(t, got.err, c.says)
	}

	w := newHookWorld(t, map[string]string{
		"~/.gemini/settings.json":              `{"mcpServers": {"srv": {"command": "touch", "args": ["started"]}}}`,
		"~/.gemini/mcp-server-enablement.json": `{"srv": {"enabled": false}`,
	})
	got := runWith(t, w, "text", restrictionsDone)
	assert.Equal(t, exit.OK, got.code, got.err)
	assert.Contains(t, got.err, "the MCP server srv is not started: ~/.gemini/mcp-server-enablement.json:1:27: parsing object after value: unexpected EOF: correct the file, or move it away: it says which servers are off")
	assert.NoFileExists(t, w.path("started"))
}

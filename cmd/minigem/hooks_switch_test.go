package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHooksSwitch(t *testing.T) {
	t.Parallel()
	const two = `{
  // why they are here
  "hooks": {"BeforeTool": [{"hooks": [
    {"type": "command", "name": "guard", "command": "true"},
    {"type": "command", "command": "./check.sh"}]}]}
}`
	for _, c := range []struct {
		name  string
		files map[string]string
		args  string
		env   string
		want  said
		file  string // the file to compare afterwards
		holds string
	}{
		{"by name", map[string]string{".gemini/settings.json": two}, "disable guard", "",
			said{"Hook \"guard\" disabled in .gemini/settings.json.\n", "", 0}, ".gemini/settings.json",
			"[\n      \"guard\"\n    ]"},
		{"by command", map[string]string{".gemini/settings.json": two}, "disable ./check.sh", "",
			said{"Hook \"./check.sh\" disabled in .gemini/settings.json.\n", "", 0}, ".gemini/settings.json",
			"[\n      \"./check.sh\"\n    ]"},
		{"comments stay", map[string]string{".gemini/settings.json": two}, "disable guard", "",
			said{"Hook \"guard\" disabled in .gemini/settings.json.\n", "", 0}, ".gemini/settings.json", "// why they are here"},
		{"one twice", map[string]string{".gemini/settings.json": two}, "disable guard guard", "",
			said{"Hook \"guard\" disabled in .gemini/settings.json.\n", "", 0}, ".gemini/settings.json",
			"[\n      \"guard\"\n    ]"},
		{"as JSON", map[string]string{".gemini/settings.json": two}, "disable guard --json", "",
			said{"{\n  \"done\": [\n    {\n      \"hook\": \"guard\",\n      \"message\": \"Hook \\\"guard\\\" disabled in " +
				"PROJECT/.gemini/settings.json.\"\n    }\n  ]\n}\n", "", 0}, "", ""},
		{"already", map[string]string{".gemini/settings.json": oneHook("a"), "~/.gemini/settings.json": `{"hooksConfig": ` +
			`{"disabled": ["a"]}}`}, "disable a", "",
			said{"Hook \"a\" is already disabled, in ~/.gemini/settings.json:1.\n", "", 0}, ".gemini/settings.json",
			oneHook("a")},
		{"all", map[string]string{".gemini/settings.json": two}, "disable-all", "",
			said{"2 hooks disabled in .gemini/settings.json.\n", "", 0}, ".gemini/settings.json", `"./check.sh"`},
		{"all of none", nil, "disable-all", "", said{"No hooks are configured.\n", "", 0}, "", ""},
		// on again
		{"on", map[string]string{"~/.gemini/settings.json": `{"hooksConfig": {"disabled": ["a"]}}`,
			".gemini/settings.json": oneHook("a")}, "enable a", "",
			said{"Hook \"a\" enabled in ~/.gemini/settings.json.\n", "", 0}, "~/.gemini/settings.json", `{}`},
		{"on is on", map[string]string{".gemini/settings.json": oneHook("a")}, "enable a", "",
			said{"Hook \"a\" is not disabled.\n", "", 0}, "", ""},
		{"all on", map[string]string{"~/.gemini/settings.json": `{"hooksConfig": {"disabled": ["a"]}}`,
			".gemini/settings.json": oneHook("a")}, "enable-all", "",
			said{"1 hook enabled in ~/.gemini/settings.json.\n", "", 0}, "~/.gemini/settings.json", `{}`},
		{"a stale entry", map[string]string{"~/.gemini/settings.json": `{"hooksConfig": {"disabled": ["gone"]}}`},
			"enable gone", "",
			said{"Hook \"gone\" enabled in ~/.gemini/settings.json.\n", "", 0}, "~/.gemini/settings.json", `{}`},
		// an untrusted folder's file is not written
		{"untrusted", map[string]string{"~/.gemini/settings.json": oneHook("mine"),
			".gemini/settings.json": oneHook("theirs")}, "disable mine", untrusted,
			said{"Hook \"mine\" disabled in ~/.gemini/settings.json.\n", "", 0}, ".gemini/settings.json", oneHook("theirs")},
		{"theirs is not loaded", map[string]string{".gemini/settings.json": oneHook("theirs")}, "disable theirs", untrusted,
			said{"", "minigem: there is no hook \"theirs\": no hooks are configured (minigem hooks list shows what there is)\n",
				42}, ".gemini/settings.json", oneHook("theirs")},
		// refused
		{"unknown", map[string]string{".gemini/settings.json": oneHook("guard")}, "disable gaurd", "",
			said{"", "minigem: there is no hook \"gaurd\"; did you mean \"guard\"? (minigem hooks list shows what there is)\n",
				42}, "", ""},
		{"one of two unknown: nothing is done", map[string]string{".gemini/settings.json": oneHook("guard")},
			"disable guard zzzzzzzz", "",
			said{"", "minigem: there is no hook \"zzzzzzzz\" (minigem hooks list shows what there is)\n", 42},
			".gemini/settings.json", oneHook("guard")},
		{"the system's", map[string]string{"sys/settings.json": `{"hooksConfig": {"disabled": ["a"]}}`,
			".gemini/settings.json": oneHook("a")}, "enable a", "",
			said{"", "minigem: hook \"a\" is disabled by the system's settings, SYS/settings.json:1; only " +
				"the administrator of this machine can enable it\n", 1}, "", ""},
		{"the system's among all", map[string]string{"sys/settings.json": `{"hooksConfig": {"disabled": ["a"]}}`,
			".gemini/settings.json": oneHook("a")}, "enable-all", "",
			said{"Nothing to enable.\nhook \"a\" is disabled by the system's settings, SYS/settings.json:1; only " +
				"the administrator of this machine can enable it\n", "", 0}, "", ""},
		{"a broken file", map[string]string{".gemini/settings.json": "{\"hooks\": }"}, "disable a", "",
			said{"", "minigem: reading settings: PROJECT/.gemini/settings.json:1:11: invalid character '}' at start of " +
				"value: correct the file, or move it away\n", 52}, ".gemini/settings.json", "{\"hooks\": }"},
	} {
		w := newHookWorld(t, c.files)
		assert.Equal(t, c.want, w.run("hooks "+c.args, c.env), c.name)
		if c.file != "" {
			assert.Contains(t, w.read(c.file), c.holds, c.name)
		}
	}
}

// TestHooksEnableSome checks that changes made before a failure are reported.
func TestHooksEnableSome(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		"sys/settings.json":       `{"hooksConfig": {"disabled": ["b"]}}`,
		"~/.gemini/settings.json": `{"hooksConfig": {"disabled": ["a"]}}`,
	})
	got := w.run("hooks enable a b")
	assert.Equal(t, "Hook \"a\" enabled in ~/.gemini/settings.json.\n", got.out)
	assert.Contains(t, got.err, `hook "b" is disabled by the system's settings`)
	assert.Equal(t, 1, got.code)
}

func TestHooksCompletion(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json": `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "on", ` +
			`"command": "true"}, {"type": "command", "name": "off", "command": "true"}]}]}}`,
		"~/.gemini/settings.json": `{"hooksConfig": {"disabled": ["off"]}}`,
	})
	for args, want := range map[string]string{
		"__complete hooks disable ": "on\n", "__complete hooks enable ": "off\n",
		"__complete hooks schema BeforeT": "BeforeTool",
	} {
		sys, out, _ := w.sys()
		assert.Equal(t, 0, run(fieldsWithEmpty(args), sys))
		assert.Contains(t, out.String(), want)
	}
}

// fieldsWithEmpty splits at blanks. A trailing blank yields an empty word.
func fieldsWithEmpty(s string) []string { return strings.Split(s, " ") }

// TestHooksDisableStaysInOneFile checks that the first command's change does not move
// the second one to another file, in a folder without settings.
func TestHooksDisableStaysInOneFile(t *testing.T) {
	t.Parallel()
	two := `{"hooks": {"BeforeTool": [{"hooks": [{"name": "a", "type": "command", "command": "true"},
		{"name": "b", "type": "command", "command": "true"}]}]}}`
	for env, file := range map[string]string{"GEMINI_CLI_TRUST_WORKSPACE=": "~/.gemini/settings.json",
		"": ".gemini/settings.json"} {
		w := newHookWorld(t, map[string]string{"~/.gemini/settings.json": two})
		for _, name := range []string{"a", "b"} {
			assert.Equal(t, said{"Hook \"" + name + "\" disabled in " + file + ".\n", "", 0}, w.run("hooks disable "+name, env))
		}
	}
}

package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/exit"
)

func TestHooksLint(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json": "{\n  // moved over\n  \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [\n    {\"type\": \"Command\", \"command\": \"./guard.sh\", \"timeout\": 30}\n  ]}]}\n}\n",
		"guard.sh":              guardScript,
	})
	bad := w.run("hooks lint", "GEMINI_CLI_TRUST_WORKSPACE=false")
	assert.Equal(t, 1, bad.code)
	assert.Equal(t, `.gemini/settings.json:3: error HK002: there is no event "PreToolUse", its hooks never run; did you mean "BeforeTool"? (--fix)

1 error, 0 warnings, 0 notes; --fix can do 1 of them; checked 0 hooks in 1 file
minigem hooks lint --explain CODE explains a finding
`, bad.out)

	fixed := w.run("hooks lint --fix")
	assert.Equal(t, 0, fixed.code, fixed.out+fixed.err)
	assert.Contains(t, fixed.out, "0 errors, 0 warnings, 1 note; 4 fixed; checked 1 hook in 1 file\n")
	assert.Equal(t, "{\n  // moved over\n  \"hooks\": {\"BeforeTool\": [{\"matcher\": \"run_shell_command\", \"hooks\": [\n    {\"type\": \"command\", \"command\": \"./guard.sh\", \"timeout\": 30000}\n  ]}]}\n}\n",
		w.read(".gemini/settings.json"))
	assert.Contains(t, w.run("hooks lint --format sarif").out, `"ruleId": "HK028"`)
	assert.Contains(t, w.run("hooks lint --format json").out, `"severity": "note"`)

	none := newHookWorld(t, nil).run("hooks lint")
	assert.Equal(t, 1, none.code)
	assert.Contains(t, none.out, "warning HK018: no hook was found in 0 files: nothing was checked\n")
}

// In an extension's repository, its hooks are linted as they will be when installed.
func TestHooksLintExtension(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		"gemini-extension.json": `{"name": "guards", "version": "1.0.0"}`,
		"hooks/hooks.json": `{"hooks": {
  "BeforeTols": [{"hooks": [{"type": "command", "command": "true"}]}],
  "BeforeTool": [{"matcher": "[write", "hooks": [{"type": "command", "command": "\"${extensionPath}/hooks/no-such.sh\""}]}],
  "AfterTool": [{"hooks": [{"type": "command", "command": "sh \"${extensionPath}/hooks/log.sh\""}]}]
}}`,
		"hooks/log.sh": "cat >/dev/null\n",
	})
	got := w.run("hooks lint")
	assert.Equal(t, 1, got.code, got.err)
	for _, want := range []string{
		"hooks/hooks.json:2: error HK001: ", "hooks/hooks.json:3: error HK020: ", "hooks/hooks.json:3: error HK030: there is no file ",
		"; checked 2 hooks in 1 file\n",
	} {
		assert.Contains(t, got.out, want)
	}
	assert.NotContains(t, w.run("hooks explain").out, "log.sh", "in a session it is no extension")

	w = newHookWorld(t, map[string]string{"gemini-extension.json": `{"name": "guards"}`, "hooks/hooks.json": "{\n\"hooks\":"})
	assert.Regexp(t, `hooks\.json:2: error HK017: `, w.run("hooks lint").out)
}

// If a repository holds several extensions, the one in the current folder is linted.
func TestHooksLintExtensionInAFolder(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, nil)
	require.NoError(t, os.Mkdir(w.path(".git"), 0o755))
	require.NoError(t, os.CopyFS(w.path("pack"), os.DirFS("../../examples/extension")))
	sys, out, _ := w.sys()
	sys.Dir = w.path("pack")
	assert.Equal(t, 0, run([]string{"hooks", "lint"}, sys), out.String())
	assert.Contains(t, out.String(), "checked 1 hook in 1 file")
}

func TestHooksLintUsage(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{".gemini/settings.json": "{"})
	for args, want := range map[string]string{
		"hooks lint here there":      "takes one file, or none for all",
		"hooks lint --format xml":    `--format is "xml": it must be text, json, sarif`,
		"hooks lint --explain HK999": `there is no code "HK999"; codes range from HK001 to HK075`,
		"hooks lint --fixx":          "unknown flag: --fixx",
	} {
		got := w.run(args)
		assert.Equal(t, exit.Input, got.code, args)
		assert.Contains(t, got.err, want, args)
	}
	assert.Contains(t, w.run("hooks lint --explain hk044").out, "**An AfterAgent or SubagentStop hook never reads stop_hook_active**")
	assert.Equal(t, exit.Config, w.run("hooks lint").code, "a file that cannot be read")
	require.NoError(t, os.WriteFile(w.path(".gemini/settings.json"), []byte(guarded), 0o400))
	require.NoError(t, os.WriteFile(w.path("guard.sh"), []byte(guardScript), 0o700))
	assert.Equal(t, 0, w.run("hooks lint").code)
}

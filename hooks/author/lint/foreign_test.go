package lint_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/lint"
)

// TestOthersFields checks that fields for other agents are fine in an answer that also
// refuses here, as in the recipes of README.md and hooks test. A misspelled field is
// still a mistake, and so is a refusal that only other agents understand.
func TestOthersFields(t *testing.T) {
	t.Parallel()
	const short, long = `'{"decision": "deny", "cancel": true}'`, `'{"decision": "block", "reason": "no", "permissionDecision": "deny", "permissionDecisionReason": "no", "cancel": true, "errorMessage": "no"}'`
	for script, want := range map[string][]string{
		"case $(cat) in\n*force*) echo " + short + "; echo no >&2; exit 2 ;;\nesac":                 {},
		"echo no >&2\necho " + long + "\nexit 2":                                                    {},
		"echo " + long:                                                                              {},
		`echo '{"permissionDecision": "deny", "cancel": true}'; echo no >&2; exit 2`:                {"HK043"},
		`echo '{"decision": "deny", "cancle": true}'; echo no >&2; exit 2`:                          {"HK053"},
		`echo '{"permissionDecision": "deny"}'`:                                                     {"HK048"},
		`echo '{"cancel": true}'`:                                                                   {"HK053"},
		"if true; then\necho '{\"permissionDecision\": \"deny\"}'\nexit 0\nfi\necho no >&2\nexit 2": {"HK048"},
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "x"), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		got := lint.Run(load(t, dir, entry("BeforeTool", `"matcher": "^write_file$"`, `"name": "x", "timeout": 5000, "command": "\"${GEMINI_PROJECT_DIR}/x\""`), hooks.LayerProject).input)
		assert.ElementsMatch(t, want, codes(got), script)
	}
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/app"
)

const refusesInHIF = `{"spec": "hooks/0.1", "hooks": [
  {"name": "guard", "event": "before_tool_execute", "matcher": "shell", "blocking": true, "handler": {"type": "command", "command": "./guard.sh", "env": {"WHO": "it's me"}}},
  {"event": "before_model", "handler": {"type": "command", "command": "exit 0", "status_message": "looking"}}
]}
`

const makesFile = "-- model --\nshell echo made > f.txt\n\ntext Done.\n"

// TestFromHIF: what refuses in HIF refuses in every agent that is played, for its
// answers are translated; bare, it lets pass, and compat says where.
func TestFromHIF(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"hif/hooks.json": refusesInHIF,
		"hif/guard.sh":   "#!/bin/sh\ncat >/dev/null\necho \"{\\\"decision\\\": \\\"deny\\\", \\\"reason\\\": \\\"not while $WHO\\\"}\"\n",
		"observing.json": `{"spec": "hooks/0.1", "hooks": [{"name": "watch", "event": "before_tool_execute", "handler": {"type": "command", "command": "cat >/dev/null; echo careful >&2; exit 2"}}]}`,
		"guard.txtar":    "prompt Make f.txt\nfired before-tool guard\n! exists f.txt\nmodel-saw last ~'not while it.s me'\n-- hooks --\n" + makesFile,
		"observed.txtar": "prompt Make f.txt\nfired before-tool watch\nexists f.txt\n-- hooks --\n" + makesFile,
		"own.txtar": "prompt Make f.txt\n! exists f.txt\nmodel-saw last ~mine\n-- hooks --\n" +
			`{"spec": "hooks/0.1", "hooks": [{"event": "before_tool_execute", "matcher": {"pattern": "(?i)bash|shell"}, "blocking": true, "handler": {"type": "command", "command": "cat >/dev/null; echo mine >&2; exit 2"}}]}` + "\n" + makesFile,
		"nested.txtar": "prompt Make f.txt\n! exists f.txt\nmodel-saw last ~nested\n-- hooks --\n" +
			`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "cat >/dev/null; echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\", \"permissionDecisionReason\": \"nested\"}}'"}]}]}}` + "\n" + makesFile,
		"lost.txtar": "prompt Make f.txt\n! exists f.txt\n-- hooks --\n" + `{"spec": "hooks/0.1", "hooks": [{"event": "subagent_start", "handler": {"type": "command", "command": "x"}}]}` + "\n" + makesFile,
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(at(name)), 0o755))
		require.NoError(t, os.WriteFile(at(name), []byte(text), 0o755))
	}
	for _, tt := range []struct {
		args  []string
		code  int
		cells int    // that pass; of minigem itself, too
		says  string // on stderr
	}{
		{[]string{"--as", "claude,codex,copilot,gemini,qwen,kimi", "--from", "hif", at("hif"), at("guard.txtar")}, 0, 7, `lost of hooks.json: hook 2 (before_model): status_message`},
		{[]string{"--as", "claude,qwen", "--from", "hif", at("observing.json"), at("observed.txtar")}, 0, 3, ""},
		{[]string{"--as", "claude,kimi,copilot", at("own.txtar"), at("nested.txtar")}, 0, 8, ""},
		{[]string{"--as", "claude", "--from", "hif", at("guard.txtar"), at("guard.txtar")}, 42, 0, "has no file of HIF"},
		{[]string{"--from", "hif", at("hif"), at("guard.txtar")}, 42, 0, "--from hif needs a folder and cases, and --on or --as"},
		{[]string{at("lost.txtar")}, 42, 0, ""},
	} {
		code, stdout, stderr := hooksTest(t, tt.args...)
		assert.Equal(t, tt.code, code, "%v: %s%s", tt.args, stdout, stderr)
		assert.Len(t, regexp.MustCompile(`\bpass `).FindAllString(stdout, -1), tt.cells, "%v: %s", tt.args, stdout)
		assert.Contains(t, stderr, tt.says)
	}
	code, stdout, _ := hooksTest(t, at("own.txtar"), at("nested.txtar"))
	assert.Zero(t, code, stdout)

	compat := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		sys := &app.System{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Env: os.Environ(), Dir: dir, Now: time.Now}
		return run(append([]string{"hooks", "compat", "--hif"}, args...), sys), out.String() + errs.String()
	}
	code, stdout = compat("hif/hooks.json", "--agents", "claude,gemini")
	assert.Equal(t, 1, code)
	assert.Regexp(t, `(?m)^guard +claude +inverted`, stdout)
	assert.Regexp(t, `(?m)^guard +gemini +kept`, stdout)
	code, stdout = compat("own.txtar")
	assert.Equal(t, 42, code, stdout)
}

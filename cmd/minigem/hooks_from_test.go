package main

import (
	"bytes"
	"encoding/json"
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

// TestUnproven: agents that were never run are played as far as their documents
// go, under another title, and what those leave open is no green.
func TestUnproven(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"exit":  "prompt Go\nfired before-tool *\n! exists f.txt\nmodel-saw last ~'not yours'\n-- hooks --\nbefore-tool shell h.sh\n-- h.sh --\ncat >read.txt\necho not yours >&2\nexit 2\n-- model --\nshell echo a > f.txt\n\ntext Done.\n",
		"other": "prompt Go\nnot-fired before-tool *\ntool-ran write\n-- hooks --\nbefore-tool shell h.sh\n-- h.sh --\nexit 2\n-- model --\nwrite f.txt a\n\ntext Done.\n",
		"reads": "prompt Go\nfile read.txt ~Execute\n-- hooks --\nbefore-tool * h.sh\n-- h.sh --\ncat >read.txt\n-- model --\nshell true\n\ntext Done.\n",
		"deny":  "prompt Go\nexists f.txt\n-- hooks --\nbefore-tool * h.sh\n-- h.sh --\necho '{\"decision\": \"deny\"}'\n-- model --\nshell echo a > f.txt\n\ntext Done.\n",
		"stop":  "prompt Go\nmodel-requests 3\n-- hooks --\nstop h.sh\n-- h.sh --\necho '{\"followup_message\": \"again\", \"decision\": \"block\", \"reason\": \"again\"}'\n-- model --\ntext Done.\nrepeat\n",
		"exits": "prompt Go\nexit 0\n-- hooks --\nprompt h.sh\n-- h.sh --\nexit 0\n-- model --\ntext Done.\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(text), 0o644))
	}
	code, stdout, stderr := hooksTest(t, "--as", "cursor,kiro,windsurf,droid", "--format", "json", dir)
	require.Equal(t, 1, code, stderr)
	var cells []struct{ Case, Agent, State string }
	require.NoError(t, json.Unmarshal([]byte(stdout), &cells))
	got := map[string]string{}
	for _, c := range cells {
		if c.Agent != "minigem" {
			assert.Contains(t, c.Agent, " (unproven)")
			got[filepath.Base(c.Case)+" "+strings.TrimSuffix(c.Agent, " (unproven)")] = c.State
		}
	}
	want := map[string]string{}
	for name, states := range map[string][4]string{
		"exit": {"pass", "pass", "pass", "pass"}, "other": {"pass", "pass", "pass", "pass"}, "reads": {"fail", "fail", "fail", "pass"},
		"deny": {"cannot", "cannot", "pass", "pass"}, "stop": {"cannot", "cannot", "cannot", "cannot"}, "exits": {"cannot", "cannot", "cannot", "cannot"},
	} {
		for i, agent := range []string{"cursor", "kiro", "windsurf", "droid"} {
			want[name+" "+agent] = states[i]
		}
	}
	assert.Equal(t, want, got)
	_, stdout, _ = hooksTest(t, "--as", "kiro", filepath.Join(dir, "exit.txtar"))
	assert.Contains(t, stdout, "kiro (unproven): Kiro CLI was never run here: what is played is what its documents say; what its hooks read is not known: they read {}")
}

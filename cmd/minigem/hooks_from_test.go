package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const makesFile = "-- model --\nshell echo made > f.txt\n\ntext Done.\n"

// Hooks in the form of Claude Code refuse in every agent that is played, because
// their answers are translated.
func TestHooksInTheFormOfClaudeCode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	refuses := `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": ` +
		`"cat >/dev/null; echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", ` +
		`\"permissionDecision\": \"deny\", \"permissionDecisionReason\": \"nested\"}}'"}]}]}}`
	unknown := `{"hooks": {"SubagentBegin": [{"hooks": [{"type": "command", "command": "x"}]}]}}`
	for name, text := range map[string]string{
		"nested.txtar": "prompt Make f.txt\n! exists f.txt\nmodel-saw last ~nested\n-- hooks --\n" + refuses + "\n" + makesFile,
		"lost.txtar":   "prompt Make f.txt\n! exists f.txt\n-- hooks --\n" + unknown + "\n" + makesFile,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	nested := filepath.Join(dir, "nested.txtar")
	code, stdout, stderr := hooksTest(t, "--as", "claude,kimi,copilot", nested)
	assert.Zero(t, code, stdout+stderr)
	assert.Len(t, regexp.MustCompile(`\bpass\b`).FindAllString(stdout, -1), 4, stdout)
	code, stdout, _ = hooksTest(t, nested)
	assert.Zero(t, code, stdout)
	code, stdout, stderr = hooksTest(t, filepath.Join(dir, "lost.txtar"))
	assert.Equal(t, 42, code)
	assert.Contains(t, stdout+stderr, "SubagentBegin")
}

// An agent that was never run is played as far as its documents go, under another
// title, and what those leave open is not green. Agents of which less is known
// are not played.
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
	code, stdout, stderr := hooksTest(t, "--as", "cursor,kiro,windsurf,amp,crush,droid", "--format", "json", dir)
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
	for name, state := range map[string]string{
		"exit": "pass", "other": "pass", "reads": "pass", "deny": "pass", "stop": "cannot", "exits": "cannot",
	} {
		want[name+" droid"] = state
		for _, agent := range []string{"cursor", "kiro", "windsurf", "amp", "crush"} {
			want[name+" "+agent] = "cannot"
		}
	}
	assert.Equal(t, want, got)
	_, stdout, _ = hooksTest(t, "--as", "kiro", filepath.Join(dir, "exit.txtar"))
	assert.Contains(t, stdout, "nobody has measured what Kiro CLI does with hooks; its documentation is at https://kiro.dev")
}

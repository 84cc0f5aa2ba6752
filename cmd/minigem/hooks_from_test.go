package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const makesFile = "-- model --\nshell echo made > f.txt\n\ntext Done.\n"

// Hooks in Claude Code's form refuse in every played agent, because their answers are
// translated.
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

// An agent that was never measured is not played. Each of its cells says so, with a
// link.
func TestUnproven(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := hooksTest(t, "--as", "cursor,kiro,windsurf,amp,crush", "--format", "json", "../../examples/portable/naive.txtar")
	require.Equal(t, 1, code, stderr)
	var cells []struct{ Agent, State, Why string }
	require.NoError(t, json.Unmarshal([]byte(stdout), &cells))
	unproven := 0
	for _, c := range cells {
		if c.Agent != "minigem" {
			unproven++
			assert.Contains(t, c.Agent, " (unproven)")
			assert.Equal(t, "cannot", c.State)
			assert.Regexp(t, "^the hooks of .* have not been measured; its documentation is at https://", c.Why)
		}
	}
	assert.Equal(t, 5, unproven)
}

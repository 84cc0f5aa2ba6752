package extensions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestContentsShowTheHooksOfSkillsAndAgents checks that a user who agrees to an
// extension has seen what its skills and agents run.
func TestContentsShowTheHooksOfSkillsAndAgents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"gemini-extension.json": `{"name": "x", "version": "1.0.0"}`,
		"skills/s/SKILL.md":     "---\nname: s\ndescription: d\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks: [{type: command, command: ./run.sh}]\n---\nb\n",
		"skills/t/SKILL.md":     "---\nname: t\ndescription: d\nhooks: 5\n---\nb\n",
		"agents/a.md":           "---\nname: a\ndescription: d\nmcp_servers:\n  git:\n    command: git-mcp\n    args: [-v]\nhooks:\n  Stop:\n    - hooks: [{type: command, command: ./end.sh}]\n---\nb\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
	}
	c, err := Read(dir)
	require.NoError(t, err)
	var hooks []Part
	for _, p := range c.Parts {
		if p.Kind == "hook" {
			hooks = append(hooks, p)
		}
	}
	assert.Equal(t, []Part{
		{"hook", "BeforeTool (run_shell_command) of the skill s", "./run.sh"},
		{"hook", "SubagentStop of the agent a", "./end.sh"},
	}, hooks)
	assert.Contains(t, c.Parts, Part{"MCP server", "git of the agent a", "git-mcp -v"})
	assert.Contains(t, c.Problems, "skill t: its hooks cannot be read, and do not run: it is not a list of events such as PreToolUse")
}

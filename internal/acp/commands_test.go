package acp

import (
	"os"
	"path/filepath"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

// TestSkillsAreCommands: the editor is offered a skill, and its command activates it
// unasked.
func TestSkillsAreCommands(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, says("Merged."))
	file := filepath.Join(e.home, ".gemini", "skills", "pdf", "SKILL.md")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte("---\nname: pdf\ndescription: Works with PDF files.\n---\nRead every page.\n"), 0o600))
	id := e.session()
	e.waitFor("/pdf: Works with PDF files.")
	e.prompt(id, "/pdf merge")
	assert.Empty(t, e.asked)
	assert.Regexp(t, `(?s)call other in_progress: pdf: Works.*update completed Skill \*\*pdf\*\* activated.*says Merged\.`, e.all())
	require.NoError(t, e.hang())
}

// TestTitleOfAPermission: it is the command that is to run.
func TestTitleOfAPermission(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, calls("run_shell_command", map[string]any{"command": "touch a.txt", "description": "Make a file"}), says("Done."))
	id := e.session()
	e.answers = []string{"proceed_once"}
	e.prompt(id, "go on")
	require.Len(t, e.asked, 1)
	assert.Equal(t, "touch a.txt", *e.asked[0].ToolCall.Title)
	assert.Contains(t, e.all(), "call execute pending: touch a.txt")
	require.NoError(t, e.hang())
}

// TestLoadWithoutAnID: session/load says what it needs.
func TestLoadWithoutAnID(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, says("Hi."))
	e.session()
	_, err := e.conn.LoadSession(waittest.Context(t), acp.LoadSessionRequest{Cwd: e.dir, McpServers: []acp.McpServer{}})
	var failed *acp.RequestError
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, -32602, failed.Code)
	assert.Contains(t, failed.Message, "needs the id of a session")
	require.NoError(t, e.hang())
}

package acp

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

// TestSkillsAreCommands: the editor is offered a skill, and its command activates it
// without asking.
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

// TestCommands: an editor is offered minigem's own commands, and each answers it without
// the model.
func TestCommands(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{"general": {"checkpointing": {"enabled": true}}, "security": {"folderTrust": {"enabled": false}}}`,
		says("Written."),
		calls("write_file", map[string]any{"file_path": "a.txt", "content": "new"}), says("Changed."))
	write := func(name, words string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(e.home, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(e.home, name), []byte(words), 0o600))
	}
	write("project/a.txt", "old")
	write(".gemini/commands/tea.toml", `prompt = "Make tea"`)
	id := e.session()
	e.waitFor("/tea: ")
	for _, name := range []string{"memory", "init", "extensions", "restore", "about", "help"} {
		assert.Contains(t, e.all(), "\n/"+name+": ")
	}
	said := func(line string) string {
		t.Helper()
		e.mu.Lock()
		e.heard = nil
		e.mu.Unlock()
		assert.Equal(t, acp.StopReasonEndTurn, e.prompt(id, line))
		e.waitFor("says ")
		return e.all()
	}

	assert.Contains(t, said("/memory"), "No memory file is loaded.")
	assert.Contains(t, said("/init"), "says Written.", "the model is asked")
	write("project/GEMINI.md", "Be brief.")
	assert.Contains(t, said("/memory refresh"), "Read again: 1 memory file")
	assert.Contains(t, said("/memory list"), "  GEMINI.md")
	assert.Contains(t, said("/memory add Tea is hot"), "Remembered: Tea is hot\nRead again: 2 memory files")
	assert.Regexp(t, `(?s)Tea is hot.*Be brief\.`, said("/memory show"))
	assert.Contains(t, said("/about"), "model    gemini-2.5-flash\n")
	assert.Contains(t, said("/extensions list"), "No extensions are installed")
	help := said("/help")
	assert.Regexp(t, `(?m)^  /tea \[ARGS\] `, help)
	assert.Regexp(t, `(?m)^    add \[--project\] TEXT `, help)

	assert.Contains(t, said("/restore"), "No checkpoint was taken")
	e.answers = []string{"proceed_once"}
	assert.Contains(t, said("go on"), "says Changed.")
	assert.Equal(t, "new", e.file("a.txt"))
	name := regexp.MustCompile(`\S+-a\.txt-write_file`).FindString(said("/restore"))
	assert.Contains(t, said("/restore "+name), "are as they were at "+name)
	assert.Equal(t, "old", e.file("a.txt"))

	for line, want := range map[string]string{
		"/memory lst":     "did you mean /memory list?",
		"/about that":     "/about takes nothing after it",
		"/init":           "GEMINI.md already exists",
		"/restore nobody": `there is no checkpoint "nobody"`,
		"/compress":       "/compress works only in the chat",
	} {
		_, err := e.conn.Prompt(waittest.Context(t), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(line)}})
		var failed *acp.RequestError
		require.ErrorAs(t, err, &failed, line)
		assert.Equal(t, -32602, failed.Code, line)
		assert.Contains(t, failed.Message, want)
	}
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

package slash_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/slash"
	"minigem/llm"
	"minigem/tools/workspace"
	"minigem/tools/workspace/filetest"
)

func TestIncludedFiles(t *testing.T) {
	t.Parallel()
	dir := filetest.Tree(t, map[string]string{
		"a.txt": "text of a", "sub/b.txt": "text of b", "hidden.txt": "x", ".geminiignore": "hidden.txt\n",
		"sub/odd[1].md": "text of odd",
	})
	ws, err := workspace.New(dir)
	require.NoError(t, err)
	files := slash.Files{Workspace: ws, Ignore: workspace.Ignore{Git: true, Gemini: true}, Search: true}
	for _, c := range []struct {
		prompt, holds, warning string
	}{
		{"see @a.txt", "Content from @a.txt:\ntext of a", ""},
		{"see @sub", "text of b", ""},
		{"see @b.txt", "Content from @sub/b.txt:\ntext of b", "@b.txt is read as sub/b.txt"},
		{`see @odd\[1\]`, "text of odd", "@odd[1] is read as sub/odd[1].md"},
		{"see @hidden.txt", "", "@hidden.txt is not included: .geminiignore ignores it"},
		{"see @" + strings.ReplaceAll(filepath.Dir(dir), " ", `\ `), "",
			"is not included: it is outside the workspace; --include-directories adds folders"},
		{"see @nothing.here", "", "@nothing.here is not included: there is no such file"},
		{"ask @nobody", "", ""},
	} {
		var warnings []string
		parts := files.Include(t.Context(), c.prompt, func(w string) { warnings = append(warnings, w) })
		if c.holds == "" {
			assert.Nil(t, parts, c.prompt)
		} else {
			assert.Contains(t, llm.PartsText(parts), c.holds, c.prompt)
		}
		assert.Contains(t, strings.Join(warnings, "\n"), c.warning, c.prompt)
		assert.Equal(t, c.warning == "", len(warnings) == 0, "%s: %q", c.prompt, warnings)
	}
	files.Search = false
	assert.Nil(t, files.Include(t.Context(), "see @b.txt", func(string) {}), "only whole names")
}

// TestNamedAgents checks that the model is told which agents a prompt names, in
// addition to the unchanged text, and that an agent takes precedence over a file of the
// same name.
func TestNamedAgents(t *testing.T) {
	t.Parallel()
	dir := filetest.Tree(t, map[string]string{"scout": "a file", "a.txt": "text of a"})
	ws, err := workspace.New(dir)
	require.NoError(t, err)
	files := slash.Files{Workspace: ws, Agent: func(name string) bool { return name == "scout" || name == "helper" }}
	none := func(w string) { t.Error(w) }
	assert.Equal(t, "@scout and @helper, look\n<system_note>\nThe user chose these agents for the task, in this order: "+
		"scout, helper. Hand it to them with invoke_agent.\n</system_note>\n",
		llm.PartsText(files.Include(t.Context(), "@scout and @helper, look", none)))
	both := llm.PartsText(files.Include(t.Context(), "@scout see @a.txt", none))
	assert.Contains(t, both, "these agents for the task, in this order: scout.")
	assert.Contains(t, both, "Content from @a.txt:\ntext of a")
	assert.NotContains(t, both, "a file")
	assert.Nil(t, files.Include(t.Context(), "ask @nobody", none))
}

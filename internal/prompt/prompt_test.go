package prompt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree makes files below a new directory. Names that end in "/" are directories.
func tree(t testing.TB, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, n := range names {
		path := filepath.Join(root, n)
		if strings.HasSuffix(n, "/") {
			require.NoError(t, os.MkdirAll(path, 0o755))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, nil, 0o644))
	}
	return root
}

func TestPreamble(t *testing.T) {
	t.Parallel()
	root := tree(t, "notes.txt", ".gemini/settings.json", "src/a.go")
	s := Surroundings{
		Now: time.Date(2026, 11, 21, 0, 41, 0, 0, time.UTC), OS: "linux", TempDir: "/home/user/.gemini/tmp/p",
		Dirs: []string{root}, Tree: true, Extensions: "from an extension", Project: "from the project",
	}
	want := `<session_context>
This session is minigem's. Here is where it takes place; there is nothing to answer yet.
Today is Saturday, November 21, 2026.
The operating system is: linux
Temporary files of the project go to: /home/user/.gemini/tmp/p
- **Workspace Directories:**
  - ROOT
- **Directory Structure:**

Up to 200 files and folders are shown.

ROOT/
├───notes.txt
├───.gemini/
│   └───settings.json
└───src/
    └───a.go


<loaded_context>
<extension_context>
from an extension
</extension_context>
<project_context>
from the project
</project_context>
</loaded_context>

</session_context>`
	assert.Equal(t, strings.ReplaceAll(want, "ROOT", root), Preamble(t.Context(), s))

	s.Tree, s.Extensions, s.Project = false, "", " "
	got := Preamble(t.Context(), s)
	assert.NotContains(t, got, "Directory Structure")
	assert.NotContains(t, got, "loaded_context")
}

func TestTree(t *testing.T) {
	t.Parallel()
	const head = "Up to 200 files and folders are shown."
	const more = head + " Where you see ... there is more that is ignored or did not fit."
	cases := []struct {
		name  string
		files []string
		want  string
	}{
		{"empty", nil, head + "\n\nROOT/\n"},
		{"files before folders, by name", []string{"b", "a", "c/", "a0/x"}, head + "\n\nROOT/\n├───a\n├───b\n├───a0/\n│   └───x\n└───c/\n"},
		{"closed folders", []string{"a", ".git/config", "x/node_modules/y"}, more + "\n\nROOT/\n├───a\n├───.git/...\n└───x/\n    └───node_modules/...\n"},
		{"ignored", []string{"a", "secret", "build/x"}, more + "\n\nROOT/\n├───a\n└───build/...\n"},
	}
	for _, c := range cases {
		root := tree(t, c.files...)
		ignored := func(path string, dir bool) bool {
			return path == filepath.Join(root, "secret") || dir && path == filepath.Join(root, "build")
		}
		assert.Equal(t, strings.ReplaceAll(c.want, "ROOT", root), Tree(t.Context(), root, ignored), c.name)
	}
}

func TestTreeIsBounded(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 3 {
		for j := range 150 {
			names = append(names, fmt.Sprintf("dir%d/file%03d", i, j))
		}
	}
	root := tree(t, append(names, "top")...)
	got := Tree(t.Context(), root, nil)
	assert.Equal(t, 200+1, strings.Count(got, "───"), "and a line that says so in the folder that was cut")
	assert.Contains(t, got, "├───top\n")
	assert.Contains(t, got, "│   ├───file045\n│   └───...\n└───dir2/...\n")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Contains(t, Tree(ctx, root, nil), root+"/\n└───...\n", "no time: nothing is read")
	assert.Contains(t, Tree(t.Context(), filepath.Join(root, "none"), nil), "none/\n└───...\n")
}

func TestTreeDoesNotFollowLinks(t *testing.T) {
	t.Parallel()
	root := tree(t, "a")
	require.NoError(t, os.Symlink(root, filepath.Join(root, "loop")))
	assert.Contains(t, Tree(t.Context(), root, nil), "├───a\n└───loop\n")
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// Every section is present if it applies, and each can be switched off.
func TestSections(t *testing.T) {
	t.Parallel()
	all := System{Interactive: true, Yolo: true, Git: true, Sandbox: true, Hooks: true,
		Agents: []Entry{{"helper", "Looks\nthings up."}}, Skills: []Entry{{"pdf", "Reads PDF."}}}
	planning, headless := all, System{}
	planning.Plan = true
	cases := []struct {
		name   string
		system System
		mark   string
	}{
		{"preamble", all, "You are minigem"},
		{"coreMandates", all, "# Rules that always hold"},
		{"subAgents", all, "- `helper`: Looks things up."},
		{"agentSkills", all, "- `pdf`: Reads PDF."},
		{"hookContext", all, "`<hook_context>`"},
		{"primaryWorkflows", all, "# How to work"},
		{"planningWorkflow", planning, "# Planning"},
		{"operationalGuidelines", all, "# Manner and tools"},
		{"sandbox", all, "# Sandbox"},
		{"sandbox", headless, "# No sandbox"},
		{"interactiveYoloMode", all, "# Acting without asking"},
		{"headless", headless, "# Nobody is at the keyboard"},
		{"gitRepo", all, "# Git"},
		{"finalReminder", all, "# To end with"},
	}
	named := map[string]bool{}
	for _, c := range cases {
		named[c.name] = true
		text, err := c.system.Text()
		require.NoError(t, err)
		assert.Contains(t, text, c.mark, c.name)
		assert.NotContains(t, text, "\n\n\n", c.name)
		c.system.Getenv = env("GEMINI_PROMPT_"+strings.ToUpper(c.name), "0")
		text, err = c.system.Text()
		require.NoError(t, err)
		assert.NotContains(t, text, c.mark, c.name)
	}
	assert.Len(t, named, len(sections()), "each section has a case")
	text, err := System{}.Text()
	require.NoError(t, err)
	for _, absent := range []string{"# Git", "# Planning", "# Agents", "# Skills", "hook_context", "# Acting without asking"} {
		assert.NotContains(t, text, absent)
	}
}

func TestMemoryAndServers(t *testing.T) {
	t.Parallel()
	text, err := System{Memory: "be brief\n", MCP: []Entry{{"db", "use views\n"}}}.Text()
	require.NoError(t, err)
	assert.Contains(t, text, "--- Instructions of the MCP server db ---\nuse views\n--- End of the instructions of db ---")
	assert.True(t, strings.HasSuffix(text, "<loaded_context>\nbe brief\n</loaded_context>"))
}

func TestOwnSystemPrompt(t *testing.T) {
	t.Parallel()
	root := tree(t, ".gemini/")
	own := filepath.Join(root, ".gemini", "system.md")
	require.NoError(t, os.WriteFile(own, []byte("Mine. Use ${read_file_ToolName}.\n${AvailableTools}\n${AgentSkills}${SubAgents}"), 0o644))
	s := System{Root: root, Home: root, Tools: []string{"read_file", "glob"}, Memory: "m"}
	for _, value := range []string{"1", "true", "TRUE", own, "~/.gemini/system.md", ".gemini/system.md"} {
		s.Getenv = env("GEMINI_SYSTEM_MD", value)
		text, err := s.Text()
		require.NoError(t, err, value)
		assert.True(t, strings.HasPrefix(text, "Mine. Use read_file.\n- read_file\n- glob\n\n"), value)
		assert.Contains(t, text, "<loaded_context>\nm\n", value)
	}
	for _, value := range []string{"", "0", "false"} {
		s.Getenv = env("GEMINI_SYSTEM_MD", value)
		text, err := s.Text()
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(text, "You are minigem"), value)
	}
	s.Getenv = env("GEMINI_SYSTEM_MD", "none.md")
	_, err := s.Text()
	assert.ErrorContains(t, err, "reading the system prompt that GEMINI_SYSTEM_MD names: open "+filepath.Join(root, "none.md"))
}

func TestWrite(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := System{Root: root, Memory: "not written"}
	require.NoError(t, s.Write(""))
	require.NoError(t, s.Write("false"))
	assert.NoDirExists(t, filepath.Join(root, ".gemini"))
	for value, file := range map[string]string{"1": ".gemini/system.md", "prompts/mine.md": "prompts/mine.md"} {
		require.NoError(t, s.Write(value))
		data, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		assert.Equal(t, s.assemble()+"\n", string(data))
	}
	s.Getenv = env("GEMINI_SYSTEM_MD", "1")
	text, err := s.Text()
	require.NoError(t, err)
	assert.Equal(t, join(s.assemble(), s.memoryText()), text, "what was written is read again")
	assert.ErrorContains(t, s.Write(root), "writing the system prompt to the file that GEMINI_WRITE_SYSTEM_MD names: ")
}

func BenchmarkTreeOfManyFiles(b *testing.B) {
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf("d%02d/f%04d", i%20, i))
	}
	root := tree(b, names...)
	for b.Loop() {
		Tree(b.Context(), root, nil)
	}
}

package runslater

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		".gemini": ".gemini", ".gemini/": ".gemini", ".gemini/settings.json": ".gemini", "/p/.gemini/hooks/x.sh": "p/.gemini", "pkg/.gemini/settings.json": "pkg/.gemini",
		".gemini/skills/x/SKILL.md": ".gemini", ".GEMINI/x": ".GEMINI", "./.gemini/x": "./.gemini", "a/../.gemini/x": "a/../.gemini", "a//.gemini//x": "a/.gemini",
		".gemini./x": ".gemini.", ".gemini /x": ".gemini ", ".gem\u200cini/x": ".gem\u200cini", ".gemini::$INDEX_ALLOCATION/x": ".gemini::$INDEX_ALLOCATION", "GEMINI~1/x": "GEMINI~1",
		".gemini/worktrees": ".gemini", ".gemini/worktrees/x": ".gemini", ".gemini/worktrees/x/a.go": "", ".gemini/worktrees/x/.gemini/settings.json": ".gemini/worktrees/x/.gemini",
		".gemini/worktrees/x/.git": ".gemini/worktrees/x/.git", ".gemini/worktrees/../settings.json": ".gemini", ".gemini/worktrees/x/../../settings.json": ".gemini",
		".git/hooks/pre-commit": ".git", "sub/.git/config": "sub/.git", ".husky/pre-commit": ".husky", ".githooks/x": ".githooks", ".claude/settings.json": ".claude/settings.json",
		".claude/settings.local.json": ".claude/settings.local.json", "a/.claude/hooks/x": "a/.claude/hooks", ".codex/hooks.json": ".codex", ".github/hooks/x.json": ".github/hooks",
		".mcp.json": ".mcp.json", ".cursor/rules": ".cursor", ".idea/x": ".idea", ".zed/tasks.json": ".zed", ".devcontainer/devcontainer.json": ".devcontainer", ".mise.toml": ".mise.toml",
		".mise.local.toml": ".mise.local.toml", ".envrc": ".envrc", ".vscode/tasks.json": ".vscode", "VSCODE~1/x": "VSCODE~1", "x.code-workspace": "x.code-workspace", "a/.bashrc": "a/.bashrc",
		"a.go": "", "gemini/x": "", ".geminiignore": "", "GEMINI.md": "", ".github/workflows/ci.yml": ".github/workflows", "Jenkinsfile": "Jenkinsfile", "a/.env": "a/.env", ".env.example": "", ".claude/notes.md": "", "hooks/x": "", ".gitignore": "", ".vscodeignore": "", "": "", "/": "",
		"settings.json": "", ".claude": "", ".github": "", "src/cursor/x": "",
	} {
		got := Match(name)
		if strings.Contains(name, "..") {
			assert.Equal(t, want != "", got != "", name) // paths are clean where it matters; one match too many does no harm here
			continue
		}
		assert.Equal(t, strings.TrimPrefix(want, "./"), strings.TrimPrefix(got, "./"), name)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{
		".gemini/settings.json", "a/b/.gemini/x", "a/.claude/settings.json", ".gemini/worktrees/w/src/a.go", ".gemini/worktrees/w/pkg/.gemini/x",
		"node_modules/m/.vscode/x", "a/.git/config", "a/plain",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	require.NoError(t, os.Symlink("plain", filepath.Join(dir, "a", ".envrc")))
	found, whole := Find(dir, All)
	assert.True(t, whole)
	for i, name := range found {
		rel, err := filepath.Rel(dir, name)
		require.NoError(t, err)
		found[i] = filepath.ToSlash(rel)
	}
	assert.ElementsMatch(t, []string{".gemini", "a/b/.gemini", "a/.claude/settings.json", ".gemini/worktrees/w/pkg/.gemini", "a/.git", "a/.envrc"}, found)
	_, whole = Find(filepath.Join(dir, "missing"), All)
	assert.True(t, whole)
	found, whole = Find(dir, 1)
	assert.Empty(t, found)
	assert.False(t, whole)
}

// TestFindTakesWhatItCannotRead checks that a folder that cannot be read counts as a
// whole: anything may be in it.
func TestFindTakesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, mode := range []os.FileMode{0, 0o200, 0o311} {
		hidden := filepath.Join(dir, mode.String())
		require.NoError(t, os.Mkdir(hidden, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(hidden, ".envrc"), nil, 0o600))
		require.NoError(t, os.Chmod(hidden, mode))
		if _, err := os.ReadDir(hidden); err == nil {
			t.Skip("root reads everything")
		}
		found, whole := Find(dir, All)
		assert.True(t, whole)
		assert.Contains(t, found, hidden)
		require.NoError(t, os.Chmod(hidden, 0o755))
	}
}

// TestRepositories checks that a repository of git counts under any name, and so does the
// file that makes a folder one.
func TestRepositories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"meta/HEAD", "meta/objects/x", "meta/refs/x", "meta/config", "linked/HEAD", "linked/commondir", "half/HEAD", "half/objects/x", "plain/config"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	found, _ := Find(dir, All)
	assert.ElementsMatch(t, []string{filepath.Join(dir, "meta"), filepath.Join(dir, "linked")}, found)
	for name, want := range map[string]bool{
		"meta/config": true, "meta/hooks/pre-commit": true, "linked/commondir": true, "half/refs/x": true, "half/config": false, "half/a.go": false, "plain/config": false, "meta/notes": false,
	} {
		assert.Equal(t, want, inRepository(dir, filepath.Join(dir, name)), name)
	}
	found, _ = Find(filepath.Join(dir, "meta"), All)
	assert.Contains(t, found, filepath.Join(dir, "meta", "config"), "at the top its parts count")
}

// FuzzMatch checks that a spelling which some file system treats as the same name
// matches, too.
func FuzzMatch(f *testing.F) {
	f.Add("a/b", ".gemini/settings.json", uint8(3))
	f.Fuzz(func(t *testing.T, before, name string, how uint8) {
		if Match(name) == "" || strings.Contains(before, ".") {
			return
		}
		spelled := before + "/" + []string{name, strings.ToUpper(name), "./" + name, name + "/", name + "/x", strings.ReplaceAll(name, "/", "//")}[how%6]
		if strings.EqualFold(strings.ToUpper(name), name) {
			assert.NotEmpty(t, Match(spelled), "%q", spelled)
		}
	})
}

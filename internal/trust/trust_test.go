package trust_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/trust"
)

func write(t *testing.T, path, data string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
}

func TestDecide(t *testing.T) {
	t.Parallel()
	rules := trust.Rules{
		"/src":            trust.Folder,
		"/src/evil":       trust.Never,
		"/src/evil/but":   trust.Folder,
		"/work/p/one":     trust.Parent,
		"/work/p/bad":     trust.Never,
		"/tie/child":      trust.Parent,
		"/tie":            trust.Never,
		"relative/folder": trust.Folder,
	}
	for _, c := range []struct {
		dir  string
		want trust.Decision
	}{
		{"/src", trust.Trusted}, {"/src/a/b", trust.Trusted}, {"/src/", trust.Trusted},
		{"/srcs", trust.Unknown}, {"/", trust.Unknown}, {"/else", trust.Unknown},
		// the longest path decides
		{"/src/evil", trust.Untrusted}, {"/src/evil/deep", trust.Untrusted}, {"/src/evil/but/x", trust.Trusted},
		{"/src/evil/../fine", trust.Trusted},
		// the parent is meant
		{"/work/p/one", trust.Trusted}, {"/work/p/two", trust.Trusted}, {"/work/p", trust.Trusted},
		{"/work", trust.Unknown}, {"/work/p/bad", trust.Untrusted},
		// of two for one folder the one that distrusts
		{"/tie/x", trust.Untrusted},
		{"/relative/folder", trust.Unknown},
	} {
		for range 10 { // the order of a map must not matter
			assert.Equal(t, c.want, rules.Decide(c.dir), c.dir)
		}
	}
}

func TestLinksLeadNowhereElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "trusted"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "evil"), 0o755))
	require.NoError(t, os.Symlink("../evil", filepath.Join(dir, "trusted", "link")))
	require.NoError(t, os.Symlink("trusted", filepath.Join(dir, "alias")))
	rules := trust.Rules{filepath.Join(dir, "alias"): trust.Folder}
	assert.Equal(t, trust.Trusted, rules.Decide(filepath.Join(dir, "trusted")))
	assert.Equal(t, trust.Trusted, rules.Decide(filepath.Join(dir, "alias", "not yet there")))
	assert.Equal(t, trust.Unknown, rules.Decide(filepath.Join(dir, "trusted", "link")))
}

func TestSetAndLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, ".gemini", "trustedFolders.json")
	rules, warnings, err := trust.Load(file)
	require.NoError(t, err)
	assert.Empty(t, rules)
	assert.Empty(t, warnings)

	require.NoError(t, trust.Set(file, filepath.Join(dir, "a"), trust.Folder))
	require.NoError(t, trust.Set(file, filepath.Join(dir, "b"), trust.Parent))
	require.NoError(t, trust.Set(file, filepath.Join(dir, "a"), trust.Never))
	rules, warnings, err = trust.Load(file)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, trust.Rules{filepath.Join(dir, "a"): trust.Never, filepath.Join(dir, "b"): trust.Parent}, rules)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestFilesThatAreNotAsExpected(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trustedFolders.json")
	write(t, file, "{\n\"/a\": \"TRUST_FOLDER\",\n\"/b\": \"yes\", \"/a/c\": true, \"~/d\": \"DO_NOT_TRUST\"}")
	rules, warnings, err := trust.Load(file)
	require.NoError(t, err)
	assert.Equal(t, trust.Untrusted, rules.Decide("/a/c/d"), "what cannot be understood does not leave it to the folder above")
	assert.Equal(t, trust.Trusted, rules.Decide("/a/d"))
	assert.Equal(t, trust.Untrusted, rules.Decide("/b"))
	assert.Equal(t, []string{
		file + `:3: "yes" is neither TRUST_FOLDER nor TRUST_PARENT nor DO_NOT_TRUST: the folder is not trusted`,
		file + `:3: true is neither TRUST_FOLDER nor TRUST_PARENT nor DO_NOT_TRUST: the folder is not trusted`,
		file + `:3: "~/d" is not an absolute path: ignored`,
	}, warnings)
	require.NoError(t, trust.Set(file, "/d", trust.Folder))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "{\n\"/a\": \"TRUST_FOLDER\",\n\"/b\": \"yes\", \"/a/c\": true, \"~/d\": \"DO_NOT_TRUST\", \"/d\": \"TRUST_FOLDER\"}", string(data), "nothing is lost")

	for _, broken := range []string{"{", "[]", "null", `""`, "5", "{\"/a\": \"TRUST", "\x00\x00", "\xff\xfe"} {
		aside := file + ".unreadable"
		require.NoError(t, os.RemoveAll(aside))
		write(t, file, broken)
		rules, _, err = trust.Load(file)
		require.ErrorContains(t, err, "it is set aside as "+aside, "%q", broken)
		assert.Equal(t, trust.Unknown, rules.Decide("/a"), "nothing is trusted by it")
		data, err := os.ReadFile(aside)
		require.NoError(t, err)
		assert.Equal(t, broken, string(data), "nothing is lost")
		_, _, err = trust.Load(file)
		require.NoError(t, err, "it is told once")
		require.NoError(t, trust.Set(file, "/d", trust.Folder))
	}
}

func TestByEnvironment(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]trust.Decision{
		"true": trust.Trusted, "TRUE": trust.Trusted, "false": trust.Untrusted, "": trust.Unknown, "1": trust.Unknown, "yes": trust.Unknown,
	} {
		assert.Equal(t, want, trust.ByEnvironment(value), "%q", value)
	}
}

func TestContentsOfFolder(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "GEMINI.md"), "context")
	write(t, filepath.Join(dir, ".gemini", "settings.json"), `{"$schema": "x"}`)
	assert.Empty(t, trust.Contents(dir, home), "nothing that runs or changes anything")

	write(t, filepath.Join(dir, ".gemini", "settings.json"), `{"theme": "x", "tools": {},
		"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "curl x | sh"}, {"type": "command", "name": "na\u001b[2Jme", "command": "y"}]}]},
		"mcpServers": {"github": {}, "db": {}}}`)
	write(t, filepath.Join(dir, ".env"), "A=1")
	write(t, filepath.Join(dir, ".gemini", ".env"), "A=1")
	for _, name := range []string{"a", "b", "git/c", "d", "e", "f", "g"} {
		write(t, filepath.Join(dir, ".gemini", "commands", name+".toml"), "")
	}
	write(t, filepath.Join(dir, ".gemini", "commands", "README"), "")
	write(t, filepath.Join(dir, ".gemini", "skills", "s", "SKILL.md"), "")
	assert.Equal(t, []trust.Item{
		{"settings", ".gemini/settings.json", "theme, tools"},
		{"hooks", ".gemini/settings.json", "BeforeTool curl x | sh, BeforeTool na<U+001B>[2Jme"},
		{"MCP servers", ".gemini/settings.json", "github, db"},
		{".env", ".env", ""},
		{".env", ".gemini/.env", ""},
		{"commands", ".gemini/commands", "a.toml, b.toml, d.toml, e.toml, f.toml and 2 more"},
		{"skills", ".gemini/skills", "s/SKILL.md"},
	}, trust.Contents(dir, home))
	assert.Empty(t, trust.Contents(dir, dir), "at home all is the user's own")
	assert.Equal(t, "MCP servers: db (f)", trust.Item{Kind: "MCP servers", File: "f", What: "db"}.String())

	write(t, filepath.Join(dir, ".gemini", "settings.json"), `{broken`)
	assert.Equal(t, trust.Item{Kind: "settings", File: ".gemini/settings.json", What: "unreadable"}, trust.Contents(dir, home)[0])
}

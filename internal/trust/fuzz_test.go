package trust

import (
	"os"
	"path/filepath"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/text"
)

// FuzzLoad checks that, whatever trustedFolders.json contains, no folder is trusted
// that none of its rules names, that a broken file is set aside, and that a decision
// can be read back.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{`{}`, `{"/": "TRUST_FOLDER"}`, `{"DIR/p": "DO_NOT_TRUST", "DIR": "TRUST_PARENT"}`, `null`, `[`, `{"/x":"MAYBE","y":"TRUST_FOLDER"}`, "\xef\xbb\xbf{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := real(t.TempDir())
		file, project := filepath.Join(dir, "trustedFolders.json"), filepath.Join(dir, "p")
		require.NoError(t, os.WriteFile(file, data, 0o600))
		rules, warnings, err := Load(file)
		if err != nil {
			require.ErrorContains(t, err, file)
			require.Empty(t, rules)
			_, gone := os.Stat(file)
			require.ErrorIs(t, gone, os.ErrNotExist, "it is set aside")
		}
		for _, w := range warnings {
			require.Contains(t, w, file+":")
		}
		if rules.Decide(project) == Trusted {
			named := false
			for path, level := range rules {
				named = named || level != Never && (text.Inside(path, project) || level == Parent && text.Inside(filepath.Dir(path), project))
			}
			require.True(t, named, "trusted by nothing: %v", rules)
		}
		require.NoError(t, Set(file, project, Never))
		rules, _, err = Load(file)
		require.NoError(t, err)
		require.Equal(t, Untrusted, rules.Decide(project))
	})
}

// FuzzBrought checks that what is shown of a stranger's settings is short and
// printable, and that there is something to ask about unless the file is empty.
func FuzzBrought(f *testing.F) {
	for _, seed := range []string{`{}`, `{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"\u001b[2J"}]}]}}`, `{"mcpServers":{"a\u202eb":{}},"x\n":1}`, `[`, `5`, `{"mcpServers":[1]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		file := filepath.Join(dir, ".gemini", "settings.json")
		require.NoError(t, os.Mkdir(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, data, 0o600))
		items := Contents(dir, "/home/none")
		require.LessOrEqual(t, len(items), 3)
		for _, i := range items {
			require.Less(t, len([]rune(i.String())), 500)
			for _, r := range i.String() {
				require.False(t, unicode.IsControl(r), "%q", i.String())
			}
		}
	})
}

// FuzzAppeared checks that, whatever the record of sandboxed folders contains, what was
// there before is known, and what is new is not until the user agrees.
func FuzzAppeared(f *testing.F) {
	f.Add("{}")
	f.Add(`{"/": null, "x": [".gemini"]}`)
	f.Add(`{"/": ["../.gemini", ""], "/tmp": []}`)
	f.Add(`[1`)
	f.Add("null")
	f.Fuzz(func(t *testing.T, text string) {
		home, dir := t.TempDir(), t.TempDir()
		file := filepath.Join(home, "trustedFolders.json")
		require.NoError(t, os.WriteFile(sandboxedFile(file), []byte(text), 0o600))
		for _, name := range []string{".env", ".agents"} {
			require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name, "x"), nil, 0o600))
		}
		if BeforeSandbox(file, dir, []string{filepath.Join(dir, ".env")}) != nil {
			_, err := Appeared(file, dir)
			require.Error(t, err)
			return
		}
		names, err := Appeared(file, dir)
		require.NoError(t, err)
		assert.Contains(t, names, filepath.Join(real(dir), ".agents"))
		require.NoError(t, Set(file, dir, Folder))
		names, err = Appeared(file, dir)
		require.NoError(t, err)
		assert.NotContains(t, names, filepath.Join(real(dir), ".agents"))
		assert.NotContains(t, names, filepath.Join(real(dir), ".env"))
	})
}

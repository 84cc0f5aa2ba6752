package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/lint"
	"minigem/hooks/author/program"
	"minigem/hooks/config"
)

// TestHooksAsPeopleWriteThem lints an extension with Claude Code hooks in common forms,
// which all work. Notes say that they are Claude Code's. The only other findings are
// true: hooks with async refuse nothing (HK068), and a loop does not check whether it
// is in one (HK044).
func TestHooksAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	const own = ".gemini/extensions/theirs/"
	files, err := filepath.Glob("../../../e2e/testdata/setups/*.txtar")
	require.NoError(t, err)
	require.Greater(t, len(files), 20)
	read := 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		require.NoError(t, err)
		dir := t.TempDir()
		for _, f := range a.Files {
			if name, ok := strings.CutPrefix(f.Name, own); ok {
				path := filepath.Join(dir, filepath.FromSlash(name))
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, f.Data, 0o755))
			}
		}
		if !config.IsExtension(dir) {
			continue
		}
		read++
		s, err := config.LoadExtension(config.Extension{Dir: dir}, dir, nil)
		require.NoError(t, err)
		found := lint.Run(lint.Input{Sections: []config.Section{s}, Path: os.Getenv("PATH"), Setup: &inspect.Setup{
			Config: config.Merge(s), Trusted: true, Files: []inspect.File{{Layer: hooks.LayerExtension, Path: s.File, State: inspect.FileRead}},
			Place: program.Place{Dir: dir, ProjectDir: dir, Home: dir},
		}})
		assert.Contains(t, codes(found), "HK019", file)
		for _, f := range found {
			known := f.Severity == lint.Note && (f.Code == "HK015" || f.Code == "HK019") || f.Code == "HK068" && strings.Contains(file, "async") ||
				f.Code == "HK044" && (strings.Contains(file, "loop") || strings.Contains(file, "tests_ran"))
			assert.True(t, known, "%s: %s %s: %s", file, f.Severity, f.Code, f.Message)
		}
	}
	assert.Greater(t, read, 15)
}

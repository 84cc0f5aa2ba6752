package slash_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/slash"
	"minigem/tools/workspace"
)

// TestSuggestFiles checks the order: files before folders, the newest first, and names
// that begin with the word before those that contain it or only its letters. Hidden,
// ignored and protected files are not suggested, and neither are names that would act
// on a terminal.
func TestSuggestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, name := range []string{"old.go", "src/main.go", "docs/a guide.md", "newest.txt", ".hidden/x.go", ".env",
		".git/config", "ignored.go", "bad\x1b[2J.go"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o644))
		when := time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC)
		require.NoError(t, os.Chtimes(path, when, when))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("ignored.go\n"), 0o644))
	w, err := workspace.New(dir)
	require.NoError(t, err)
	files := slash.Files{Workspace: w, Ignore: workspace.Ignore{Git: true}}
	for _, c := range []struct {
		line     string
		labels   []string
		replaced int
	}{
		{"@", []string{"newest.txt", "docs/a guide.md", "src/main.go", "old.go", "docs/", "src/"}, 0},
		{"see @m", []string{"src/main.go", "docs/a guide.md"}, 1},
		{"see @src/", []string{"src/main.go"}, 4},
		{"@GO", []string{"src/main.go", "old.go"}, 2},
		{"@smn", []string{"src/main.go"}, 3},
		{`@docs/a\ g`, []string{"docs/a guide.md"}, 9},
		{"@.h", []string{".hidden/x.go", ".hidden/"}, 2},
		{"me@old", nil, 0},
		{"@old.go now", nil, 0},
		{"none", nil, 0},
	} {
		all, replaced := (&slash.FileIndex{}).Suggest(t.Context(), files, c.line)
		var labels []string
		for _, s := range all {
			labels = append(labels, s.Label)
		}
		assert.Equal(t, c.labels, labels, c.line)
		assert.Equal(t, c.replaced, replaced, c.line)
	}
	all, _ := (&slash.FileIndex{}).Suggest(t.Context(), files, "@gu")
	assert.Equal(t, []slash.Suggestion{{Text: `docs/a\ guide.md `, Label: "docs/a guide.md"}}, all)
	all, _ = (&slash.FileIndex{ByName: true}).Suggest(t.Context(), files, "@o")
	assert.Equal(t, "old.go", all[0].Label)
}

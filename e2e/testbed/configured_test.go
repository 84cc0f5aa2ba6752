package testbed

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhatConfiguresACase: a case without anything that could configure a hook is an error.
// Hooks of another agent count, in a section or copied by use.
func TestWhatConfiguresACase(t *testing.T) {
	t.Parallel()
	for text, others := range map[string]bool{
		"prompt x\nfired BeforeAgent *\n-- model --\ntext hi\n":                                       false,
		"prompt x\nfired BeforeAgent *\n-- a.json --\n{}\n-- model --\ntext hi\n":                     false,
		"use ../.claude\nprompt x\nfired BeforeAgent *\n-- model --\ntext hi\n":                       true,
		"prompt x\nfired BeforeAgent *\n-- .claude/settings.json --\n{}\n-- model --\ntext hi\n":      true,
		"prompt x\nfired BeforeAgent *\n-- home/.claude/settings.json --\n{}\n-- model --\ntext hi\n": true,
		"prompt x\nfired BeforeAgent *\n-- .claude.d/settings.json --\n{}\n-- model --\ntext hi\n":    false,
	} {
		c, err := Parse("a.txtar", []byte(text))
		require.NoError(t, err, text)
		if others {
			assert.NoError(t, c.bare, text)
		} else {
			assert.ErrorContains(t, c.bare, "no settings: expected", text)
		}
	}
}

// TestWhatACaseCouldUse: the error of a case without hooks mentions Claude Code's, next
// to it or one folder up.
func TestWhatACaseCouldUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, sub := range []string{".claude", "tests"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o755))
	}
	use := func(file string) string {
		c, err := Parse(filepath.Join(dir, file), []byte("prompt x\n-- model --\ntext hi\n"))
		require.NoError(t, err)
		require.Error(t, c.bare)
		return c.bare.Error()
	}
	assert.Contains(t, use("a.txtar"), "such as: use ../.gemini")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".claude", "settings.json"), nil, 0o600))
	assert.Contains(t, use("a.txtar"), "such as: use .claude")
	assert.Contains(t, use("tests/a.txtar"), "such as: use ../.claude")
}

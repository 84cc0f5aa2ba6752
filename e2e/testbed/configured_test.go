package testbed

import (
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

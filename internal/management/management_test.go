package management

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTakes checks that only a flag, a subcommand or an address after its word makes a
// command.
func TestTakes(t *testing.T) {
	t.Parallel()
	c := Command{Words: []string{"gem"}, Subs: []string{"add"}, URL: true, Instead: "say please"}
	for rest, want := range map[string]bool{
		"": true, "add": true, "add x": true, "-y": true, "--list": true, "https://host/x": true, "git@host:x": true,
		"adds": false, "the gems": false, "x add": false,
	} {
		assert.Equal(t, want, c.takes(strings.Fields(rest)), rest)
		said := misspelled("gme", strings.Fields(rest), []Command{c})
		assert.Equal(t, want, said != "", "%s: %s", rest, said)
	}
	c.URL = false
	assert.False(t, c.takes([]string{"https://host/x"}))
}

// TestCommands checks that every word occurs once and says what to do.
func TestCommands(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Commands {
		require.NotEmpty(t, c.Words)
		assert.NotEmpty(t, c.Instead, c.Words)
		for _, w := range c.Words {
			assert.False(t, seen[w], w)
			seen[w] = true
			for _, sub := range c.Subs {
				assert.NotEmpty(t, refuse([]string{w, sub}, nil), "%s %s", w, sub)
			}
		}
	}
}

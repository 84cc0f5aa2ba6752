package management

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var own = []Own{
	{"hooks", []string{"list", "lint", "why"}}, {"sessions", []string{"list"}}, {"settings", []string{"list"}},
	{"trust", nil}, {"extensions", []string{"install", "list"}}, {"mcp", []string{"add", "list"}}, {"policies", nil}, {"demo", nil},
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words []string
		says  string // "": it may be a prompt
	}{
		{nil, ""},
		{[]string{"hi"}, ""},
		{[]string{"Hello"}, ""},
		{[]string{"continue"}, ""},
		{[]string{"mcp is what?"}, ""},
		{[]string{"update the README"}, ""},
		{[]string{"fix", "the", "hooks"}, ""},
		{[]string{"explain", "hooks"}, ""},
		{[]string{"rust", "ownership"}, ""},
		{[]string{"text", "adventure"}, ""},
		{[]string{"Update", "the", "README"}, ""},

		{[]string{"update", "the", "README"}, `minigem -p "update ..."`},
		{[]string{"test", "guard.txtar"}, "minigem hooks test FILE"},

		{[]string{"hooks", "list"}, `did you mean "minigem hooks list"?`},
		{[]string{"hoks"}, `did you mean "minigem hooks"?`},
		{[]string{"hoks", "list"}, `did you mean "minigem hooks list"?`},
		{[]string{"HOOKS", "list"}, `did you mean "minigem hooks list"?`},
		{[]string{"settigns", "list"}, `did you mean "minigem settings list"?`},
		{[]string{"lint"}, `did you mean "minigem hooks lint"?`},
		{[]string{"mpc", "list"}, `did you mean "minigem mcp list"?`},
		{[]string{"extention", "install", "x"}, `did you mean "minigem extensions install"?`},
	} {
		got := Refuse(c.words, own)
		if c.says == "" {
			assert.Empty(t, got, c.words)
			continue
		}
		assert.Contains(t, got, c.says)
		assert.Contains(t, got, `If it is meant as a prompt: minigem -p "`)
	}
}

// TestCommands: every word stands once, and says what to do.
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
				assert.NotEmpty(t, Refuse([]string{w, sub}, nil), "%s %s", w, sub)
			}
		}
	}
}

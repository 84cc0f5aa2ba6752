package management

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var own = []Own{
	{"hooks", []string{"list", "lint", "why"}}, {"sessions", []string{"list"}}, {"settings", []string{"list"}},
	{"trust", nil}, {"policies", nil}, {"demo", nil},
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
		{[]string{"mcp"}, `"mcp" is a command of Gemini CLI, Claude Code and Codex, which minigem does not have`},
		{[]string{"mcp", "list"}, "minigem settings list mcpServers"},
		{[]string{"mcp", "remove", "a"}, "take the server's entry out"},
		{[]string{"mcp", "add", "github", "npx", "-y", "@scope/pkg"},
			`write into ~/.gemini/settings.json: {"mcpServers":{"github":{"command":"npx","args":["-y","@scope/pkg"]}}}`},
		{[]string{"mcp", "add", "-s", "project", "--env=A=b", "gh", "--", "npx", "-y", "p"},
			`write into .gemini/settings.json: {"mcpServers":{"gh":{"command":"npx","args":["-y","p"],"env":{"A":"b"}}}}`},
		{[]string{"mcp", "add", "-t", "sse", "-H", "X-A: b", "s", "https://host/<x>"},
			`{"mcpServers":{"s":{"url":"https://host/<x>","type":"sse","headers":{"X-A":"b"}}}}`},
		{[]string{"mcp", "add", "-e"}, `"NAME"`},
		{[]string{"mcp", "add"}, `"NAME"`},
		{[]string{"extension", "install", "x"}, "~/.gemini/extensions"},
		{[]string{"test", "guard.txtar"}, "minigem hooks test FILE"},

		{[]string{"hooks", "list"}, `did you mean "minigem hooks list"?`},
		{[]string{"hoks"}, `did you mean "minigem hooks"?`},
		{[]string{"hoks", "list"}, `did you mean "minigem hooks list"?`},
		{[]string{"HOOKS", "list"}, `did you mean "minigem hooks list"?`},
		{[]string{"settigns", "list"}, `did you mean "minigem settings list"?`},
		{[]string{"lint"}, `did you mean "minigem hooks lint"?`},
		{[]string{"mpc", "list"}, `did you mean "mcp"?`},
		{[]string{"extention", "install", "x"}, `did you mean "extensions"?`},
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

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/listing"
	"minigem/tools/policy"
)

const strictTOML = `[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git push", "git reset"]
decision = "deny"
priority = 100
denyMessage = "not from here"
`

func TestPolicies(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		"~/.gemini/policies/strict.toml": strictTOML,
		"~/.gemini/settings.json":        `{"tools": {"exclude": ["web_fetch"]}}`,
	})
	got := w.run("policies")
	require.Equal(t, said{got.out, got.err, 0}, got)
	assert.Contains(t, got.err, "not a sandbox", "there is a rule that denies commands")
	lines := strings.Split(strings.TrimSuffix(got.out, "\n"), "\n")
	assert.Len(t, lines, len(policy.Builtin())+2, "each rule once")
	fields := func(line string) []string { return strings.Fields(line) }
	find := func(text string) []string {
		for _, l := range lines {
			if strings.Contains(l, text) {
				return fields(l)
			}
		}
		return nil
	}
	assert.Equal(t, fields("deny 4.100 ~/.gemini/policies/strict.toml:1 run_shell_command command=git push|git reset"), find("git push"))
	assert.Equal(t, fields("deny 4.400 settings: tools.exclude web_fetch"), find("tools.exclude"))
	assert.Equal(t, fields("allow 4.200 settings: mcpServers.<name>.trust * mode=default autoEdit yolo (trusted servers only)"), find("mcpServers"))

	var all struct{ Rules []listing.ListedRule }
	require.NoError(t, json.Unmarshal([]byte(w.run("policies --json").out), &all))
	assert.Len(t, all.Rules, len(lines))
	assert.Contains(t, all.Rules, listing.ListedRule{
		Decision: "deny", Tier: 4, Priority: 100, Tools: []string{"run_shell_command"}, Prefixes: []string{"git push", "git reset"},
		Message: "not from here", File: "HOME/.gemini/policies/strict.toml", Line: 1,
	})
}

func TestPoliciesWithFlags(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		"~/.gemini/policies/strict.toml": strictTOML, "own.toml": strings.Replace(strictTOML, "deny", "allow", 1),
		"bad.toml": "[[rule]]\ntoolName = 3\n",
	})
	got := w.run("policies --policy " + w.path("own.toml") + " --allowed-tools glob")
	assert.Equal(t, 0, got.code)
	assert.Contains(t, got.out, "own.toml:1")
	assert.NotContains(t, got.out, "strict.toml", "the flag replaces the user's files")
	assert.Regexp(t, `(?m)^allow .* glob$`, got.out)

	got = w.run("policies --admin-policy " + w.path("bad.toml"))
	assert.Equal(t, 52, got.code)
	assert.Regexp(t, `^minigem: bad\.toml:1: .*toolName must be a string`, got.err)
}

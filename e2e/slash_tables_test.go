//go:build unix

package e2e

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mistyped lists commands that take a name, with one that is nearly right.
var mistyped = []step{
	{"/agents enable scot", `there is no agent "scot"; did you mean "scout"?`, ""},
	{"/agents disable scot", `there is no agent "scot"; did you mean "scout"?`, ""},
	{"/agents config scot", `there is no agent "scot"; did you mean "scout"?`, ""},
	{"/skills enable brewtae", `there is no skill "brewtae"; did you mean "brewtea"?`, ""},
	{"/skills disable brewtae", `there is no skill "brewtae"; did you mean "brewtea"?`, ""},
	{"/extensions enable flwers", `there is no extension "flwers"; did you mean "flowers"?`, ""},
	{"/extensions disable flwers", `there is no extension "flwers"; did you mean "flowers"?`, ""},
	{"/extensions update flwers", `there is no extension "flwers"; did you mean "flowers"?`, ""},
	{"/extensions uninstall flwers", `there is no extension "flwers"; did you mean "flowers"?`, ""},
	{"/mcp enable serves", `there is no MCP server "serves"; did you mean "server"?`, ""},
	{"/mcp disable serves", `there is no MCP server "serves"; did you mean "server"?`, ""},
	{"/mcp log serves", `there is no MCP server "serves"; did you mean "server"?`, ""},
	{"/mcp auth serves", `there is no MCP server "serves"; did you mean "server"?`, ""},
	{"/hooks enable gard", `there is no hook "gard"; did you mean "guard"?`, ""},
	{"/hooks disable gard", `there is no hook "gard"; did you mean "guard"?`, ""},
	{"/hooks why gard", "did you mean guard?", ""},
	{"/chat resume keeep", `did you mean "keep"?`, ""},
	{"/resume keeep", `did you mean "keep"?`, ""},
	{"/resume resume keeep", `did you mean "keep"?`, ""},
	{"/chat delete keeep", `no conversation is saved under this tag; did you mean "keep"?`, ""},
	{"/resume delete keeep", `no conversation is saved under this tag; did you mean "keep"?`, ""},
	{"/mode auto-edits", `unknown approval mode "auto-edits"; did you mean "auto_edit"?`, ""},
	{"/theme drak", `there is no theme "drak": use light, dark or auto; did you mean "dark"?`, ""},
	{"/restore nosuch", `there is no checkpoint "nosuch"`, ""}, // the names are times: see internal/undo
}

// anyName lists commands whose name is new or cannot be known.
var anyName = []string{"/chat save", "/resume save", "/model set"}

// TestNamesThatAreNearlyRight: commands that take a name suggest the right one.
func TestNamesThatAreNearlyRight(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		".gemini/settings.json":            `{"mcpServers": {"server": {"command": "false"}}, "hooks": {"AfterAgent": [{"hooks": [{"type": "command", "name": "guard", "command": "true"}]}]}}`,
		".gemini/skills/brewtea/SKILL.md":  "---\nname: brewtea\ndescription: Makes tea.\n---\nBoil water.\n",
		"../flowers/gemini-extension.json": `{"name": "flowers", "version": "1.0.0"}`,
		"../.gemini/agents/scout.md":       "---\nname: scout\ndescription: Looks around.\n---\nLook.\n",
	})
	h.minigem(t, "", "extensions", "install", h.dir+"/flowers", "--consent")
	c := h.startChat(t, nil, trusted(h.answersFile(t, "say Hello."))...)
	c.say("Hi")
	c.waitFor("Hello.")
	c.take([]step{{"/chat save keep", "Conversation saved", ""}})
	c.take(mistyped)
	c.quit()
}

var helpLine = regexp.MustCompile(`^  (/|  )([a-z-]+)([^(]*?)(?: \(([^)]+)\))?(?:  .*| [a-z].*)$`)

// TestEveryCommandIsTested: each command in /help, under each of its names, is in the
// tables above, and so is an invalid use of it if one is possible.
func TestEveryCommandIsTested(t *testing.T) {
	t.Parallel()
	h := commandsHome(t)
	c := h.startChat(t, nil, trusted(h.answersFile(t))...)
	c.take([]step{{"/help", "@path ", ""}})
	_, help, _ := strings.Cut(c.text(), "/help\n")
	help, _, _ = strings.Cut(help, "\n\n")
	c.quit()

	var names, roots []string // the words to type: "/hooks panel"; only of first words
	var taking []string       // commands that take a name
	for line := range strings.Lines(help) {
		m := helpLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		require.NotNil(t, m, line)
		all := []string{m[2]}
		if m[4] != "" {
			all = append(all, strings.Split(m[4], ", ")...)
		}
		for _, name := range all {
			if m[1] == "/" {
				names = append(names, "/"+name)
			} else {
				names = append(names, roots[len(roots)-1]+" "+name)
			}
		}
		if regexp.MustCompile(`\b(NAME|TAG|CHECKPOINT|ID)\b`).MatchString(m[3]) || strings.Contains(m[3], "|dark|") || strings.Contains(m[3], "|plan|") {
			taking = append(taking, names[len(names)-len(all)])
		}
		if m[1] == "/" {
			roots = append(roots, "/"+m[2])
		}
	}
	require.Contains(t, names, "/hooks enable-all", help)
	require.Contains(t, names, "/chat load", help)
	typed := func(steps []step, name string) bool {
		return slices.ContainsFunc(steps, func(s step) bool { return s.line == name || strings.HasPrefix(s.line, name+" ") })
	}
	for _, name := range names {
		assert.True(t, typed(slices.Concat(looking, talking, extending, leaving), name), "no test types %s", name)
	}
	for _, root := range roots {
		assert.True(t, typed(wrong, root), "no test types a wrong %s", root)
	}
	require.Contains(t, taking, "/agents enable")
	for _, name := range taking {
		assert.True(t, typed(mistyped, name) || slices.Contains(anyName, name), "no test types %s with a name that is nearly right", name)
	}
	t.Logf("%d take a name, %d names of %d commands", len(taking), len(names), len(roots))
}

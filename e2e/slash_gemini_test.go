//go:build unix

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// ofGeminiCLI lists the commands of Gemini CLI 0.61 with their other names and their
// subcommands, from its /help and its registry. It includes commands for its developers.
const ofGeminiCLI = `about
agents: list enable disable config reload refresh
auth: signin login signout logout
bug
bug-memory
chat: list save resume load delete share
clear
new
commands: list reload refresh
compress
summarize
compact
copy
corgi
oncall
profile
directory: add show
dir: add show
docs
privacy
upgrade
setup-github
terminal-setup
editor
theme
vim
settings
footer
statusline
voice
export-session
extensions: list update disable enable install link uninstall delete explore reload restart config
gemma
help
shortcuts
hooks: panel list show enable disable enable-all enableall disable-all disableall
ide: status install enable disable
init
mcp: auth list ls nodesc desc schema reload refresh enable disable
memory: show reload refresh list inbox
model: set manage
permissions: trust
plan: copy
policies: list
quit
exit
restore
resume: list save resume load delete share
rewind
skills: list link disable enable reload refresh
stats: session model tools
usage
tasks
bg
background
tools: list desc descriptions`

// instead lists commands that minigem answers with what to do instead.
var instead = []step{
	{"/bug-memory", "/bug writes a report", ""},
	{"/corgi", "minigem does not have it", ""},
	{"/oncall", "minigem does not have it", ""},
	{"/profile", "minigem does not have it", ""},
	{"/voice", "minigem does not have it", ""},
	{"/privacy", "the model's server alone", ""},
	{"/upgrade", "no plans to upgrade to", ""},
	{"/setup-github", "minigem -p PROMPT", ""},
	{"/terminal-setup", "need no setup", ""},
	{"/extensions link x", "minigem extensions link FOLDER", ""},
	{"/extensions config x", "minigem extensions config NAME", ""},
	{"/extensions explore", "gemini-cli-extension", ""},
	{"/gemma", "ollama/NAME", ""},
	{"/ide status", "minigem --acp", ""},
	{"/ide install", "minigem --acp", ""},
	{"/ide enable", "minigem --acp", ""},
	{"/ide disable", "minigem --acp", ""},
	{"/mcp schema", "/mcp desc shows", ""},
	{"/memory inbox", "/memory add TEXT", ""},
	{"/model manage", "/model set NAME", ""},
	{"/skills link x", "minigem skills link FOLDER", ""},
	{"/tasks", "!ps", ""},
	{"/bg", "!ps", ""},
	{"/background", "!ps", ""},
}

// TestCommandsOfGeminiCLI: each command of Gemini CLI, under each of its names, does what
// it does there or says what to do instead. Commands that do not exist are not offered.
func TestCommandsOfGeminiCLI(t *testing.T) {
	t.Parallel()
	typed := slices.Concat(looking, talking, extending, leaving, instead)
	n := 0
	for line := range strings.Lines(ofGeminiCLI) {
		command, subs, _ := strings.Cut(strings.TrimSpace(line), ":")
		for _, sub := range append(strings.Fields(subs), "") {
			name := strings.TrimSpace("/" + command + " " + sub)
			n++
			assert.True(t, slices.ContainsFunc(typed, func(s step) bool { return s.line == name || strings.HasPrefix(s.line, name+" ") }), "no test types %s", name)
		}
	}
	assert.Equal(t, 142, n)
	h := commandsHome(t)
	c := h.startChat(t, nil, trusted(h.answersFile(t))...)
	c.take(instead)
	c.take([]step{{"/help", "@path ", ""}})
	_, help, _ := strings.Cut(c.text(), "/help\n")
	for _, s := range instead {
		word, _, _ := strings.Cut(s.line, " ")
		if !strings.Contains(s.line, " ") {
			assert.NotContains(t, help, "  "+word+" ")
		}
	}
	c.quit()
}

//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A step types a line. Then want must appear below it, and finally a prompt. keys answer a
// question that comes before that.
type step struct{ line, want, keys string }

// looking lists commands that change nothing but settings, for a chat without a
// conversation.
var looking = []step{
	{"/about", "sign-in  ", ""},
	{"/copy", "there is no answer to copy yet", ""},
	{"/help", "!command     run a command", ""},
	{"/?", "!command     run a command", ""},
	{"/hooks", "guard  *", ""},
	{"/hooks panel", "guard  *        command  .gemini/settings.json:1", ""},
	{"/hooks list", "guard  *", ""},
	{"/hooks show", "guard  *", ""},
	{"/hooks disable guard", "disabled", ""},
	{"/hooks why guard", "does not run", ""},
	{"/hooks enable guard", "enabled", ""},
	{"/hooks disable-all", "disabled", ""},
	{"/hooks enable-all", "enabled", ""},
	{"/hooks last", "No hook has run at an event yet.", ""},
	{"/hooks trace on", "gets a line: on.", ""},
	{"/hooks trace off", "gets a line: off.", ""},
	{"/docs", "CHAT.md", ""},
	{"/theme", "The theme is auto", ""},
	{"/theme light", "The theme is light.", ""},
	{"/theme auto", "the terminal is asked at the next start.", ""},
	{"/vim", "The keys are those of vi.", ""},
	{"/vim", "The keys are those of emacs.", ""},
	{"/editor", "The editor is vi: ", ""},
	{"/editor nano", "The editor is nano.", ""},
	{"/commands", "You have no commands of your own", ""},
	{"/commands list", "You have no commands of your own", ""},
	{"/commands reload", "Read again: 0 commands of your own.", ""},
	{"/commands refresh", "Read again: 0 commands of your own.", ""},
	{"/bug it is slow", "Nothing was sent", ""},
	{"/directory", "  ~/project\n", ""},
	{"/directory show", "  ~/project\n", ""},
	{"/directory add ..", "Tools read and write in", ""},
	{"/dir", "/001\n", ""},
	{"/dir show", "/001\n", ""},
	{"/dir add ..", "belongs to the workspace already", ""},
	{"/footer", "The line under the prompt is off.", ""},
	{"/statusline", "The line under the prompt is on.", ""},
	{"/auth", "Everything stays as it is.", keyEscape},
	{"/auth signin", "Everything stays as it is.", "5"},
	{"/auth login", "Everything stays as it is.", keyEscape},
	{"/auth signout", "is forgotten", ""},
	{"/auth logout", "is forgotten", ""},
	{"/shortcuts", "!command     run a command", ""},
	{"/hooks disableall", "disabled", ""},
	{"/hooks enableall", "enabled", ""},
	{"/init", "GEMINI.md already exists", ""},
	{"/memory", "  GEMINI.md", ""},
	{"/memory show", "Be brief.", ""},
	{"/memory list", "  GEMINI.md", ""},
	{"/memory add Tea is hot", "Remembered: Tea is hot", ""},
	{"/memory reload", "Read again: settings, 1 hook, 2 memory files.", ""},
	{"/memory refresh", "nothing is different", ""},
	{"/model", "The model is gemini-2.5-flash.", ""},
	{"/model set auto", "The model is gemini-3.1-pro-preview now; auto chooses it by rule.", ""},
	{"/model set pro --persist", "The model is gemini-3.1-pro-preview, in later sessions too.", ""},
	{"/model set pro", "The model is gemini-3.1-pro-preview.", ""},
	{"/permissions", "~/project is trusted (--skip-trust)\nThe approval mode is default", ""},
	{"/permissions trust", "This applies from now on:", ""},
	{"/policies", "built-in", ""},
	{"/policies list", "built-in", ""},
	{"/settings", "hooksConfig.enabled", ""},
	{"/stats", "The model was not asked yet.", ""},
	{"/usage", "The model was not asked yet.", ""},
	{"/stats session", "changed  +0 -0 lines", ""},
	{"/stats model", "The model was not asked yet.", ""},
	{"/stats tools", "No tool was called yet.", ""},
	{"/stats tool", "No tool was called yet.", ""},
	{"/stats hooks", "No hook ran yet.", ""},
	{"/stats hook", "No hook ran yet.", ""},
	{"/tools", "run_shell_command", ""},
	{"/tools list", "run_shell_command", ""},
	{"/tools desc", "Runs a command line with", ""},
	{"/tools descriptions", "Runs a command line with", ""},
	{"/chat", "No conversation is saved.", ""},
	{"/resume", "There is no earlier session in this folder.", ""},
	{"/restore", "No checkpoint was taken", ""},
	{"/rewind", "There is no prompt yet to go back to", ""},
	{"/compress", "Nothing to compress.", ""},
	{"/mode", "The approval mode is default.", ""},
	{"/mode auto_edit", "The approval mode is auto_edit.", ""},
	{"/mode yolo", "The approval mode is yolo.", ""},
	{"/plan", "The approval mode is plan.", ""},
	{"/plan copy", "no plan has been approved in this session", ""},
	{"/mode default", "The approval mode is default.", ""},
	{"/last", "there is no tool result yet", ""},
	{"/summarize", "Nothing to compress.", ""},
	{"/compact", "Nothing to compress.", ""},
}

// talking lists commands about a conversation, for a chat in which one prompt was
// answered.
var talking = []step{
	{"/copy", "was sent to the clipboard", ""},
	{"/stats model", "gemini-2.5-flash  2 ", ""},
	{"/hooks last", "AfterAgent: goes on", ""},
	{"/hooks", " ms  pass", ""},
	{"/stats hooks", "guard  AfterAgent  1 ", ""},
	{"/stats tools", "write_file  1      1     0 ", ""},
	{"/chat save one", "/chat resume one goes back to it.", ""},
	{"/chat save one", "Conversation saved", "y"},
	{"/checkpoints save two", "Conversation saved", ""},
	{"/resume save three", "Conversation saved", ""},
	{"/chat list", "  three  just now", ""},
	{"/resume list", "  three  just now", ""},
	{"/checkpoints", "  three  just now", ""},
	{"/chat resume one", "The conversation goes on.", ""},
	{"/chat load two", "The conversation goes on.", ""},
	{"/resume resume three", "The conversation goes on.", ""},
	{"/resume load three", "The conversation goes on.", ""},
	{"/resume one", "The conversation goes on.", ""},
	{"/chat delete one", "Forgotten: one", ""},
	{"/resume delete two", "Forgotten: two", ""},
	{"/chat share a.md", "Written: ~/project/a.md", ""},
	{"/resume share b.json", "Written: ~/project/b.json", ""},
	{"/export c.md", "Written: ~/project/c.md", ""},
	{"/export-session d.md", "Written: ~/project/d.md", ""},
	{"/rewind 1", "Everything stays as it is.", "n"},
	{"/restore", "", keyEscape},
	{"/clear", "A new session: ", ""},
	{"/stats", "The model was not asked yet.\nNo tool was called yet.", ""},
	{"/stats model", "The model was not asked yet.", ""},
	{"/stats tools", "No tool was called yet.", ""},
	{"/stats hooks", "No hook ran yet.", ""},
	{"/new", "A new session: ", ""},
}

// extending lists commands about MCP servers and skills, with one of each.
var extending = []step{
	{"/mcp reload", "srv (stdio) - Connected", ""},
	{"/mcp", "  tool      mcp_srv_grow\n", ""},
	{"/mcp list", "  resource  @srv:note://1\n", ""},
	{"/mcp list", "  prompt    /review-it ", ""},
	{"/mcp ls", "srv (stdio) - Connected", ""},
	{"/mcp nodesc", "srv (stdio) - Connected", ""},
	{"/mcp desc", "  tool      mcp_srv_grow\n", ""},
	{"/mcp description", "  resource  @srv:note://1\n", ""},
	{"/mcp restart", "srv (stdio) - Connected", ""},
	{"/mcp log srv", "It has reported no error.", ""},
	{"/mcp disable srv", "MCP server \"srv\" disabled", ""},
	{"/mcp", "srv (stdio) - Disabled", ""},
	{"/mcp enable srv", "MCP server \"srv\" enabled", ""},
	{"/mcp refresh", "srv (stdio) - Connected", ""},
	{"/mcp auth srv", `the MCP server "srv" is a local program, so there is nothing to sign in to`, ""},
	{"/agents", "scout [offered]: Looks around.", ""},
	{"/agents list", "held [not offered: you have not agreed to it as it is now]: Waits.", ""},
	{"/agents list", "codebase_investigator [offered]: Finds out how", ""},
	{"/agents disable scout", "The agent scout is disabled in .gemini/settings.json.", ""},
	{"/agents", "scout [not offered: agents.overrides in the settings turns it off]", ""},
	{"/agents reload", "Read again: 3 agents may be called.", ""},
	{"/agents enable scout", "The agent scout is enabled.", ""},
	{"/agents refresh", "Read again: 4 agents may be called.", ""},
	{"/agents config scout turns 7", "  turns    7\n  minutes  10\n", ""},
	{"/agents config generalist", "generalist (built in)\n  model    inherit\n  turns    20\n", ""},
	{"/skills", "Makes tea.", ""},
	{"/skills list", "Makes tea.", ""},
	{"/skills disable tea", "disabled", ""},
	{"/skills reload", "Read again: 0 skills may be activated.", ""},
	{"/skills enable tea", "enabled", ""},
	{"/skills refresh", "Read again: 1 skill may be activated.", ""},
	{"/extensions", "flowers 1.0.0  enabled", ""},
	{"/extensions list", "/water: Waters.", ""},
	{"/extensions disable flowers", `Extension "flowers" disabled`, ""},
	{"/extensions reload", "Read again: 1 extension.", ""},
	{"/extensions enable flowers", `Extension "flowers" enabled`, ""},
	{"/extensions restart", "nothing is different", ""},
	{"/extensions update", `Extension "flowers": it is up to date.`, ""},
	{"/extensions uninstall flowers", `Extension "flowers" removed.`, ""},
	{"/extensions install ../flowers", "nothing was changed", "n"},
	{"/extensions install ../flowers", `Extension "flowers" 1.0.0 installed successfully`, "y"},
	{"/extensions delete flowers", `Extension "flowers" removed.`, ""},
}

// leaving lists commands that end the chat.
var leaving = []step{{"/quit", "Goodbye!", ""}, {"/exit", "Goodbye!", ""}}

// wrong lists invalid uses of commands, with the messages.
var wrong = []step{
	{"/about it", "/about takes nothing after it", ""},
	{"/copy it", "/copy takes nothing after it", ""},
	{"/clear all", "/clear takes nothing after it", ""},
	{"/compress much", "/compress takes nothing after it", ""},
	{"/mode careful", "use default, auto_edit, yolo or plan", ""},
	{"/plan copy", "no plan has been approved in this session", ""},
	{"/last one", "/last takes nothing after it", ""},
	{"/help me", "/help takes nothing after it", ""},
	{"/init x", "/init takes nothing after it", ""},
	{"/settings x", "/settings takes nothing after it", ""},
	{"/quit now", "/quit takes nothing after it", ""},
	{"/mcp nope", "there is no command /mcp nope", ""},
	{"/mcp enable nope", `there is no MCP server "nope"; /mcp lists them`, ""},
	{"/mcp disable", "it is /mcp disable NAME", ""},
	{"/mcp auth", "it is /mcp auth NAME", ""},
	{"/mcp log nope", `there is no MCP server "nope"`, ""},
	{"/directory add", "it is /directory add FOLDER[,FOLDER]: add some for this session", ""},
	{"/directory add nope", "nothing was added", ""},
	{"/footer x", "/footer takes nothing after it", ""},
	{"/auth x", "there is no command /auth x", ""},
	{"/docs x", "/docs takes nothing after it", ""},
	{"/theme pink", `there is no theme "pink": use light, dark or auto`, ""},
	{"/vim x", "/vim takes nothing after it", ""},
	{"/editor", "The editor is vi: ", ""},
	{"/commands nope", "there is no command /commands nope", ""},
	{"/bug", "Nothing was sent", ""},
	{"/agents nope", "there is no command /agents nope", ""},
	{"/agents enable nope", `there is no agent "nope"; /agents lists them`, ""},
	{"/agents disable", "it is /agents disable NAME", ""},
	{"/agents config", "it is /agents config NAME [KEY VALUE]", ""},
	{"/agents config generalist turns none", `turns is "none": expected a whole number above 0`, ""},
	{"/extensions nope", "there is no command /extensions nope", ""},
	{"/extensions enable", "it is /extensions enable NAME", ""},
	{"/extensions enable nope", `there is no extension "nope"`, ""},
	{"/skills nope", "there is no command /skills nope", ""},
	{"/skills enable nope", `"nope"`, ""},
	{"/hooks lst", "did you mean /hooks list?", ""},
	{"/hooks disable", "it is /hooks disable NAME: turn one off", ""},
	{"/hooks enable", "it is /hooks enable NAME: turn one on again", ""},
	{"/hooks disable nosuch", `"nosuch"`, ""},
	{"/hooks why", "it is /hooks why NAME", ""},
	{"/hooks why nosuch", "nosuch", ""},
	{"/hooks trace", "it is /hooks trace on|off", ""},
	{"/hooks trace maybe", "use /hooks trace on, or off", ""},
	{"/hooks enable-all x", "/hooks enable-all takes nothing after it", ""},
	{"/memory forget", "there is no command /memory forget; there is /memory show | list | add [--project] TEXT | reload", ""},
	{"/memory add", "/memory add [--project] TEXT", ""},
	{"/model pro", "there is /model set NAME [--persist]", ""},
	{"/model set", "it is /model set NAME [--persist]: use another one", ""},
	{"/model set gemini 3", "\"gemini 3\" is not the name of a model", ""},
	{"/model set -flash", "\"-flash\" is not the name of a model", ""},
	{"/model set --persist", "\"--persist\" is not the name of a model", ""},
	{"/model set ollama/small", "ollama/small is on another server than gemini-2.5-", ""},
	{"/permissions trst", "did you mean /permissions trust?", ""},
	{"/policies all", "there is no command /policies all; there is /policies list", ""},
	{"/stats toos", "did you mean /stats tools?", ""},
	{"/tools dsc", "did you mean /tools desc?", ""},
	{"/chat save", "it is /chat save TAG: keep this conversation", ""},
	{"/chat save x", "the conversation is still empty", ""},
	{"/chat resume", "it is /chat resume TAG", ""},
	{"/chat resume nosuch", "nosuch", ""},
	{"/chat delete", "it is /chat delete TAG", ""},
	{"/chat delete nosuch", "no conversation is saved under this tag", ""},
	{"/chat share", "the conversation is still empty", ""},
	{"/chat lst", "did you mean /chat list?", ""},
	{"/resume nosuch", "/resume lists the sessions", ""},
	{"/export", "the conversation is still empty", ""},
	{"/restore nosuch", `there is no checkpoint "nosuch"`, ""},
	{"/rewind x", "/rewind [NUMBER [files|conversation|both]]", ""},
	{"/hepl", "did you mean /help?", ""},
	{"/nosuch", "there is no command /nosuch; /help lists them", ""},
	{"/", "/help lists them", ""},
}

func commandsHome(t *testing.T) home {
	return newHome(t, map[string]string{
		"GEMINI.md":             "Be brief.\n",
		".gemini/settings.json": `{"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "name": "guard", "command": "true"}]}]}}`,
	})
}

// wipe clears the emulator's screen, because earlier text proves nothing.
func (c *chat) wipe() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.screen.Write([]byte("\x1b[2J\x1b[H"))
}

// take does the steps in a chat without answers, so that nothing may go to the model.
func (c *chat) take(steps []step) {
	c.t.Helper()
	for _, s := range steps {
		c.waitReady()
		c.wipe()
		c.keys(s.line)
		c.waitFor(s.line)
		c.keys(keyEnter)
		if s.keys != "" {
			c.waitUntil(s.line+" asking", func(text string) bool { return strings.HasSuffix(text, "[1]") })
			c.keys(strings.TrimSuffix(s.keys, keyEscape))
			c.keys(map[bool]string{true: keyEscape, false: keyEnter}[s.keys == keyEscape])
		}
		c.waitUntil(s.line+" showing "+s.want, func(text string) bool { return strings.Contains(text, s.want) })
	}
}

func TestSlashCommands(t *testing.T) {
	t.Parallel()
	t.Run("looking", func(t *testing.T) {
		t.Parallel()
		h := commandsHome(t)
		c := h.startChat(t, nil, trusted(h.answersFile(t))...)
		c.take(looking)
		c.quit()
		assert.Contains(t, h.read(t, "../.gemini/settings.json"), `"name": "pro"`)
	})
	t.Run("talking", func(t *testing.T) {
		t.Parallel()
		h := commandsHome(t)
		h.write(t, "../.gemini/settings.json", withCheckpoints)
		c := h.startChat(t, nil, append(trusted(h.answersFile(t, makeFile, "say Hello.")), "--yolo")...)
		c.say("Hi")
		c.waitFor("Hello.")
		steps := talking
		c.take(steps)
		c.quit()
	})
	t.Run("extending", func(t *testing.T) {
		t.Parallel()
		h := growingHome(t, "yes")
		h.write(t, ".gemini/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n")
		h.write(t, "../flowers/gemini-extension.json", `{"name": "flowers", "version": "1.0.0"}`)
		h.write(t, "../flowers/commands/water.toml", "description = \"Waters.\"\nprompt = \"Water them.\"\n")
		h.minigem(t, "", "extensions", "install", h.dir+"/flowers", "--consent")
		h.write(t, "../.gemini/agents/scout.md", "---\nname: scout\ndescription: Looks around.\n---\nLook.\n")
		h.write(t, ".gemini/agents/held.md", "---\nname: held\ndescription: Waits.\n---\nWait.\n")
		c := h.startChat(t, nil, trusted(h.answersFile(t))...)
		c.take(extending)
		c.quit()
	})
	t.Run("wrong", func(t *testing.T) {
		t.Parallel()
		h := commandsHome(t)
		c := h.startChat(t, nil, trusted(h.answersFile(t))...)
		c.take(wrong)
		c.quit()
		assert.NoFileExists(t, h.dir+"/.gemini/trustedFolders.json")
	})
	for _, s := range leaving {
		t.Run(s.line, func(t *testing.T) {
			t.Parallel()
			h := commandsHome(t)
			c := h.startChat(t, nil, trusted(h.answersFile(t))...)
			c.take([]step{s})
			assert.Equal(t, 0, c.exit())
		})
	}
}

//go:build unix

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm/script"
)

// answers returns entries for a fake API.
func answers(t *testing.T, text string) []script.Entry {
	t.Helper()
	entries, err := parseAnswers("answers", text)
	require.NoError(t, err)
	return entries
}

// TestChatTrustHoldsAtOnce: trust that is given in the chat takes effect at once, for
// everything in the folder, and the conversation continues.
func TestChatTrustHoldsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		"GEMINI.md":                "The project likes tulips.\n",
		".gemini/commands/hi.toml": `prompt = "Greet"`,
		".gemini/settings.json": `{"model": {"maxSessionTurns": 50}, "hooks": {` +
			noteHook("BeforeAgent", "prompts.json") + "," + noteHook("SessionStart", "start.json") + `}}`,
	})
	server := startFakeAPI(t, answers(t, "say First answer.\n\nsay Second answer.\n\nsay Third answer."))
	c := h.startChat(t, server.env(), "-m", "gemini-2.5-flash")
	c.waitFor("Trust it? [1]")
	c.keys(keyEnter)
	c.say("One")
	c.waitFor("First answer.")
	assert.NoFileExists(t, h.workspace+"/prompts.json")
	c.say("/hi")
	c.waitFor("there is no command /hi")
	c.say("/permissions trust")
	text := c.waitFor("This applies from now on:", "~ setting model.maxSessionTurns")
	for _, want := range []string{"  + command /hi\n", "  + hook BeforeAgent note-BeforeAgent\n",
		"  + hook SessionStart note-SessionStart\n", "  + memory file "} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "next start")
	c.say("Two")
	c.waitFor("Second answer.")
	c.say("/hi")
	c.waitFor("Third answer.")
	c.quit()
	assert.Equal(t, 2, strings.Count(h.read(t, "prompts.json"), `"hook_event_name":"BeforeAgent"`))
	assert.Contains(t, h.read(t, "start.json"), `"source":"resume"`)
	last := string(server.Log()[2].Body)
	for _, want := range []string{"The project likes tulips.", "First answer.", "Second answer.", "Greet"} {
		assert.Contains(t, last, want)
	}
	assert.Empty(t, server.problems())
}

// TestChatTrustBeforeTheFirstPrompt: a session without a conversation keeps its id when
// trust is given.
func TestChatTrustBeforeTheFirstPrompt(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {` + noteHook("BeforeAgent", "prompts.json") +
		`}}`})
	c := h.startChat(t, nil, h.answersFile(t, "say Hello.")...)
	c.waitFor("Trust it? [1]")
	c.keys(keyEnter)
	c.say("/permissions trust")
	c.waitFor("+ hook BeforeAgent note-BeforeAgent")
	c.say("Hi")
	c.waitFor("Hello.")
	c.say("/permissions trust")
	c.waitFor("nothing is different")
	c.quit()
	assert.Contains(t, h.read(t, "prompts.json"), `"hook_event_name":"BeforeAgent"`)
}

// TestChatAsksAboutAChangedScript: the chat asks once about a hook whose script has
// changed, and does not run it after a no. A yes, or /permissions trust, accepts the
// script as it is now.
func TestChatAsksAboutAChangedScript(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		"guard.sh": "cat >/dev/null\n",
		".gemini/settings.json": `{"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "name": "guard", ` +
			`"command": "sh guard.sh"}]}]}}`,
	})
	c := h.startChat(t, nil, h.answersFile(t, "say One.", "say Two.", "say Three.", "say Four.", "say Five.",
		"say Six.")...)
	c.waitFor("Trust it? [1]")
	c.keys("t" + keyEnter)
	c.say("First")
	c.waitFor("One.")
	c.waitReady() // the hook has also read its script
	h.write(t, "guard.sh", "cat >/dev/null; echo x >>ran\n")
	c.say("Second")
	c.waitFor("loads what changed during the session: guard.sh.")
	c.keys("1" + keyEnter) // do not run it
	c.waitFor(`hook "guard" was not run`)
	c.waitReady()
	c.saySees("Third", "Three.", `hook "guard" was not run`) // the user is not asked again
	assert.NoFileExists(t, filepath.Join(h.workspace, "ran"))
	h.write(t, "guard.sh", "cat >/dev/null; echo y >>ran\n")
	c.saySees("Fourth", "Four.", "Your answer")
	c.keys("2" + keyEnter) // run it
	c.waitReady()
	assert.Equal(t, "y\n", h.read(t, "ran"))
	assert.NotContains(t, c.saySees("Fifth", "Five."), "changed during")
	h.write(t, "guard.sh", "cat >/dev/null\n")
	c.saySees("/permissions trust", "nothing is different")
	c.waitReady()
	assert.NotContains(t, c.saySees("Sixth", "Six."), "changed during")
	c.quit()
}

// TestChatMemoryReload: the model and the hooks use the current content of the files.
func TestChatMemoryReload(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"GEMINI.md": "Be brief.\n", ".gemini/settings.json": `{}`})
	server := startFakeAPI(t, textAnswers(t, "I see.", 2))
	c := h.startChat(t, server.env(), trusted([]string{"-m", "gemini-2.5-flash"})...)
	c.say("One")
	c.waitFor("I see.")
	h.write(t, "GEMINI.md", "Be verbose.\n")
	h.write(t, ".gemini/settings.json", `{"model": {"maxSessionTurns": 7}, "hooks": {`+
		noteHook("BeforeModel", "requests.json")+`}}`)
	c.say("/memory reload")
	text := c.waitFor("Read again: settings, 1 hook, 1 memory file.",
		"~ setting model.maxSessionTurns  (from the next start on)")
	assert.Contains(t, text, "  + hook BeforeModel note-BeforeModel\n  ~ memory file ")
	c.say("/memory show")
	c.waitFor("Be verbose.")
	c.say("Two")
	c.waitUntil("the second answer", func(text string) bool { return strings.Count(text, "I see.") == 2 })
	c.say("/memory add --project The sky is green")
	c.waitFor("Remembered: The sky is green")
	c.say("/memory show")
	c.waitFor("- The sky is green")
	c.say("/memory add")
	c.waitFor("/memory add [--project] TEXT")
	c.say("/memory list")
	c.waitFor("GEMINI.md")
	c.say("/memory reload")
	c.waitFor("nothing is different")
	c.quit()
	second := string(server.Log()[1].Body)
	assert.Contains(t, second, "Be verbose.")
	assert.NotContains(t, second, "Be brief.")
	assert.Contains(t, h.read(t, "requests.json"), "BeforeModel")
	assert.Empty(t, server.problems())
	assert.Contains(t, h.lastTranscript(t), "Be verbose.", "who resumes the session reads the same")
}

// TestChatClearFindsContextAgain: after /clear the context files of subdirectories are
// found again.
func TestChatClearFindsContextAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"GEMINI.md": "Old rules.\n", "sub/GEMINI.md": "Rules of sub.\n", "sub/a.txt": "a\n"})
	read := `call read_file {"file_path": "sub/a.txt"}`
	server := startFakeAPI(t, answers(t, read+"\n\nsay One.\n\n"+read+"\n\nsay Two."))
	c := h.startChat(t, server.env(), trusted([]string{"-m", "gemini-2.5-flash"})...)
	c.say("Read it")
	c.waitFor("One.")
	h.write(t, "GEMINI.md", "New rules.\n")
	c.say("/clear")
	c.waitUntil("an empty screen", func(text string) bool { return !strings.Contains(text, "One.") })
	c.say("Read it again")
	c.waitFor("Two.")
	c.quit()
	log := server.Log()
	require.Len(t, log, 4)
	assert.Contains(t, string(log[1].Body), "Rules of sub.")
	assert.NotContains(t, string(log[2].Body), "Rules of sub.")
	assert.Contains(t, string(log[2].Body), "New rules.")
	assert.Contains(t, string(log[3].Body), "Rules of sub.")
	assert.Empty(t, server.problems())
}

// TestChatExtensions: extensions bring commands and context files, in every folder.
func TestChatExtensions(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	ext := "../.gemini/extensions/flowers/"
	h.write(t, ext+"gemini-extension.json",
		`{"name": "flowers", "version": "1.0.0", "contextFileName": ["TULIPS.md", "../outside.md"]}`)
	h.write(t, ext+"TULIPS.md", "Tulips are blue.\n")
	h.write(t, "../.gemini/extensions/outside.md", "Never read.\n")
	h.write(t, ext+"commands/plant.toml", "description = \"Plant something\"\nprompt = \"Plant {{args}}\"")
	h.write(t, ext+"commands/help.toml", `prompt = "Help with flowers"`)
	server := startFakeAPI(t, answers(t, "say Planted.\n\nsay Helped.\n\nsay Headless."))
	c := h.startChat(t, server.env(), "-m", "gemini-2.5-flash")
	c.waitFor("outside.md: leads out of the project, skipped")
	c.say("/help")
	c.waitFor("/plant [ARGS]", "Plant something", "/flowers:help [ARGS]")
	c.say("/memory show")
	c.waitFor("Tulips are blue.")
	c.say("/plant a rose")
	c.waitFor("Planted.")
	c.say("/flowers:help")
	c.waitFor("Helped.")
	c.quit()
	out := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-p", "/plant an oak"}, Env: server.env()})
	assert.Equal(t, "Headless.\n", out.Stdout, out.Stderr)
	out = h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-e", "none", "-p", "/plant an oak"}, Env: server.env()})
	assert.Equal(t, 42, out.Code)
	log := server.Log()
	require.Len(t, log, 3)
	assert.Contains(t, string(log[0].Body), "Plant a rose")
	assert.Contains(t, string(log[0].Body), `extension_context\u003e\n--- Context from: `)
	assert.Contains(t, string(log[0].Body), "Tulips are blue.")
	assert.NotContains(t, string(log[0].Body), "Never read.")
	assert.Contains(t, string(log[2].Body), "Plant an oak")
	assert.Empty(t, server.problems())
}

//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestChatKeys: continued lines, completion, earlier prompts, pastes.
func TestChatKeys(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"notes.txt": "tulip\n"})
	server := startFakeAPI(t, textAnswers(t, "Read.", 4))
	c := h.startChat(t, server.env(), "-m", "gemini-2.5-flash")
	last := func(n int) string {
		t.Helper()
		c.waitUntil("an answer", func(text string) bool {
			return strings.Count(text, "Read.") == n && strings.HasSuffix(prompt(text), ready)
		})
		log := server.Log()
		return string(log[len(log)-1].Body)
	}
	c.waitReady()
	c.keys(`one\` + keyEnter)
	c.waitFor("…")
	c.keys("two" + keyEnter)
	assert.Contains(t, last(1), `one\ntwo`)

	c.keys("see @no\t")
	c.waitFor("> see @notes.txt")
	c.keys(keyEnter)
	assert.Contains(t, last(2), "tulip")

	c.keys("\x1b[A") // up
	c.waitUntil("the prompt again", func(text string) bool { return strings.Count(text, "see @notes.txt") == 2 })
	c.keys(keyEnter)
	assert.Equal(t, 2, strings.Count(last(3), "see @notes.txt"))

	c.keys("\x1b[200~three\rfour\x1b[201~") // a paste does not submit itself
	c.waitFor("> three\n… four")
	c.keys(keyEnter)
	assert.Contains(t, last(4), `three\nfour`)

	c.keys("/comp\t")
	c.waitFor("> /compress")
	c.keys(keyCtrlC) // only drops the line
	c.quit()
	assert.Empty(t, server.problems())
}

// TestChatGoesBack: to a saved conversation, and to an earlier session.
func TestChatGoesBack(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {` +
		noteHook("SessionStart", "start.json") + "," + noteHook("SessionEnd", "end.json") + `}}`})
	server := startFakeAPI(t, textAnswers(t, "Yes.", 4))
	c := h.startChat(t, server.env(), trusted([]string{"-m", "gemini-2.5-flash", "-i", "Remember tulip"})...)
	c.waitFor("Yes.")
	c.say("/chat save flowers")
	c.waitFor("flowers")
	c.say("/clear")
	c.waitUntil("an empty screen", func(text string) bool { return !strings.Contains(text, "tulip") })
	c.say("Something else")
	c.waitFor("Yes.")
	c.say("/chat resume flowers")
	c.waitFor("Remember tulip")
	assert.NotContains(t, c.waitReady(), "session_context", "what was said is shown, and nothing else")
	c.say("And now?")
	c.waitUntil("one more answer", func(string) bool { return len(server.Log()) == 3 })
	c.quit()
	log := server.Log()
	body := string(log[len(log)-1].Body)
	assert.Contains(t, body, "Remember tulip")
	assert.NotContains(t, body, "Something else")
	starts, ends := h.read(t, "start.json"), h.read(t, "end.json")
	assert.Equal(t, strings.Count(starts, `"SessionStart"`), strings.Count(ends, `"SessionEnd"`), "each session that began has ended")
}

// TestChatPlain: without colours, and in a terminal without escape sequences.
func TestChatPlain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, env string
		forbidden []string
	}{
		{"NO_COLOR", "NO_COLOR=1", []string{"\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[36m"}},
		{"dumb", "TERM=dumb", []string{"\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[?2004h", "⠋"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{"notes.txt": "hello\n"})
			chat := h.startChat(t, []string{c.env}, h.answersFile(t, editNotes, "say **Changed.**")...)
			chat.waitFor("\n>")
			chat.keys("Go" + keyEnter)
			chat.waitFor("4. ", "Allow")
			chat.keys("y" + keyEnter)
			chat.waitFor("Changed.")
			chat.waitUntil("a prompt", func(text string) bool {
				text = prompt(text)
				return strings.HasPrefix(text[strings.LastIndex(text, "\n")+1:], ">")
			})
			chat.keys("/quit" + keyEnter)
			chat.waitFor("Agent powering down. Goodbye!")
			assert.Equal(t, 0, chat.exit())
			chat.mu.Lock()
			defer chat.mu.Unlock()
			for _, f := range c.forbidden {
				assert.NotContains(t, chat.raw.String(), f)
			}
		})
	}
}

// TestChatHoldsHooksBack: hooks that the user declined do not run, and /hooks says why.
func TestChatHoldsHooksBack(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {` + noteHook("SessionStart", "start.json") + `}}`})
	h.write(t, "../.gemini/trustedFolders.json", fmt.Sprintf(`{%q: "TRUST_FOLDER"}`, h.workspace))
	c := h.startChat(t, nil, h.answersFile(t)...)
	c.waitFor("note-SessionStart", "Let them run?")
	c.keys("n" + keyEnter)
	c.waitReady()
	assert.NoFileExists(t, h.workspace+"/start.json")
	c.say("/hooks why note-SessionStart")
	c.waitFor("does not run")
	c.say("/hooks trace on")
	c.waitReady()
	c.quit()
	assert.NoFileExists(t, h.workspace+"/start.json")
}

// TestChatAsksAboutHooksThatCameMeanwhile: hooks that the agent adds to the settings only
// run after the user agrees.
func TestChatAsksAboutHooksThatCameMeanwhile(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"../.gemini/settings.json": `{"hooks": {` + noteHook("SessionStart", "start.json") + `}}`})
	h.write(t, "../.gemini/trustedFolders.json", fmt.Sprintf(`{%q: "TRUST_FOLDER"}`, h.workspace))
	const added = `{\"hooks\": {\"BeforeAgent\": [{\"hooks\": [{\"type\": \"command\", \"name\": \"sneaky\", \"command\": \"touch owned\"}]}]}}`
	c := h.startChat(t, nil, append(h.answersFile(t, `call write_file {"file_path": ".gemini/settings.json", "content": "`+added+`"}`, "say Written.", "say Next."), "--yolo")...)
	c.say("Help yourself")
	c.waitFor("Written.")
	c.say("/hooks disable note-SessionStart")
	c.waitFor("BeforeAgent  sneaky", "touch owned", "Let them run?")
	c.keys("n" + keyEnter)
	c.waitReady()
	c.say("Go on")
	c.waitFor("Next.")
	c.quit()
	assert.NoFileExists(t, h.workspace+"/owned")
}

// TestChatHookLane: one line shows what hooks did, with trace on also that they did
// nothing, and the last event can be shown in full.
func TestChatHookLane(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {"BeforeAgent": [{"hooks": [
		{"type": "command", "name": "quiet", "command": "cat >/dev/null"},
		{"type": "command", "name": "shy", "command": "cat >/dev/null; echo '{\"suppressOutput\": true, \"systemMessage\": \"psst\"}'"}]}]}}`})
	c := h.startChat(t, nil, trusted(h.answersFile(t, "say One.", "say Two."))...)
	c.say("First")
	c.waitFor("One.")
	text := c.waitReady()
	assert.NotContains(t, text, "quiet,shy")
	assert.NotContains(t, text, "psst")
	c.say("/hooks trace on")
	c.say("Second")
	c.waitFor("Two.")
	c.waitFor("BeforeAgent  quiet,shy  pass")
	c.say("/hooks last")
	c.waitFor("quiet", "suppressOutput")
	c.quit()
}

// TestChatKeepsWhatIsTyped: when the user stops the work, what they had typed stays in the
// prompt unsent. After ^C there it is in the history.
func TestChatKeepsWhatIsTyped(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	c := h.startChat(t, nil, append(h.answersFile(t, `call run_shell_command {"command": "touch started; sleep 3600"}`, "say Never."), "--yolo")...)
	c.say("Go")
	waitFor(t, h.workspace+"/started")
	c.keys("the next one" + keyEnter + "and half a l")
	c.waitFor("and half a l")
	c.keys(keyEscape)
	c.waitFor("cancelled")
	c.waitUntil("the prompt", func(text string) bool { return strings.HasSuffix(prompt(text), "> the next one\n… and half a l") })
	c.keys(keyCtrlC)
	c.waitReady()
	c.keys("\x1b[A")
	c.waitUntil("the prompt again", func(text string) bool { return strings.HasSuffix(prompt(text), "> the next one\n… and half a l") })
	c.keys(keyCtrlC)
	c.quit()
}

// TestChatGivesProgramsATerminal: a program run with "!" gets the keys, and the whole
// screen while it reads single keys. The model reads its output. "!cd" applies to the next
// one.
func TestChatGivesProgramsATerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"sub/a.txt": "x"})
	c := h.startChat(t, nil, h.answersFile(t, "say Seen.")...)
	c.waitReady()
	c.keys("!printf '%s? ' tea; read x; echo got $x" + keyEnter)
	c.waitFor("\ntea?")
	c.keys("green" + keyEnter)
	c.waitFor("got green")
	c.waitReady()
	c.keys(`!stty -icanon -echo; printf 'a %s? ' key; dd bs=1 count=1 of=key 2>/dev/null; stty icanon echo` + keyEnter)
	c.waitFor("\na key?")
	c.keys(keyEscape)
	c.waitReady()
	assert.Equal(t, keyEscape, h.read(t, "key"))
	c.saySees("!cd nosuch", "there is no folder ")
	c.saySees("!cd sub", "run in ~/project/sub from now on")
	c.saySees("!ls", "a.txt")
	c.say("What came?")
	c.waitFor("Seen.")
	c.quit()
	assert.Contains(t, h.lastTranscript(t), `tea? green\ngot green`)
	assert.Contains(t, h.lastTranscript(t), `(it drew the screen, too)`)
}

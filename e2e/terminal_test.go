//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChatTalks(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {` +
		noteHook("SessionStart", "start.json") + "," + noteHook("SessionEnd", "end.json") + `}}`})
	c := h.startChat(t, nil, trusted(h.answersFile(t, "say Hello there.", "say And again."))...)
	c.waitReady()
	assert.Contains(t, h.read(t, "start.json"), `"source":"startup"`, "the first prompt waits for SessionStart")
	c.say("Hi")
	c.waitFor("Hello there.")
	c.say("Once more")
	c.waitFor("And again.")
	c.say("/stats")
	c.waitFor("gemini-2.5-flash")
	c.quit()
	end := h.read(t, "end.json")
	assert.Contains(t, end, `"reason":"exit"`)
	assert.Equal(t, 1, strings.Count(end, "SessionEnd"), end)
}

// TestChatEnds: however the user leaves, SessionEnd fires once, with the reason.
func TestChatEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		leave  func(c *chat)
		reason string
		code   int
	}{
		{"^D", func(c *chat) { c.keys(keyCtrlD) }, "prompt_input_exit", 0},
		{"^C twice", func(c *chat) {
			c.keys(keyCtrlC)
			c.waitFor("Press Ctrl+C again to exit")
			c.waitReady()
			c.keys(keyCtrlC)
		}, "prompt_input_exit", 0},
		{"/exit", func(c *chat) { c.say("/exit") }, "exit", 0},
		{"terminated", func(c *chat) { _ = c.cmd.Process.Signal(syscall.SIGTERM) }, "other", 143},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {` + noteHook("SessionEnd", "end.json") + `}}`})
			chat := h.startChat(t, nil, trusted(h.answersFile(t, "say Never."))...)
			chat.waitReady()
			c.leave(chat)
			chat.waitFor("Agent powering down. Goodbye!")
			assert.Equal(t, c.code, chat.exit())
			end := h.read(t, "end.json")
			assert.Contains(t, end, `"reason":"`+c.reason+`"`)
			assert.Equal(t, 1, strings.Count(end, "SessionEnd"), end)
		})
	}
}

const editNotes = `call replace {"file_path": "notes.txt", "instruction": "greet", "old_string": "hello", "new_string": "goodbye"}`

func TestChatApprovesAnEdit(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"notes.txt": "hello\n"})
	c := h.startChat(t, nil, h.answersFile(t, editNotes, "say Changed.")...)
	c.say("Change it")
	text := c.waitFor("Allow", "1. ", "4. ")
	assert.Contains(t, text, "-hello")
	assert.Contains(t, text, "+goodbye")
	assert.Contains(t, text, "external editor")
	assert.Equal(t, "hello\n", h.read(t, "notes.txt"), "nothing is done before the answer")
	c.keys("1" + keyEnter)
	c.waitFor("Changed.")
	assert.Equal(t, "goodbye\n", h.read(t, "notes.txt"))
	c.quit()
}

func TestChatRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, keys, said string }{
		{"with an explanation", "n use a test first" + keyEnter, "use a test first"},
		{"by number", "4" + keyEnter, "did not allow"},
		{"by ^C", keyCtrlC, "did not allow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{"notes.txt": "hello\n"})
			chat := h.startChat(t, nil, h.answersFile(t, editNotes, "say Never mind.")...)
			chat.say("Change it")
			chat.waitFor("4. ", "Allow")
			chat.keys(c.keys)
			chat.waitFor("Cancelled")
			chat.waitReady()
			assert.Equal(t, "hello\n", h.read(t, "notes.txt"))
			chat.quit()
			assert.Contains(t, h.lastTranscript(t), c.said)
		})
	}
}

// TestChatTypeAhead: keys typed before a question is shown never answer it.
func TestChatTypeAhead(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		"notes.txt": "hello\n",
		".gemini/settings.json": `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "slow",
			"command": "touch started; while [ ! -e go ]; do sleep 0.01; done"},
			{"type": "command", "command": "while [ ! -e go ]; do sleep 0.01; done; exit 0", "statusMessage": "Reading \u001b[31mthe notes"}]}]}}`,
	})
	c := h.startChat(t, nil, trusted(h.answersFile(t, editNotes, "say Never mind."))...)
	c.say("Change it")
	c.waitFor("Reading the notes; waiting for the hook slow") // the spinner says what takes long
	c.keys("/about" + keyEnter)
	c.waitFor("/about")
	h.write(t, "go", "")
	c.waitFor("Allow", "4. ")
	assert.Equal(t, "hello\n", h.read(t, "notes.txt"))
	c.keys("4" + keyEnter)
	c.waitFor("Cancelled", "gemini-2.5-flash")
	c.quit()
}

func TestChatAllowsForTheSession(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	c := h.startChat(t, nil, h.answersFile(t,
		`call run_shell_command {"command": "touch one"}`,
		`call run_shell_command {"command": "touch two"}`, "say Both.")...)
	c.say("Touch them")
	text := c.waitFor("Allow", "3. ")
	assert.Contains(t, text, "touch one")
	c.keys("2" + keyEnter)
	c.waitFor("Both.")
	assert.Equal(t, "", h.read(t, "two"))
	assert.NotContains(t, c.text(), "Allow execution of: 'touch two'")
	c.quit()
}

func TestChatHooks(t *testing.T) {
	t.Parallel()
	hook := func(event, command string) map[string]string {
		return map[string]string{
			"hook.sh":               "#!/bin/sh\ncat >/dev/null\n" + command + "\n",
			".gemini/settings.json": `{"hooks": {"` + event + `": [{"hooks": [{"type": "command", "name": "guard", "command": "./hook.sh"}]}]}}`,
		}
	}
	for _, c := range []struct {
		name    string
		files   map[string]string
		answers []string
		want    []string
	}{
		{"deny", hook("BeforeTool", `echo '{"decision": "deny", "reason": "not on fridays", "systemMessage": "guard is awake"}'`),
			[]string{`call run_shell_command {"command": "ls"}`, "say As you wish."},
			[]string{"BeforeTool", "guard", "deny", "not on fridays", "guard is awake", "As you wish."}},
		{"retry", hook("AfterAgent", `[ -e again ] || { touch again; echo '{"decision": "deny", "reason": "be longer"}'; }`),
			[]string{"say Short.", "say A longer answer."},
			[]string{"Short.", "AfterAgent", "be longer", "A longer answer."}},
		{"a prompt is blocked", hook("BeforeAgent", `echo '{"decision": "deny", "reason": "no secrets"}'`),
			nil, []string{"BeforeAgent", "no secrets"}},
		{"a hook asks", hook("BeforeTool", `echo '{"decision": "ask", "reason": "look twice", "systemMessage": "careful now"}'`),
			[]string{`call list_directory {"dir_path": "."}`, "say Seen."},
			[]string{"look twice", "careful now", "Allow"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, c.files)
			chat := h.startChat(t, nil, trusted(h.answersFile(t, c.answers...))...)
			chat.say("Go")
			chat.waitFor(c.want...)
			if c.name == "a hook asks" {
				chat.keys(keyEnter)
				chat.waitFor("Seen.")
			}
			chat.quit()
		})
	}
}

func TestChatCompressesAndClears(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {` +
		noteHook("SessionStart", "start.json") + "," + noteHook("SessionEnd", "end.json") + "," + noteHook("PreCompress", "compress.json") + `}}`})
	c := h.startChat(t, nil, trusted(h.answersFile(t,
		"say A long answer. "+numbers(0, 400), "say Another one. "+numbers(400, 800),
		"whole\nsay <state_snapshot>short</state_snapshot>", "whole\nsay <state_snapshot>short</state_snapshot>", "say Fresh."))...)
	c.say("/compress")
	c.waitFor("Nothing to compress.")
	c.say("One")
	c.waitFor("A long answer.")
	c.say("Two")
	c.waitFor("Another one.")
	c.say("/compress")
	c.waitFor("Chat history compressed")
	assert.Contains(t, h.read(t, "compress.json"), `"trigger":"manual"`)
	c.say("/clear")
	c.waitUntil("an empty screen", func(text string) bool { return !strings.Contains(text, "Another one.") })
	c.say("Three")
	c.waitFor("Fresh.")
	c.quit()
	assert.Contains(t, h.read(t, "start.json"), `"source":"clear"`)
	assert.Contains(t, h.read(t, "end.json"), `"reason":"clear"`)
	assert.Contains(t, h.read(t, "end.json"), `"reason":"exit"`)
}

// numbers returns a long text without repetitions.
func numbers(from, to int) string {
	var b strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintf(&b, "number %d, ", n*n)
	}
	return b.String()
}

func TestChatInterrupts(t *testing.T) {
	t.Parallel()
	t.Run("a stream", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, nil)
		entries, err := parseAnswers("answers", "say \"So far.\\n\\n\"\nsay Never.\nfault {\"after\": 1, \"silent\": true}\n\nsay Back again.")
		require.NoError(t, err)
		server := startFakeAPI(t, entries)
		c := h.startChat(t, server.env(), "-m", "gemini-2.5-flash")
		c.say("Go")
		c.waitFor("So far.")
		c.keys(keyCtrlC)
		c.waitFor("cancelled")
		assert.Contains(t, c.text(), "So far.", "what was said stays")
		c.say("Go on")
		c.waitFor("Back again.")
		c.quit()
		assert.Contains(t, h.lastTranscript(t), "So far.")
		assert.Empty(t, server.problems())
	})
	t.Run("a tool", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, nil)
		c := h.startChat(t, nil, append(h.answersFile(t, `call run_shell_command {"command": "touch started; sleep 3600"}`, "say Back again."), "--yolo")...)
		c.say("Go")
		waitFor(t, h.workspace+"/started")
		c.keys(keyEscape)
		c.waitFor("cancelled")
		c.say("Go on")
		c.waitFor("Back again.")
		c.quit()
	})
}

// TestChatCommands: an unknown command never goes to the model, which has no answer here.
func TestChatCommands(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		"GEMINI.md":             "Be brief.\n",
		".gemini/settings.json": `{"hooks": {"BeforeTool": [{"matcher": "nothing", "hooks": [{"type": "command", "name": "guard", "command": "true"}]}]}}`,
	})
	c := h.startChat(t, nil, trusted(h.answersFile(t))...)
	for _, step := range []struct{ line, want string }{
		{"/hepl", "/help"},
		{"/help", "/compress"},
		{"/tools", "run_shell_command"},
		{"/memory show", "Be brief."},
		{"/hooks", "guard"},
		{"/hooks disable guard", "disabled"},
		{"/hooks enable guard", "enabled"},
		{"/hooks why guard", "nothing"},
		{"/policies list", "built-in"},
		{"/model set flash-lite", "gemini-3.5-flash-lite"},
		{"/about", "minigem"},
		{"/chat list", ""},
		{"!echo one; echo two", "one\ntwo"},
		{"/nosuch thing", "/nosuch"},
	} {
		c.say(step.line)
		c.waitFor(step.want)
		c.waitReady()
	}
	c.quit()
}

func TestChatIncludesFiles(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"notes.txt": "the password is tulip\n"})
	server := startFakeAPI(t, textAnswers(t, "Read.", 1))
	c := h.startChat(t, server.env(), "-m", "gemini-2.5-flash")
	c.say("What is in @notes.txt and @nowhere?")
	c.waitFor("Read.")
	c.quit()
	assert.Contains(t, string(server.Log()[0].Body), "the password is tulip")
	assert.Empty(t, server.problems())
}

// askBackground is the query that the chat itself sends to the terminal at its start.
const askBackground = "\x1b]11;?\x1b\\"

// TestChatIsNotFooled: text from the model, a tool or a hook has no effect on the
// terminal.
func TestChatIsNotFooled(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		"evil.sh":               "#!/bin/sh\ncat >/dev/null\nprintf '%s' '{\"systemMessage\": \"hook \\u001b]0;owned\\u0007\\u001b[2J\\u202etext\"}'\n",
		".gemini/settings.json": `{"ui": {"hideFooter": true}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "evil", "command": "./evil.sh"}]}]}}`,
	})
	c := h.startChat(t, nil, append(trusted(h.answersFile(t,
		`call run_shell_command {"command": "printf '\\033]0;ow''ned\\007\\033[2Jtool\\r\\nout\\xff'"}`,
		`say "model \x1b]52;c;b3duZWQ=\x07\x1b[2J\x1b[31Atext\u202e"`)), "--yolo")...)
	c.say("Fool me")
	c.waitFor("model text")
	c.waitFor("hook text")
	c.quit()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, forbidden := range []string{"owned", "\x1b]", "\x1b[2J", "\x1b[31A", "\u202e", "\xff"} {
		assert.NotContains(t, strings.Replace(c.raw.String(), askBackground, "", 1), forbidden)
	}
}

// TestChatAsksForTrust: anything but a clear yes is a no, and only a permanent no is
// stored. A yes also applies to the hooks, which were shown.
func TestChatAsksForTrust(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, keys string
		runs       bool
		rule       string // in trustedFolders.json; empty: nothing is stored
	}{
		{"by number", "2" + keyEnter, true, "TRUST_FOLDER"},
		{"by letter", "t" + keyEnter, true, "TRUST_FOLDER"},
		{"parent", "p" + keyEnter, true, "TRUST_PARENT"},
		{"never", "d" + keyEnter, false, "DO_NOT_TRUST"},
		{"no", "n" + keyEnter, false, ""},
		{"Enter", keyEnter, false, ""},
		{"^C", keyCtrlC, false, ""},
		{"^D", keyCtrlD, false, ""},
		{"Esc", keyEscape, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {` + noteHook("SessionStart", "start.json") + `}}`})
			chat := h.startChat(t, nil, h.answersFile(t, "say Hi.")...)
			text := chat.waitFor("Trust it? [1]")
			assert.Contains(t, text, "These hooks would run by themselves:\n  SessionStart  note-SessionStart  .gemini/settings.json:1\n    $ cat >>start.json; echo >>start.json\n")
			assert.Contains(t, text, "programs of this folder run as you")
			chat.keys(c.keys)
			chat.waitReady()
			if c.runs {
				assert.Contains(t, h.read(t, "start.json"), "startup")
			} else {
				assert.NoFileExists(t, h.workspace+"/start.json")
			}
			chat.quit()
			if c.rule == "" {
				assert.NoFileExists(t, h.dir+"/.gemini/trustedFolders.json")
			} else {
				assert.Contains(t, h.read(t, "../.gemini/trustedFolders.json"), c.rule)
			}
		})
	}
}

func TestChatWithoutAKey(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	c := h.startChat(t, nil)
	c.waitFor("Which way? [1]")
	c.keys("\x1b")
	c.waitFor("GEMINI_API_KEY", "minigem demo", "and put it\ninto the variable GEMINI_API_KEY")
	assert.Equal(t, 41, c.exit())
}

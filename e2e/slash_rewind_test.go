//go:build unix

package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// saySees types a line and waits until the texts are below it.
func (c *chat) saySees(line string, texts ...string) string {
	c.t.Helper()
	c.say(line)
	var below string
	for _, want := range texts {
		c.waitUntil(line+" showing "+want, func(text string) bool {
			i := strings.LastIndex(text, "> "+line+"\n")
			if i >= 0 {
				below = text[i:]
			}
			return i >= 0 && strings.Contains(below, want)
		})
	}
	return below
}

const makeFile = `call write_file {"file_path": "new.txt", "content": "one\ntwo\n"}`

// twoPrompts returns a chat in which the first prompt changed a file and the second one
// created one.
func twoPrompts(t *testing.T, settings string) (home, *chat) {
	t.Helper()
	h := newHome(t, map[string]string{"notes.txt": "hello\n", "mine.txt": "mine\n"})
	h.write(t, "../.gemini/settings.json", settings)
	c := h.startChat(t, nil, append(h.answersFile(t, editNotes, "say Changed.", makeFile, "say Made.", "say Again."), "--yolo")...)
	c.say("Change it")
	c.waitFor("Changed.")
	c.say("Make it")
	c.waitFor("Made.")
	return h, c
}

const (
	noCheckpoints   = `{}`
	withCheckpoints = `{"general": {"checkpointing": {"enabled": true}}}`
)

// TestChatRewinds: both sources of earlier file contents, edits and snapshots, have the
// same effect for the user.
func TestChatRewinds(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{noCheckpoints, withCheckpoints} {
		if _, err := exec.LookPath("git"); err != nil && settings == withCheckpoints {
			continue
		}
		for _, c := range []struct {
			name     string
			keys     []string // answers to the questions
			typed    string   // instead of the first two
			notes    string
			made     bool
			forgot   int // number of prompts
			contains []string
		}{
			{"the last prompt", []string{"1", "1"}, "/rewind", "goodbye\n", false, 1, []string{"1. Make it  1 file +2 -0, just now", "2. Change it  1 file +1 -1, just now", "new.txt  +2 -0"}},
			{"the first prompt", []string{"2", "b"}, "/rewind", "hello\n", false, 2, []string{"notes.txt  +1 -1", "new.txt  +2 -0"}},
			{"conversation", []string{"2", "c"}, "/rewind", "goodbye\n", true, 2, nil},
			{"files", []string{"2", "f"}, "/rewind", "hello\n", false, 0, nil},
			{"nothing", []string{"2", "n"}, "/rewind", "goodbye\n", true, 0, []string{"Everything stays as it is."}},
			{"no prompt", []string{keyEscape}, "/rewind", "goodbye\n", true, 0, nil},
			{"typed", nil, "/rewind 2 both", "hello\n", false, 2, nil},
			{"typed, files", nil, "/rewind 1 files", "goodbye\n", false, 0, nil},
			{"typed, no kind", []string{"c"}, "/rewind 1", "goodbye\n", true, 1, nil},
		} {
			name := c.name
			if settings == withCheckpoints {
				name += ", with checkpoints"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h, chat := twoPrompts(t, settings)
				chat.say(c.typed)
				questions := []string{"Go back to before which prompt? (Esc: none) [1]", "What should be restored? [1]"}
				for i, k := range c.keys {
					question := questions[len(questions)-min(len(c.keys), 2)+i]
					if k == keyEscape {
						question = questions[0]
					}
					chat.waitUntil(question, func(text string) bool { return strings.HasSuffix(text, question) })
					if k != keyEscape {
						k += keyEnter
					}
					chat.keys(k)
				}
				text := chat.waitReady()
				for _, want := range c.contains {
					assert.Contains(t, text, want)
				}
				assert.Equal(t, c.notes, h.read(t, "notes.txt"))
				assert.Equal(t, "mine\n", h.read(t, "mine.txt"))
				if c.made {
					assert.Equal(t, "one\ntwo\n", h.read(t, "new.txt"))
				} else {
					assert.NoFileExists(t, h.workspace+"/new.txt")
				}
				if c.forgot > 0 {
					assert.Contains(t, text, "Forgotten, from here on: > ")
				}
				chat.say("/chat share all.json")
				if c.forgot == 2 {
					chat.waitFor("the conversation is still empty")
				} else {
					chat.waitFor("Written:")
					assert.Equal(t, c.forgot == 0, strings.Contains(h.read(t, "all.json"), "Make it"))
				}
				chat.quit()
			})
		}
	}
}

// TestChatRewindSeesChanges: later changes by others are shown and only reverted after a
// yes, and can then be restored.
func TestChatRewindSeesChanges(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{noCheckpoints, withCheckpoints} {
		t.Run(settings, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("git"); err != nil && settings == withCheckpoints {
				t.Skip("git is not installed")
			}
			h, c := twoPrompts(t, settings)
			h.write(t, "notes.txt", "my own words\n")
			ask := func() {
				c.say("/rewind 2 both")
				c.waitUntil("the question", func(text string) bool {
					return strings.HasSuffix(text, "Go back anyway? The current state is saved as a checkpoint. [1]")
				})
			}
			ask()
			assert.Contains(t, c.text(), "  notes.txt  +1 -1  beware: it was changed since\n")
			assert.Contains(t, c.text(), "1 file changed in other ways too")
			c.keys(keyEnter)
			c.waitFor("Everything stays as it is.")
			assert.Equal(t, "my own words\n", h.read(t, "notes.txt"))
			c.waitReady()
			ask()
			c.keys("y" + keyEnter)
			text := c.waitFor("To undo this: /restore ")
			assert.Equal(t, "hello\n", h.read(t, "notes.txt"))
			_, undo, _ := strings.Cut(text, "To undo this: /restore ")
			c.say("/restore " + strings.Fields(undo)[0])
			c.waitFor("The conversation goes on.")
			assert.Equal(t, "my own words\n", h.read(t, "notes.txt"))
			assert.Equal(t, "one\ntwo\n", h.read(t, "new.txt"))
			c.say("/chat share all.json")
			c.waitFor("Written:")
			assert.Contains(t, h.read(t, "all.json"), "Make it")
			c.quit()
		})
	}
}

// TestChatRewindsLater: a session that continues in another process, or that was
// compressed, still knows its edits.
func TestChatRewindsLater(t *testing.T) {
	t.Parallel()
	h, c := twoPrompts(t, noCheckpoints)
	c.quit()
	again := h.startChat(t, nil, append(h.answersFile(t, "say Again."), "--resume")...)
	again.say("Something else")
	again.waitFor("Again.")
	again.say("/rewind 3 both")
	again.waitFor("Forgotten, from here on: > Change it")
	again.quit()
	assert.Equal(t, "hello\n", h.read(t, "notes.txt"))
	assert.NoFileExists(t, h.workspace+"/new.txt")
}

func TestChatRewindUsage(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	c := h.startChat(t, nil, h.answersFile(t, "say Never.")...)
	const usage = "/rewind [NUMBER [files|conversation|both]]"
	for _, step := range []struct{ line, want string }{
		{"/rewind", "There is no prompt yet to go back to."},
		{"/rewind 1", "there is no prompt yet to go back to"},
		{"/rewind x", usage},
		{"/rewind 0", usage},
		{"/rewind 1 all", usage},
		{"/rewind 1 both now", usage},
		{"/restore", "No checkpoint was taken"},
		{"/restore nope", `there is no checkpoint "nope"`},
		{"/restore nope all", "/restore [CHECKPOINT [files|conversation|both]]"},
	} {
		c.saySees(step.line, step.want)
		c.waitReady()
	}
	c.quit()
}

// TestChatRestores: /restore without an argument lets the user choose, by tool, file and
// age.
func TestChatRestores(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	h, c := twoPrompts(t, withCheckpoints)
	choose := func(which, what string) {
		t.Helper()
		c.say("/restore")
		c.waitUntil("the checkpoints", func(text string) bool { return strings.HasSuffix(text, "before which edit? (Esc: none) [1]") })
		c.keys(which + keyEnter)
		c.waitUntil("what comes back", func(text string) bool { return strings.HasSuffix(text, "The current state is saved first. [1]") })
		c.keys(what + keyEnter)
		c.waitReady()
	}
	choose("1", "n")
	text := c.text()
	assert.Contains(t, text, "1. write_file new.txt  just now\n")
	assert.Contains(t, text, "2. replace notes.txt  just now\n")
	assert.Equal(t, "one\ntwo\n", h.read(t, "new.txt"))
	choose("1", "f")
	assert.NoFileExists(t, h.workspace+"/new.txt")
	choose("3", "f") // the first two are "before-restore" and write_file
	assert.Equal(t, "hello\n", h.read(t, "notes.txt"))
	assert.Contains(t, c.text(), "1. as it was before restore  just now\n")
	choose("1", "b")
	c.waitFor("The conversation goes on.")
	require.Equal(t, "goodbye\n", h.read(t, "notes.txt"))
	c.quit()
}

// TestSlashScreens checks the look of the questions in a window of the usual size.
func TestSlashScreens(t *testing.T) {
	t.Parallel()
	t.Run("trust", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, map[string]string{".gemini/settings.json": `{"mcpServers": {"db": {"command": "npx", "args": ["db-server", "--all\u001b[2J"]}},
			"hooks": {` + noteHook("AfterAgent", "end.json") + `}}`})
		c := h.startChat(t, nil, h.answersFile(t)...)
		c.waitFor("Trust it? [1]")
		c.goldenAfter("trust", "These hooks would run")
		c.keys(keyCtrlC)
		c.quit()
	})
	t.Run("rewind", func(t *testing.T) {
		t.Parallel()
		h, c := twoPrompts(t, noCheckpoints)
		h.write(t, "notes.txt", "mine\n")
		c.say("/rewind")
		c.waitUntil("the prompts", func(text string) bool { return strings.HasSuffix(text, "(Esc: none) [1]") })
		c.keys("2" + keyEnter)
		c.waitFor("What should be restored? [1]")
		c.keys(keyEnter)
		c.waitFor("as a checkpoint. [1]")
		c.goldenAfter("rewind", "> /rewind")
		c.keys(keyEscape)
		c.quit()
	})
}

// TestARewindWritesNoMask: the record of an edit next to a secret contains a mask instead
// of the secret, which neither the shell nor the chat writes into the file.
func TestARewindWritesNoMask(t *testing.T) {
	t.Parallel()
	const secret = "s3rv1ce-k3y-of-th3-user"
	env := []string{"SERVICE_API_KEY=" + secret}
	const edit = `call replace {"file_path": "conf.txt", "instruction": "raise", "old_string": "level=1", "new_string": "level=2"}`
	const why = "stays as it is: its earlier content was not recorded completely, because it contains a secret"
	after := "key=" + secret + "\nlevel=2\n"
	h := newHome(t, map[string]string{"conf.txt": "key=" + secret + "\nlevel=1\n"})
	args := append(h.answersFile(t, edit, "say Raised."), "--yolo", "--skip-trust")
	o := h.run(t, run{Args: append(args, "-p", "Raise it"), Env: env})
	require.Equal(t, 0, o.Code, o.Stderr)
	require.Equal(t, after, h.read(t, "conf.txt"))
	assert.NotContains(t, h.lastTranscript(t), secret)
	for _, flags := range [][]string{{"--only", "files"}, {"--only", "files", "--force"}} {
		o = h.run(t, run{Args: append([]string{"sessions", "rewind", "latest", "1"}, flags...), Env: env})
		assert.Contains(t, o.Stdout, why)
		assert.NotContains(t, o.Stdout+o.Stderr, "changed in other ways")
		assert.Equal(t, after, h.read(t, "conf.txt"), flags)
	}
	c := h.startChat(t, env, append(args, "-r", "latest")...)
	c.saySees("/rewind 1 both", why)
	c.waitReady()
	c.quit()
	assert.Equal(t, after, h.read(t, "conf.txt"))
}

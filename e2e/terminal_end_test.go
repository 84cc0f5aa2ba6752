//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"minigem/internal/waittest"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/term"
)

// TestChatLeavesTheTerminal as it was, whatever ends it.
func TestChatLeavesTheTerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		signals []syscall.Signal // the second one is sent when the first has begun the end
		ended   string
	}{
		{"TERM twice", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, "ended 143"},
		{"INT twice", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}, "ended 130"},
		{"HUP, then INT", []syscall.Signal{syscall.SIGHUP, syscall.SIGINT}, "ended 130"},
		{"QUIT", []syscall.Signal{syscall.SIGQUIT}, "ended 2"},
		{"a fatal error of the runtime", []syscall.Signal{syscall.SIGSEGV}, "ended 2"},
		{"KILL", []syscall.Signal{syscall.SIGKILL}, "ended 137"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {
				"SessionStart": [{"hooks": [{"type": "command", "name": "who", "command": "echo $PPID >pid"}]}],
				"SessionEnd": [{"hooks": [{"type": "command", "name": "slow", "command": "touch ending; sleep 3600"}]}]}}`})
			// The shell keeps the session, and with it the terminal, as in real use.
			script := `trap : INT QUIT; "$0" "$@" 2>crash; echo "ended $?"; stty -a; read -r _`
			chat := h.startChatIn(t, "bash", nil, append([]string{"-c", script, binary}, trusted(h.answersFile(t))...)...)
			chat.waitReady()
			chat.keys("half written")
			chat.waitFor("> half written")
			now, err := term.GetState(int(chat.tty.Fd()))
			require.NoError(t, err)
			require.NotEqual(t, chat.before, now, "the chat reads keys unbuffered")
			pid, err := strconv.Atoi(strings.TrimSpace(h.read(t, "pid")))
			require.NoError(t, err)
			for i, s := range c.signals {
				if i > 0 {
					waitFor(t, h.workspace+"/ending")
				}
				if s == syscall.SIGINT && i > 0 {
					chat.interruptUntil(pid, c.ended)
					continue
				}
				require.NoError(t, syscall.Kill(pid, s))
			}
			chat.waitFor(c.ended)
			waittest.Until(t, func() bool {
				now, err := term.GetState(int(chat.tty.Fd()))
				return err == nil && assert.ObjectsAreEqual(chat.before, now)
			})
			if c.name != "KILL" { // after a kill the shell may be slightly earlier
				chat.waitFor(" echo ", " icanon ")
			}
			waittest.Until(t, func() bool { // the watcher of a killed chat writes it, possibly after the shell
				chat.mu.Lock()
				defer chat.mu.Unlock()
				raw := chat.raw.String()
				return strings.LastIndex(raw, "\x1b[?2004l") > strings.LastIndex(raw, "\x1b[?2004h")
			}, "bracketed paste stayed on")
			chat.keys("\n")
			<-chat.exited
			chat.mu.Lock()
			defer chat.mu.Unlock()
			assert.True(t, chat.screen.CursorVisible())
		})
	}
}

// interruptUntil presses ^C until the screen shows text, because a second one that follows
// too soon does not count.
func (c *chat) interruptUntil(pid int, text string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !strings.Contains(c.text(), text) && syscall.Kill(pid, syscall.SIGINT) == nil {
			time.Sleep(50 * time.Millisecond)
		}
	}()
	c.waitFor(text)
	<-done
}

// startChatIn is startChat in a terminal that outlives the program, so that it can be
// examined. program may start the chat itself.
func (h home) startChatIn(t testing.TB, program string, env []string, args ...string) *chat {
	t.Helper()
	window, tty, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(window, &pty.Winsize{Rows: chatRows, Cols: chatColumns}))
	before, err := term.GetState(int(tty.Fd()))
	require.NoError(t, err)
	cmd := exec.Command(program, args...)
	cmd.Dir = h.workspace
	cmd.Env = append([]string{"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", orphanMark + "=" +
		h.dir}, env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	c := &chat{t: t, home: h, cmd: cmd, window: window, tty: tty, before: before, exited: make(chan struct{}),
		changed: make(chan struct{}),
		screen:  vt10x.New(vt10x.WithSize(chatColumns, chatRows))}
	go func() {
		_ = cmd.Wait() // the exit code is checked where it matters
		close(c.exited)
	}()
	go c.follow()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-c.exited
		_ = tty.Close()
		_ = window.Close()
	})
	return c
}

// TestChatSuspends: ^Z gives the terminal to the shell, and fg brings the chat back with
// the unfinished line.
func TestChatSuspends(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"inputrc": "set enable-bracketed-paste off\n"})
	args := strings.Join(append([]string{binary}, h.answersFile(t, "say Hello there.")...), " ")
	bash, err := exec.LookPath("bash")
	require.NoError(t, err)
	c := h.startChatIn(t, bash, []string{"PS1=shell> ", "INPUTRC=" + h.workspace + "/inputrc"}, "--norc", "--noprofile",
		"-i")
	c.waitFor("shell>")
	c.keys(args + keyEnter)
	c.waitReady()
	c.keys("half a line")
	c.waitFor("> half a line")
	for range 2 {
		c.keys("\x1a")
		c.waitUntil("the shell", func(text string) bool { return strings.HasSuffix(text, "shell>") })
		c.keys("stty -a | grep -c -w -e -echo -e -icanon; fg" + keyEnter)
		c.waitUntil("the chat", func(text string) bool { return strings.HasSuffix(prompt(text), "> half a line") })
		assert.Contains(t, c.text(), "\n0\n", "the shell found the terminal as it was")
	}
	c.keys(keyEnter)
	c.waitFor("Hello there.")
	c.quitTo("shell>")
}

// quitTo leaves the chat and returns to the program that started it.
func (c *chat) quitTo(prompt string) {
	c.t.Helper()
	c.say("/quit")
	c.waitFor("Agent powering down. Goodbye!\n" + prompt)
	c.keys("exit" + keyEnter)
	<-c.exited
}

// TestChatInterruptedTwice: the second ^C within three seconds leaves the chat, both in a
// turn and at the prompt. Esc only stops. The conversation is kept.
func TestChatInterruptedTwice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		keys []string
		left bool
	}{
		{"^C ^C", []string{keyCtrlC, keyCtrlC}, true},
		{"Esc Esc", []string{keyEscape, keyEscape}, false},
		{"^C Esc", []string{keyCtrlC, keyEscape}, false},
		{"Esc ^C", []string{keyEscape, keyCtrlC}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {` + noteHook("SessionEnd", "end.json") +
				`}}`})
			entries, err := parseAnswers(
				"answers", "say \"So far.\\n\\n\"\nsay Never.\nfault {\"after\": 1, \"silent\": true}\n\nsay Back again.")
			require.NoError(t, err)
			server := startFakeAPI(t, entries)
			chat := h.startChat(t, server.env(), trusted([]string{"-m", "gemini-2.5-flash"})...)
			chat.say("Go")
			chat.waitFor("So far.")
			for i, key := range c.keys {
				chat.keys(key)
				if key == keyEscape && i > 0 {
					// A key right after an Esc counts as a key with Alt. The first of
					// these may be one, and then does nothing.
					chat.keys("zz")
					chat.waitFor("z")
					chat.keys("\x15") // ^U
					chat.waitReady()
				}
				if i == 0 {
					chat.waitFor("Request cancelled.")
					chat.waitReady()
				}
			}
			if c.left {
				chat.waitFor("Agent powering down. Goodbye!")
				assert.Equal(t, 0, chat.exit())
				assert.Contains(t, h.read(t, "end.json"), `"reason":"prompt_input_exit"`)
			} else {
				chat.say("Go on")
				chat.waitFor("Back again.")
				chat.quit()
			}
			assert.Contains(t, chat.text(), "So far.")
			assert.Contains(t, h.lastTranscript(t), "So far.")
		})
	}
}

// TestChatInterruptedTwiceInATurn tests a turn that does not end at once.
func TestChatInterruptedTwiceInATurn(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {` + noteHook("SessionEnd", "end.json") + `}}`})
	c := h.startChat(t, nil, append(trusted(h.answersFile(t, `call run_shell_command {"command": "trap '' TERM; touch `+
		`started; sleep 3600"}`)), "--yolo")...)
	c.say("Go")
	waitFor(t, h.workspace+"/started")
	c.keys(keyCtrlC + keyCtrlC)
	c.waitFor("Agent powering down. Goodbye!")
	assert.Equal(t, 0, c.exit())
	assert.Contains(t, h.read(t, "end.json"), `"reason":"prompt_input_exit"`)
}

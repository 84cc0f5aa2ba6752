//go:build unix

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"

	"minigem/internal/waittest"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"github.com/stretchr/testify/require"
	"golang.org/x/term"
)

// The window of a chat under test. It is tall, so that nothing scrolls out of it.
const (
	chatRows    = 150
	chatColumns = 120
)

// ready is the text that programs that drive a terminal wait for (docs/spec/contract.md
// 9).
const ready = "  Type your message or @path/to/file"

const (
	keyEnter  = "\r"
	keyCtrlC  = "\x03"
	keyCtrlD  = "\x04"
	keyEscape = "\x1b"
)

// A chat is the program in a pseudo-terminal, with an emulator of the screen.
type chat struct {
	t      testing.TB
	home   home
	cmd    *exec.Cmd
	window *os.File
	exited chan struct{}
	tty    *os.File    // the program's side, if it is kept open
	before *term.State // of tty, at the start

	mu      sync.Mutex
	screen  vt10x.Terminal
	raw     strings.Builder // the complete output
	changed chan struct{}   // closed at each change
}

// startChat starts the program in h. env is added to HOME, PATH and TERM.
func (h home) startChat(t testing.TB, env []string, args ...string) *chat {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = h.workspace
	cmd.Env = append([]string{"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", orphanMark + "=" + h.dir}, env...)
	window, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: chatRows, Cols: chatColumns})
	require.NoError(t, err)
	c := &chat{t: t, home: h, cmd: cmd, window: window, exited: make(chan struct{}), changed: make(chan struct{}),
		screen: vt10x.New(vt10x.WithSize(chatColumns, chatRows))}
	go c.watch()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-c.exited
		_ = window.Close()
	})
	return c
}

// watch feeds the emulator until the program has exited.
func (c *chat) watch() {
	c.follow()
	_ = c.cmd.Wait() // exit checks the exit code
	close(c.exited)
}

// follow feeds the emulator until the terminal is closed.
func (c *chat) follow() {
	buf := make([]byte, 4096)
	for {
		n, err := c.window.Read(buf)
		c.mu.Lock()
		_, _ = c.screen.Write(buf[:n]) // the emulator accepts everything
		c.raw.Write(buf[:n])
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// text returns the text of the screen, without trailing blanks.
func (c *chat) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.textLocked()
}

func (c *chat) textLocked() string {
	var lines []string
	for line := range strings.Lines(c.screen.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// waitUntil waits until good accepts the screen.
func (c *chat) waitUntil(what string, good func(text string) bool) string {
	c.t.Helper()
	deadline := waittest.Context(c.t).Done()
	for {
		c.mu.Lock()
		text, changed := c.textLocked(), c.changed
		c.mu.Unlock()
		if good(text) {
			return text
		}
		select {
		case <-changed:
		case <-c.exited:
			if text = c.text(); good(text) {
				return text
			}
			c.t.Fatalf("the chat has ended, and the screen does not show %s:\n%s", what, text)
		case <-deadline:
			c.t.Fatalf("the screen does not show %s:\n%s", what, text)
		}
	}
}

func (c *chat) waitFor(texts ...string) string {
	c.t.Helper()
	var all string
	for _, want := range texts {
		all = c.waitUntil(fmt.Sprintf("%q", want), func(text string) bool { return strings.Contains(text, want) })
	}
	return all
}

// statusLine matches the line below the prompt.
var statusLine = regexp.MustCompile(`\n(default|auto_edit|plan|yolo)(  .*)?$`)

// prompt returns a screen without the line below the prompt.
func prompt(text string) string { return statusLine.ReplaceAllString(text, "") }

// waitReady waits for an empty prompt at the end.
func (c *chat) waitReady() string {
	c.t.Helper()
	return c.waitUntil("an empty prompt", func(text string) bool {
		return strings.HasSuffix(prompt(text), ready)
	})
}

// keys presses keys, one at a time.
func (c *chat) keys(keys string) {
	c.t.Helper()
	for _, k := range strings.SplitAfter(keys, "") {
		_, err := c.window.WriteString(k)
		require.NoError(c.t, err)
	}
}

// say types a line at an empty prompt.
func (c *chat) say(line string) {
	c.t.Helper()
	c.waitReady()
	c.keys(line)
	c.waitFor("> " + line)
	c.keys(keyEnter)
}

// exit waits for the chat to exit and checks what it leaves behind.
func (c *chat) exit() int {
	c.t.Helper()
	select {
	case <-c.exited:
	case <-waittest.Context(c.t).Done():
		c.t.Fatalf("the chat does not end:\n%s", c.text())
	}
	c.home.assertTidy(c.t, outcome{Stderr: c.text()})
	return c.cmd.ProcessState.ExitCode()
}

// quit leaves the chat with /quit.
func (c *chat) quit() {
	c.t.Helper()
	c.say("/quit")
	c.waitFor("Agent powering down. Goodbye!")
	require.Equal(c.t, 0, c.exit(), c.text())
}

// noteHook returns a hook that saves its input to a file.
func noteHook(event, file string) string {
	return fmt.Sprintf(`%q: [{"hooks": [{"type": "command", "name": "note-%[1]s", "command": "cat >>%[2]s; echo >>%[2]s"}]}]`, event, file)
}

// trusted adds the flag that runs the workspace's hooks without asking.
func trusted(args []string) []string { return append(args, "--skip-trust") }

// lastTranscript returns the file of the newest session.
func (h home) lastTranscript(t testing.TB) string {
	t.Helper()
	files := transcriptsIn(h.dir)
	require.NotEmpty(t, files)
	data, err := os.ReadFile(files[len(files)-1])
	require.NoError(t, err)
	return string(data)
}

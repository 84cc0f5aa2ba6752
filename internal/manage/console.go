// Package manage implements the commands that change extensions and skills: it asks,
// does, and says what was done. Flags are parsed elsewhere.
package manage

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"minigem/internal/app"
	"minigem/internal/download"
	"minigem/internal/text"
)

// console is the user at the standard streams. One reader serves all questions: piped
// input answers one after the other, and its end counts as no answer.
type console struct {
	sys *app.System
	in  *bufio.Reader
	// silent means that without a terminal no values are asked for, because the user
	// has agreed beforehand.
	silent bool
}

func newConsole(sys *app.System, agreed bool) *console {
	return &console{sys: sys, in: bufio.NewReader(io.LimitReader(sys.Stdin, 64<<10)), silent: agreed && !sys.StdinTTY}
}

// waitOn tells the user on stderr what a download waits for.
func waitOn(sys *app.System) download.Wait {
	return download.Wait{Say: func(line string) { fmt.Fprintln(sys.Stderr, line) }}
}

func (c *console) Say(s string) { fmt.Fprint(c.sys.Stdout, text.Clean(s)) }

func (c *console) Confirm(about, question string) bool {
	c.Say(about)
	line, _ := c.line(question)
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}

func (c *console) Value(question string, hidden bool) (string, bool) {
	if c.silent {
		return "", false
	}
	if f, ok := c.sys.Stdin.(*os.File); ok && hidden && c.sys.StdinTTY {
		fmt.Fprint(c.sys.Stdout, question)
		data, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(c.sys.Stdout)
		return strings.TrimSpace(string(data)), err == nil
	}
	line, ok := c.line(question)
	return strings.TrimSpace(line), ok
}

func (c *console) line(question string) (string, bool) {
	fmt.Fprint(c.sys.Stdout, question)
	line, err := c.in.ReadString('\n')
	if err != nil {
		fmt.Fprintln(c.sys.Stdout)
	}
	return line, err == nil || line != ""
}

// Confirmed asks a question on the standard streams. No answer means no.
func Confirmed(sys *app.System, question string) bool {
	return newConsole(sys, false).Confirm("", question)
}

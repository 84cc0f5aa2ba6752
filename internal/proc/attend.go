package proc

import (
	"fmt"
	"os"
	"os/exec"
)

// Attend runs a script of ours by sh, in a group of its own, with line as its
// standard input and the terminal as its standard output. It has to end by
// itself when line is closed; wait waits for that.
func Attend(script string, line, tty *os.File) (wait func(), err error) {
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stdin, cmd.Stdout = line, tty
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("running sh: %w", err)
	}
	return func() { _ = cmd.Wait() }, nil // it wrote its errors to the terminal
}

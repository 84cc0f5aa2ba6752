package proc

import (
	"fmt"
	"os"
	"os/exec"
)

// Attend runs one of our own scripts with sh, in its own group, with line as standard
// input and the terminal as standard output. The script must exit by itself once line
// is closed. wait waits for that.
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

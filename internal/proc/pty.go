package proc

import (
	"errors"
	"fmt"
	"os"

	"github.com/creack/pty"
)

// ErrNoTerminal means that this system, such as Windows, has no pseudo-terminals.
var ErrNoTerminal = errors.New("this system has no pseudo-terminals")

// OpenTerminal makes a pseudo-terminal of the given size. A program uses tty as its
// terminal. Its output is read from window, and keys are written to window. The caller
// closes both. The error is [ErrNoTerminal] if the system has no pseudo-terminals.
func OpenTerminal(columns, rows int) (window, tty *os.File, err error) {
	window, tty, err = pty.Open()
	switch {
	case errors.Is(err, pty.ErrUnsupported):
		return nil, nil, ErrNoTerminal
	case err != nil:
		return nil, nil, fmt.Errorf("opening a pseudo-terminal: %w", err)
	}
	if err := pty.Setsize(window, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil {
		window.Close()
		tty.Close()
		return nil, nil, fmt.Errorf("setting the size of a pseudo-terminal: %w", err)
	}
	return window, tty, nil
}

package proc

import (
	"os"
	"time"
)

// Session is a command in a pseudo-terminal. All functions are required.
type Session struct {
	Command
	Size func() (columns, rows int)
	// Show gets what the command prints. keys: it takes each key as it is pressed,
	// as editors and pagers do.
	Show func(printed []byte, keys bool)
	// Begin is given where keys go, and what to call when the size is another one.
	// What it returns is called in the end.
	Begin func(keys func([]byte), resized func()) (over func())
}

func (s Session) begin(keys func([]byte), resized func()) func() { return s.Begin(keys, resized) }

// drained waits for the rest of the output, for a short time: what the command
// left running may hold its terminal open.
func drained(window *os.File, shown <-chan struct{}) {
	select {
	case <-shown:
		return
	case <-time.After(100 * time.Millisecond):
	}
	_ = window.SetReadDeadline(time.Now())
	select {
	case <-shown:
	case <-time.After(time.Second): // this terminal knows no deadlines
		_ = window.Close()
	}
}

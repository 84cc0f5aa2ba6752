package proc

import (
	"os"
	"time"
)

// Session is a command in a pseudo-terminal. All functions are required.
type Session struct {
	Command
	Size func() (columns, rows int)
	// Show receives the command's output. keys means that the command reads single
	// keys, as editors and pagers do.
	Show func(printed []byte, keys bool)
	// Begin receives a function that sends keys, and one to call when the size has
	// changed. The function it returns is called at the end.
	Begin func(keys func([]byte), resized func()) (over func())
}

func (s Session) begin(keys func([]byte), resized func()) func() { return s.Begin(keys, resized) }

// drained waits briefly for the rest of the output, because processes that the command
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
	case <-time.After(time.Second): // this terminal does not support deadlines
		_ = window.Close()
	}
}

package chat

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"time"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

// console is the chat's terminal, in which commands and questions print, warn and work.
// Its work ends when the user interrupts it.
type console struct {
	ctx     context.Context // ends when a signal ends the program
	sys     *app.System
	term    *terminal.Terminal
	view    *terminal.View
	noticed func(text string) // called with each warning; may be nil
	theme   string            // set by /theme; empty if it was not used
	left    string            // the reason for SessionEnd; empty while the chat goes on

	interrupted atomic.Int64 // time of the last ^C, in nanoseconds
	quits       atomic.Bool  // ^C was pressed twice during work
}

// againTime is how soon a second ^C must follow the first one to leave the chat.
const againTime = 3 * time.Second

// work runs f until it ends or the user interrupts it.
func (t *console) work(what string, f func(ctx context.Context)) {
	ctx, cancel := context.WithCancelCause(t.ctx)
	defer cancel(nil)
	t.view.Work(what, func(ctrlC bool) { t.interrupt(cancel, ctrlC) }, func() { f(ctx) })
	if t.quits.Load() {
		t.left = "prompt_input_exit"
	}
}

// interrupt stops the current work. A second ^C in a row also leaves the chat.
func (t *console) interrupt(stop context.CancelCauseFunc, ctrlC bool) {
	if ctrlC && t.again() {
		t.quits.Store(true)
	}
	stop(exit.ErrInterrupted)
}

// again records a ^C, and reports whether it closely follows another.
func (t *console) again() bool {
	now := time.Now().UnixNano()
	return now-t.interrupted.Swap(now) < int64(againTime)
}

func (t *console) warn(text string) { t.term.Print(t.warning(text)) }

// warning formats a warning, and passes it to noticed.
func (t *console) warning(text string) string {
	if t.noticed != nil {
		t.noticed(text)
	}
	return t.term.Warning(t.term.Wrap("! " + terminal.Clean(text)))
}

// captured runs f with a System of its own, and shows what f writes to it.
func (t *console) captured(f func(sys *app.System) error) error {
	var b bytes.Buffer
	sys := *t.sys
	sys.Stdout, sys.Stderr = &b, &b
	err := f(&sys)
	if b.Len() > 0 {
		t.term.Print(terminal.Clean(strings.TrimRight(b.String(), "\n")))
	}
	return err
}

// rows prints a table. The first row is its heading. Without other rows it prints
// empty.
func (t *console) rows(rows [][]string, empty string) {
	if len(rows) == 1 {
		t.term.Print(empty)
		return
	}
	text.Align(rows)
	for i, row := range rows {
		text := terminal.Clean(strings.TrimRight(strings.Join(row, "  "), " "))
		if i == 0 {
			text = t.term.Dim(text)
		}
		t.term.Print(text)
	}
}

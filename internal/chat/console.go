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

// console is the chat's terminal. Commands and questions print, warn and work
// in it; what works there ends when the user interrupts it.
type console struct {
	ctx     context.Context // ends when a signal ends the program
	sys     *app.System
	term    *terminal.Terminal
	view    *terminal.View
	noticed func(text string) // hears each warning; may be nil
	theme   string            // what /theme set; empty: nothing
	left    string            // the reason of SessionEnd; empty: the chat goes on

	interrupted atomic.Int64 // time of the last ^C, in nanoseconds
	quits       atomic.Bool  // ^C was pressed twice during work
}

// againTime is how soon a second ^C must follow the first one to leave the
// chat.
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

// interrupt stops the current work; the second ^C in a row leaves the chat too.
func (t *console) interrupt(stop context.CancelCauseFunc, ctrlC bool) {
	if ctrlC && t.again() {
		t.quits.Store(true)
	}
	stop(exit.ErrInterrupted)
}

// again records a ^C, and reports whether it follows another one closely.
func (t *console) again() bool {
	now := time.Now().UnixNano()
	return now-t.interrupted.Swap(now) < int64(againTime)
}

func (t *console) warn(text string) { t.term.Print(t.warning(text)) }

// warning returns a warning as lines to show. Whoever hears warnings hears it.
func (t *console) warning(text string) string {
	if t.noticed != nil {
		t.noticed(text)
	}
	return t.term.Warning(t.term.Wrap("! " + terminal.Clean(text)))
}

// captured shows what f writes to a System of its own.
func (t *console) captured(f func(sys *app.System) error) error {
	var b bytes.Buffer
	sys := *t.sys
	sys.Stdout, sys.Stderr = &b, &b
	err := f(&sys)
	t.term.Print(terminal.Clean(strings.TrimRight(b.String(), "\n")))
	return err
}

// rows prints a table; the first row is its head.
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

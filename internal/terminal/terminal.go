// Package terminal is the chat's window: one reader of the keyboard, one writer of
// the screen. It shows events as they happen, asks questions, and keeps foreign text
// from controlling the terminal. It knows nothing of sessions and settings: callers
// supply what to show and decide what answers mean. No other package imports the line
// editor.
//
// The rules:
//
//   - What was printed stays. Only the frame below it is redrawn: the prompt, a
//     question, or what is being waited for.
//   - Text from models, tools, hooks and files goes through Clean first.
//   - What is typed while the agent works waits for the next prompt and never
//     answers a question. What is typed within a dialogue stays in it.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
	"github.com/chzyer/readline"
	"golang.org/x/term"
)

// Options configures a [Terminal]. In and Out are required.
type Options struct {
	In     *os.File
	Out    *os.File
	Getenv func(string) string // nil: no variable is set
	Vim    bool                // vi keys
	Theme  string              // background that the colours are for, "light" or "dark"; if empty, the terminal is asked
	Fixed  bool                // the window's size never changes and there is no job control, so no signals are handled
	// Complete returns completions of line, best first, and how many characters at its
	// end they replace. line is everything before the cursor. If nil, nothing is
	// suggested. It is called from any goroutine while Prompt runs. If ctx ends before
	// it returns, its result is dropped.
	Complete func(ctx context.Context, line string) (all []Suggestion, replaced int)
	// Compose lets the user write a prompt in an external editor (^G, ^X ^E) and
	// returns it. If nil, the keys do nothing.
	Compose func(text string) (string, error)
	// Focus is called when the window gains or loses the focus, on terminals that
	// report it. If nil, no reports are requested. It is called from the keyboard
	// reader's goroutine.
	Focus func(focused bool)
	// Cycle is called for Shift+Tab at the prompt. If nil, the key does nothing. It is
	// called from the keyboard reader's goroutine.
	Cycle func()
	// Guard, if not nil, restores the terminal when the program cannot. Close releases
	// it.
	Guard *Guard
}

// Terminal is the window. Its methods may be called from any goroutine, but only one
// Prompt may run at a time.
type Terminal struct {
	o        Options
	style    style
	before   *readline.State // state of the terminal before Open
	keys     *keyboard
	screen   *screen
	dialogue chan struct{} // a semaphore of one
	line     *readline.Instance
	edit     *editor
	history  history // used by one Prompt at a time
	restore  func()
	unwatch  func()
	columns  func() (columns, rows int) // the size of a simulated window; if nil, Out is asked

	away    atomic.Bool // another program uses the terminal
	mu      sync.Mutex
	status  Status
	resized func() // called for the program that has the keys; may be nil
}

// Open takes over the terminal. Keys are read unbuffered until Close, which the caller
// must call whatever happens, even after a panic.
func Open(o Options) (*Terminal, error) {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	o.Guard.arm()
	state, err := readline.MakeRaw(int(o.In.Fd()))
	if err != nil {
		return nil, fmt.Errorf("reading keys from the terminal: %w", err)
	}
	colours, known := styleFor(o.Getenv, o.Theme)
	t := &Terminal{o: o, style: colours, before: state, dialogue: make(chan struct{}, 1)}
	t.screen = &screen{out: o.Out, size: t.Size, dumb: t.style.dumb, reflows: reflows(o.Getenv)}
	t.restore = sync.OnceFunc(func() {
		t.unwatch()
		t.keys.hangup()
		t.keys.pause()
		t.release()
		o.Guard.Release()
	})
	t.unwatch = func() {}
	t.keys = newKeyboard(o.In, o.Vim)
	t.keys.focus, t.keys.cycle = o.Focus, o.Cycle
	if err := t.openLine(); err != nil {
		t.restore()
		return nil, err
	}
	if !o.Fixed {
		t.unwatch = t.watch()
	}
	t.screen.signal(t.switches(true))
	t.keys.resume()
	if name := o.Getenv("TERM"); !known && !colours.plain && name != "linux" && name != "vt100" {
		t.keys.expectBackground(colours.light.Store)
		t.screen.signal(askBackground)
	}
	return t, nil
}

// switches returns the sequences that turn the terminal's reports on or off.
func (t *Terminal) switches(on bool) string {
	switch {
	case t.style.dumb:
		return ""
	case on && t.o.Focus != nil:
		return "\x1b[?2004h\x1b[?1004h" // bracketed pastes, and reports of the focus
	case on:
		return "\x1b[?2004h"
	case t.o.Focus != nil:
		return "\x1b[?1004l\x1b[?2004l"
	}
	return "\x1b[?2004l"
}

// release restores the terminal to its state before Open or takeOver.
func (t *Terminal) release() {
	t.screen.yield(true)
	t.screen.signal(t.switches(false))
	_ = readline.Restore(int(t.o.In.Fd()), t.before) // the terminal may be gone
}

// takeOver undoes release.
func (t *Terminal) takeOver() error {
	_, err := readline.MakeRaw(int(t.o.In.Fd()))
	t.screen.signal(t.switches(true))
	t.screen.yield(false)
	return err
}

// Close stops reading keys and restores the terminal. Only the first call has
// an effect.
func (t *Terminal) Close() { t.restore() }

// Hangup ends the current prompt or question, and all later ones.
func (t *Terminal) Hangup() { t.keys.hangup() }

// Width returns the number of columns, at least 10, or 80 if it is unknown.
func (t *Terminal) Width() int {
	columns, _ := t.Size()
	return columns
}

// Size returns the size of the window, or 80 columns and 24 rows if it is unknown.
func (t *Terminal) Size() (columns, rows int) {
	if t.columns != nil {
		return t.columns()
	}
	columns, rows, err := term.GetSize(int(t.o.Out.Fd()))
	if err != nil || columns <= 0 || rows <= 0 {
		return 80, 24
	}
	return max(columns, 10), rows
}

// reflows reports whether the terminal rewraps lines when its window becomes narrower.
// Most do, and the others can be recognized.
func reflows(getenv func(string) string) bool {
	name := getenv("TERM")
	return getenv("XTERM_VERSION") == "" && getenv("STY") == "" && name != "linux" && name != "vt100"
}

// Print writes our own text on lines of its own. It may contain styles. Text from
// elsewhere in it must have been cleaned with [Clean].
func (t *Terminal) Print(text string) { t.screen.lines(text) }

// Clear clears the screen and the scrollback.
func (t *Terminal) Clear() { t.screen.clear(true) }

// Copy puts text on the terminal's clipboard (OSC 52). It returns false if the terminal
// is dumb. Other terminals may still ignore the request.
func (t *Terminal) Copy(text string) bool {
	if !t.style.dumb {
		t.screen.signal(setClipboard(text))
	}
	return !t.style.dumb
}

// RunOutside runs f, which runs another program, with the terminal as it was before
// Open.
func (t *Terminal) RunOutside(f func() error) error {
	t.keys.pause()
	defer t.keys.resume()
	t.away.Store(true)
	defer t.away.Store(false)
	t.release()
	err := f()
	return errors.Join(err, t.takeOver())
}

// Signal writes one of our own sequences that shows nothing.
func (t *Terminal) Signal(sequence string) { t.screen.signal(sequence) }

// Write writes a piece of cleaned text without a line end.
func (t *Terminal) Write(text string) { t.screen.write(text) }

// Wrap breaks text between words at the window's width.
func (t *Terminal) Wrap(text string) string { return ansi.Wrap(text, t.Width()-3, "") }

// Package terminal is the chat's window: one reader of the keyboard, one writer
// of the screen. It shows what happens as it comes, asks what has to be asked,
// and keeps everything that is not ours from acting upon the terminal. It knows
// no session and no settings: what it shows and what answers mean arrives from
// outside. It is the one importer of the line editor.
//
// The rules:
//   - What was printed stays: only the frame below it is drawn again, which is
//     the prompt, a question, or what is waited for.
//   - Text of models, tools, hooks and files goes through Clean first.
//   - What is typed while the agent works waits for the next prompt; it never
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
	Theme  string              // for which background colours are: "light" or "dark"; empty: the terminal is asked
	Fixed  bool                // the size of the window never changes, and there is no job control: no signals are handled
	// Complete returns what the end of line may become, the best first, and how
	// many characters of line that replaces; line is everything before the
	// cursor. nil: nothing is suggested. It is called while Prompt runs, from any
	// goroutine; what comes of a call whose ctx ended is dropped.
	Complete func(ctx context.Context, line string) (all []Suggestion, replaced int)
	// Compose lets the user write a prompt in a program of their own (^G, ^X ^E),
	// and returns it; nil: the keys do nothing.
	Compose func(text string) (string, error)
	// Focus is called when the window got the focus, or lost it, by terminals
	// that report it; nil: reports are not requested. It is called from the
	// reader of the keyboard.
	Focus func(focused bool)
	// Cycle is called for Shift+Tab at the prompt; nil: the key does nothing. It
	// is called from the reader of the keyboard.
	Cycle func()
	// Guard restores the terminal when nobody else can; nil: nobody does. Close
	// releases it.
	Guard *Guard
}

// Terminal is the window. Its methods may be called from any goroutine, but
// only one prompt at a time.
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
	columns  func() (columns, rows int) // the size of a window that is not there; nil: Out says it

	away    atomic.Bool // another program uses the terminal
	mu      sync.Mutex
	status  Status
	resized func() // of a program that has the keys; nil: none
}

// Open takes over the terminal: from here on keys are read unbuffered, until
// Close. The caller must close it whatever happens, panics included.
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

// switches returns the sequences that turn reports of the terminal on or off.
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

// release leaves the terminal as it was before Open, or before takeOver.
func (t *Terminal) release() {
	t.screen.yield(true)
	t.screen.signal(t.switches(false))
	_ = readline.Restore(int(t.o.In.Fd()), t.before) // the terminal may be gone
}

// takeOver is the opposite of release.
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

// Width returns the number of columns, at least 10; 80 if it is unknown.
func (t *Terminal) Width() int {
	columns, _ := t.Size()
	return columns
}

// Size is the size of the window; 80 columns and 24 rows if it is unknown.
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

// reflows reports whether the terminal rewraps lines when its window becomes
// narrower. Most do; those that do not can be recognized.
func reflows(getenv func(string) string) bool {
	name := getenv("TERM")
	return getenv("XTERM_VERSION") == "" && getenv("STY") == "" && name != "linux" && name != "vt100"
}

// Print writes our own text on lines of its own. It may contain styles; text of
// others in it must have been cleaned with [Clean].
func (t *Terminal) Print(text string) { t.screen.lines(text) }

// Clear clears the screen and the scrollback.
func (t *Terminal) Clear() { t.screen.clear(true) }

// Copy puts text on the clipboard of the terminal (OSC 52). Some terminals
// refuse; false: this one has none that could be reached.
func (t *Terminal) Copy(text string) bool {
	if !t.style.dumb {
		t.screen.signal(setClipboard(text))
	}
	return !t.style.dumb
}

// RunOutside runs f with the terminal as it was before Open, for another
// program.
func (t *Terminal) RunOutside(f func() error) error {
	t.keys.pause()
	defer t.keys.resume()
	t.away.Store(true)
	defer t.away.Store(false)
	t.release()
	err := f()
	return errors.Join(err, t.takeOver())
}

// Signal writes a sequence of our own that shows nothing.
func (t *Terminal) Signal(sequence string) { t.screen.signal(sequence) }

// Write writes a piece of cleaned text without a line end.
func (t *Terminal) Write(text string) { t.screen.write(text) }

// Wrap breaks text between words at the window's width.
func (t *Terminal) Wrap(text string) string { return ansi.Wrap(text, t.Width()-3, "") }

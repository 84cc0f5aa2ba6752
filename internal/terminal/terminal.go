// Package terminal is the chat's window: one reader of the keyboard, one writer
// of the screen. It shows what happens as it comes, asks what has to be asked,
// and keeps everything that is not ours from acting upon the terminal. It knows
// no session and no settings: what it shows and what answers mean arrives from
// outside. It is the one importer of the line editor.
//
// The rules:
//   - What was printed stays: only the last line, the status, is drawn again.
//   - Text of models, tools, hooks and files goes through Clean first.
//   - What is typed while the agent works waits for the next prompt; it never
//     answers a question.
package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/chzyer/readline"
	"golang.org/x/term"
)

// Options is what a Terminal is made of. In and Out are required.
type Options struct {
	In     *os.File
	Out    *os.File
	Getenv func(string) string // nil: no variable is set
	Vim    bool                // edit as vi does
	Fixed  bool                // the window never changes its size: no signal is listened to
	// Complete offers what may stand for the end of line, which is all before the
	// cursor; nil: nothing. It returns what would be added, and how many
	// characters of line that goes on from.
	Complete func(line string) (endings []string, shared int)
}

// Terminal is the window. Its methods may be called from any goroutine, but
// prompts and questions come one at a time.
type Terminal struct {
	o       Options
	style   style
	before  *readline.State // how the terminal was
	keys    *keyboard
	screen  *screen
	line    *readline.Instance
	restore func()
}

// Open takes over the terminal: from here on keys are read unbuffered, until
// Close. The caller closes it whatever happens, panics included.
func Open(o Options) (*Terminal, error) {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	state, err := readline.MakeRaw(int(o.In.Fd()))
	if err != nil {
		return nil, fmt.Errorf("reading keys from the terminal: %w", err)
	}
	t := &Terminal{o: o, style: styleFor(o.Getenv), before: state}
	t.screen = &screen{out: o.Out, width: t.Width, dumb: t.style.dumb}
	t.restore = sync.OnceFunc(func() {
		t.keys.hangup()
		t.keys.pause()
		t.screen.setStatus("")
		if !t.style.dumb {
			_, _ = io.WriteString(o.Out, "\x1b[?2004l")
		}
		_ = readline.Restore(int(o.In.Fd()), state)
	})
	t.keys = newKeyboard(o.In, o.Vim)
	if err := t.openLine(); err != nil {
		t.restore()
		return nil, err
	}
	if !t.style.dumb {
		_, _ = io.WriteString(o.Out, "\x1b[?2004h") // pastes come in brackets
	}
	return t, nil
}

// Close stops reading keys and gives the terminal back as it was. Only the
// first call does anything.
func (t *Terminal) Close() { t.restore() }

// Hangup ends the prompt or the question that waits, and all later ones.
func (t *Terminal) Hangup() { t.keys.hangup() }

// Width is the number of columns, at least 10; 80 where it is not known.
func (t *Terminal) Width() int {
	w, _, err := term.GetSize(int(t.o.Out.Fd()))
	if err != nil || w <= 0 {
		return 80
	}
	return max(w, 10)
}

// Print writes text of ours, on lines of its own. Colours are the caller's,
// everything else must have been through Clean.
func (t *Terminal) Print(text string) { t.screen.lines(text) }

// Clear empties the screen.
func (t *Terminal) Clear() {
	if !t.style.dumb {
		t.screen.write("\x1b[H\x1b[2J\x1b[3J")
	}
}

// Copy puts text on the clipboard of the terminal (OSC 52). Some terminals
// refuse.
func (t *Terminal) Copy(text string) { t.screen.signal(setClipboard(text)) }

// Aside runs f with the terminal as it was before Open: for another program.
func (t *Terminal) Aside(f func() error) error {
	fd := int(t.o.In.Fd())
	t.screen.setStatus("")
	t.keys.pause()
	defer t.keys.resume()
	if err := readline.Restore(fd, t.before); err != nil {
		return fmt.Errorf("giving the terminal away: %w", err)
	}
	err := f()
	_, rawErr := readline.MakeRaw(fd)
	return errors.Join(err, rawErr)
}

// Signal writes a sequence of ours that shows nothing.
func (t *Terminal) Signal(sequence string) { t.screen.signal(sequence) }

// Write writes a piece of text that has been through Clean, as it comes.
func (t *Terminal) Write(text string) { t.screen.write(text) }

// History keeps prompts in a file, and offers those that are there already.
func (t *Terminal) History(path string) {
	_ = os.MkdirAll(filepath.Dir(path), 0o700) // without it there is no history
	t.line.SetHistoryPath(path)
}

// Wrap breaks text between words where the window ends.
func (t *Terminal) Wrap(text string) string { return t.wrap(text) }

func (t *Terminal) wrap(text string) string { return ansi.Wrap(text, t.Width()-3, "") }

package testbed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hinshun/vt10x"

	"minigem/internal/proc"
)

// The window of a case. The emulator is taller than what the program is told, so
// that a line wraps over as many rows as it needs.
const (
	windowColumns = 80
	windowRows    = 24
	emulatorRows  = 2000
	// windowFull is the row of the cursor from which on the rows that are out of
	// the program's reach are moved from the emulator to window.past.
	windowFull = 8 * windowRows
)

// ready is what stands in an empty prompt (docs/spec/contract.md 9).
const ready = ">   Type your message or @path/to/file"

// window is the terminal of a case: the keyboard of its user, and what they
// would see. Its methods are for one goroutine, except those of the program.
type window struct {
	keys, tty *os.File
	columns   int

	mu      sync.Mutex
	screen  vt10x.Terminal
	changed chan struct{} // closed at each change
	read    chan struct{} // closed when nothing more will come
	moves   bool          // the program has sent an escape sequence: its terminal is not a dumb one
	seen    spot          // where the last wait found what it waited for

	past strings.Builder // the lines above those of the emulator
	rows int             // that were theirs
	from int             // where the last wait ended in past; below 0: at seen
}

// spot is a place in the emulator: behind text, which ends at offset of the line
// that begins in row.
type spot struct {
	row, offset int
	text        string
	above       []shown // the lines above it; nil: row alone counts
}

// openWindow makes a window of so many columns.
func openWindow(columns int) (*window, error) {
	keys, tty, err := proc.OpenTerminal(columns, windowRows)
	if err != nil {
		return nil, err
	}
	w := &window{keys: keys, tty: tty, columns: columns, changed: make(chan struct{}), read: make(chan struct{}),
		screen: vt10x.New(vt10x.WithSize(columns, emulatorRows)), from: -1}
	go w.watch()
	return w, nil
}

// watch feeds the emulator until the window is closed.
func (w *window) watch() {
	defer close(w.read)
	buf := make([]byte, 4096)
	for {
		n, err := w.keys.Read(buf)
		w.mu.Lock()
		for line := range bytes.SplitAfterSeq(buf[:n], []byte("\n")) {
			w.show(line)
		}
		w.moves = w.moves || bytes.IndexByte(buf[:n], 0x1b) >= 0
		close(w.changed)
		w.changed = make(chan struct{})
		w.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// show gives the emulator a piece of what the program wrote, with a line feed at
// most at its end.
func (w *window) show(piece []byte) {
	_, _ = w.screen.Write(piece) // the emulator takes everything
	at := w.screen.Cursor()
	switch {
	case w.screen.Mode()&vt10x.ModeAltScreen != 0:
	case at.Y < windowRows && w.rows > 0: // the program has cleared the screen
		w.past.Reset()
		w.seen, w.rows, w.from = spot{}, 0, -1
	case at.Y >= windowFull && bytes.HasSuffix(piece, []byte("\n")): // no sequence is open after a line feed
		w.retire(at)
	}
}

// retire moves the lines that the program can no longer reach from the emulator to
// w.past. The cursor is at.
func (w *window) retire(at vt10x.Cursor) {
	lines := w.lines()
	seen, offset := w.behind(lines)
	gone := 0
	for i := 0; i+1 < len(lines) && lines[i+1].row <= w.rows+at.Y-2*windowRows; i++ {
		if i == seen && w.from < 0 {
			w.from = w.past.Len() + offset
		}
		w.past.WriteString(lines[i].text + "\n")
		gone = lines[i+1].row - w.rows
	}
	if gone > 0 {
		w.rows += gone
		_, _ = fmt.Fprintf(w.screen, "\x1b[H\x1b[%dM\x1b[%d;%dH", gone, at.Y-gone+1, at.X+1)
	}
}

// close closes the window; the program must have ended. What it wrote last is
// read before that: the window ends when nobody has its terminal any more.
func (w *window) close() {
	_ = w.tty.Close()
	<-w.read
	_ = w.keys.Close()
}

// press types keys.
func (w *window) press(keys string) error {
	if _, err := w.keys.WriteString(keys); err != nil {
		return fmt.Errorf("typing: %w", err)
	}
	return nil
}

// shown is a line of the screen, as it was before the window broke it.
type shown struct {
	row  int // of its beginning
	text string
}

// wrapped marks the last cell of a row that goes on in the next one.
const wrapped = 1 << 6 // vt10x keeps the name to itself

// lines are those of the screen, without blanks at their ends.
func (w *window) lines() []shown {
	var out []shown
	var b strings.Builder
	goesOn := false
	for y := range min(emulatorRows, w.screen.Cursor().Y+windowRows) {
		if !goesOn {
			out = append(out, shown{row: w.rows + y})
			b.Reset()
		}
		for x := range w.columns {
			b.WriteRune(w.screen.Cell(x, y).Char)
		}
		goesOn = w.screen.Cell(w.columns-1, y).Mode&wrapped != 0
		out[len(out)-1].text = strings.TrimRight(b.String(), " \x00")
	}
	for len(out) > 0 && out[len(out)-1].text == "" {
		out = out[:len(out)-1]
	}
	return out
}

// text is all that the screen shows and has shown.
func (w *window) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	b.WriteString(w.past.String())
	for _, l := range w.lines() {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// find looks for text behind what was found last, and remembers where it is.
func (w *window) find(text string) bool {
	lines := w.lines()
	line, offset := w.behind(lines)
	var all strings.Builder
	if w.from >= 0 {
		past := w.past.String()[w.from:]
		if at := strings.Index(past, text); at >= 0 {
			w.from += at + len(text)
			return true
		}
		all.WriteString(past[max(len(past)-len(text), 0):])
	}
	begins := make([]int, len(lines))
	for i, l := range lines {
		begins[i] = all.Len()
		all.WriteString(l.text + "\n")
	}
	from := 0
	if w.from < 0 {
		if line >= len(lines) {
			return false
		}
		from = begins[line] + offset
	}
	at := strings.Index(all.String()[from:], text)
	if at < 0 {
		return false
	}
	end := from + at + len(text)
	for i, begin := range begins {
		if begin < end {
			w.seen = spot{lines[i].row, min(end-begin, len(lines[i].text)), text[strings.LastIndex(text, "\n")+1:], lines[:i:i]}
		}
	}
	w.from = -1
	return true
}

// behind is the place behind what was found last. What was above it may have
// changed since: a question that was answered is one line where it was many, and
// what follows stands higher than the question did. Then everything is new from
// the first line that changed, except what was found if it stands there.
func (w *window) behind(lines []shown) (line, offset int) {
	seen := w.seen
	for line < len(lines) && lines[line].row < seen.row &&
		(seen.above == nil || line < len(seen.above) && lines[line] == seen.above[line]) {
		line++
	}
	if seen.above == nil && w.rows+w.screen.Cursor().Y < seen.row-1 { // the screen was cleared
		return 0, 0
	}
	if line < len(lines) && seen.offset > 0 && len(lines[line].text) >= seen.offset &&
		strings.HasSuffix(lines[line].text[:seen.offset], seen.text) {
		return line, seen.offset
	}
	return line, 0
}

// isReady: the cursor stands in an empty prompt. On a dumb terminal no hint can
// stand in it, as nothing could remove it again.
func (w *window) isReady() bool {
	y := w.rows + w.screen.Cursor().Y
	for _, l := range w.lines() {
		if l.row == y && !w.moves {
			return l.text == ">" && w.screen.Cursor().X == len("> ")
		}
		if l.row == y {
			return len(l.text) >= min(len(ready), w.columns-4) && strings.HasPrefix(ready, l.text)
		}
	}
	return false
}

// submitted: what is waited for next stands below the line of the cursor.
func (w *window) submitted() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen, w.from = spot{row: w.rows + w.screen.Cursor().Y + 1}, -1
}

// endTitle becomes the window's title once the chat has ended. All that the chat
// wrote has come through when the window has it.
const endTitle = "the chat has ended"

// until waits until the screen is as good says. The error says what it was
// waited for in vain: why, and what there is.
func (w *window) until(ctx context.Context, limit time.Duration, ended <-chan struct{}, good func() bool) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		w.mu.Lock()
		ok, last, changed := good(), w.screen.Title() == endTitle, w.changed
		w.mu.Unlock()
		switch {
		case ok:
			return nil
		case last:
			return errors.New("it does not, and the chat has ended")
		}
		select {
		case <-changed:
		case <-ended:
			ended = nil // what it wrote last may be on its way
			if _, err := w.tty.WriteString("\x1b]0;" + endTitle + "\x07"); err != nil {
				return fmt.Errorf("reading the rest of the screen: %w", err)
			}
		case <-w.read:
			return errors.New("it does not, and the terminal is gone")
		case <-timer.C:
			return fmt.Errorf("it does not after %s", limit)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

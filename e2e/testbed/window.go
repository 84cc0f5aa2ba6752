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

// Dimensions of a case's window. The emulator is taller than the size reported to the
// program, so that a long line wraps over as many rows as it needs.
const (
	windowColumns = 80
	windowRows    = 24
	emulatorRows  = 2000
	// When the cursor reaches the row windowFull, the rows that the program can no longer
	// reach are moved from the emulator to window.past.
	windowFull = 8 * windowRows
)

// ready is the placeholder in an empty prompt (docs/spec/contract.md 9).
const ready = ">   Type your message or @path/to/file"

// window is the terminal of a case: the user's keyboard and what the user would see. Its
// methods must be called from one goroutine, except those for the program.
type window struct {
	keys, tty *os.File
	columns   int

	mu      sync.Mutex
	screen  vt10x.Terminal
	changed chan struct{} // closed at each change
	read    chan struct{} // closed when there is no more output
	moves   bool          // the program has sent an escape sequence, so its terminal is not a dumb one
	seen    spot          // where the last wait found its text

	past strings.Builder // the lines above the emulator's
	rows int             // the number of rows of past
	from int             // where the last wait ended in past; negative: at seen
}

// spot is a position in the emulator: just after text, which ends at offset of the line
// that begins in row.
type spot struct {
	row, offset int
	text        string
	above       []shown // the lines above it; nil: only row counts
}

// openWindow opens a window with this many columns.
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

// show writes a piece of the program's output to the emulator. A line feed may only be at
// its end.
func (w *window) show(piece []byte) {
	_, _ = w.screen.Write(piece) // the emulator takes everything
	at := w.screen.Cursor()
	switch {
	case w.screen.Mode()&vt10x.ModeAltScreen != 0:
	case at.Y < windowRows && w.rows > 0: // the program has cleared the screen
		w.past.Reset()
		w.seen, w.rows, w.from = spot{}, 0, -1
	case at.Y >= windowFull && bytes.HasSuffix(piece, []byte("\n")): // no escape sequence is incomplete after a line feed
		w.retire(at)
	}
}

// retire moves the lines that the program can no longer reach from the emulator to w.past.
// at is the cursor.
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

// close closes the window. The program must have ended. close waits until the remaining
// output has been read, which is when no process has the terminal open any more.
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

// shown is a line of the screen, with the window's line breaks undone.
type shown struct {
	row  int // where it begins
	text string
}

// wrapped marks the last cell of a row that continues in the next one.
const wrapped = 1 << 6 // not exported by vt10x

// lines returns the lines of the screen, without trailing blanks.
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

// text returns everything that the screen shows or has shown.
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

// find looks for text after what was found last, and remembers its position.
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

// behind returns the position after what was found last. The lines above may have changed
// since: an answered question shrinks from many lines to one, and what follows moves up.
// Then everything from the first changed line on is new, except the found text if it is
// still there.
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

// isReady reports whether the cursor is in an empty prompt. On a dumb terminal an empty
// prompt has no placeholder, because it could not be erased again.
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

// rests reports whether an empty prompt follows what was submitted or found last.
func (w *window) rests() bool { return w.isReady() && w.rows+w.screen.Cursor().Y >= w.seen.row }

// submitted makes the next wait search below the line of the cursor.
func (w *window) submitted() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen, w.from = spot{row: w.rows + w.screen.Cursor().Y + 1}, -1
}

// endTitle becomes the window's title once the chat has ended. When the window has it, all
// output of the chat has arrived.
const endTitle = "the chat has ended"

// until waits until good returns true. The error says why the wait failed.
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
			ended = nil // its last output may still be on its way
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

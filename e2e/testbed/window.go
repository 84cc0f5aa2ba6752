package testbed

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hinshun/vt10x"

	"minigem/internal/proc"
)

// The window of a case. The emulator is taller than what the program is told,
// so that what scrolls out of sight is still known.
const (
	windowColumns = 80
	windowRows    = 24
	windowKept    = 2000
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
}

// spot is a place on the screen: behind text, which ends at offset of the line
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
		screen: vt10x.New(vt10x.WithSize(columns, windowKept))}
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
		_, _ = w.screen.Write(buf[:n]) // the emulator takes everything
		w.moves = w.moves || bytes.IndexByte(buf[:n], 0x1b) >= 0
		close(w.changed)
		w.changed = make(chan struct{})
		w.mu.Unlock()
		if err != nil {
			return
		}
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
	for y := range min(windowKept, w.screen.Cursor().Y+windowRows) {
		if !goesOn {
			out = append(out, shown{row: y})
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

// text is all that the screen shows.
func (w *window) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
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
	begins := make([]int, len(lines))
	for i, l := range lines {
		begins[i] = all.Len()
		all.WriteString(l.text + "\n")
	}
	if line >= len(lines) {
		return false
	}
	from := begins[line] + offset
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
	if seen.above == nil && w.screen.Cursor().Y < seen.row-1 { // the screen was cleared
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
	y := w.screen.Cursor().Y
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
	w.seen = spot{row: w.screen.Cursor().Y + 1}
}

// until waits until the screen is as good says. The error says what it was
// waited for in vain: why, and what there is.
func (w *window) until(ctx context.Context, limit time.Duration, ended <-chan struct{}, good func() bool) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		w.mu.Lock()
		ok, changed := good(), w.changed
		w.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ended:
			return w.lastLook(good)
		case <-timer.C:
			return fmt.Errorf("it does not after %s", limit)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// endTitle is what the window is called once a chat has ended: its last words
// have come through when the window bears it.
const endTitle = "the chat has ended"

// lastLook looks at what a chat left behind.
func (w *window) lastLook(good func() bool) error {
	if _, err := w.tty.WriteString("\x1b]0;" + endTitle + "\x07"); err != nil {
		return fmt.Errorf("reading the rest of the screen: %w", err)
	}
	for {
		w.mu.Lock()
		ok, all, changed := good(), w.screen.Title() == endTitle, w.changed
		w.mu.Unlock()
		switch {
		case ok:
			return nil
		case all:
			return fmt.Errorf("it does not, and the chat has ended")
		}
		select {
		case <-changed:
		case <-w.read:
			return fmt.Errorf("it does not, and the terminal is gone")
		}
	}
}

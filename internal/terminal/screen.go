package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// frame is the part of the screen below everything that was printed: the
// prompt, a question, or the status line. Only the frame is drawn again when it
// changes.
type frame struct {
	rows     []string // each narrower than the window by at least one column
	row, col int      // position of the cursor
	flat     string   // the frame for dumb terminals; if empty, they show nothing
}

// drawing makes the frame for a window of width columns and height rows. Taller frames
// are cut.
type drawing func(width, height int) frame

// screen is the only writer to the terminal. It writes text, and below it a frame that
// is erased before anything else is written.
type screen struct {
	out     io.Writer
	size    func() (columns, rows int)
	dumb    bool // the terminal supports no sequences
	reflows bool // the terminal rewraps lines when it becomes narrower

	mu    sync.Mutex
	live  drawing // nil if there is no frame
	drawn *frame  // what the terminal shows; nil if nothing
	width int     // the window width it was drawn for
	flat  string  // what a dumb terminal shows of it
	mid   bool    // the last line has no newline yet
	text  bool    // the last line is not blank
	off   bool    // another program uses the terminal
}

// write continues the last line.
func (s *screen) write(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(text)
}

// signal writes a sequence that does not move the cursor.
func (s *screen) signal(sequence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.out, sequence) // as in put
}

// lines writes text on lines of its own. An empty text ends the open line. If text
// begins with a blank line, no second one is added.
func (s *screen) lines(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	s.addLines(&b, text)
	s.flush(&b)
}

// present replaces the frame and writes text above it, as lines does, in one write. It
// calls first, if not nil, right before that write.
func (s *screen) present(text string, live drawing, first func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	s.live = nil
	s.draw(&b)
	s.addLines(&b, text)
	s.live = live
	s.draw(&b)
	if first != nil {
		first()
	}
	s.flush(&b)
}

func (s *screen) addLines(b *strings.Builder, text string) {
	if s.mid {
		s.add(b, "\n")
	}
	if !s.text {
		text = strings.TrimPrefix(text, "\n")
	}
	if text == "" {
		return
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	s.add(b, text)
}

func (s *screen) put(text string) {
	var b strings.Builder
	s.add(&b, text)
	s.flush(&b)
}

func (s *screen) add(b *strings.Builder, text string) {
	text = sanitized(text)
	s.erase(b)
	if s.dumb && s.live != nil && s.flat != "" && text != "" { // the typewriter goes on below, and types the frame again
		s.flat = ""
		if !strings.HasPrefix(text, "\n") {
			b.WriteByte('\n')
		}
	}
	b.WriteString(text)
	if text != "" {
		last := text[strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n')+1:]
		s.text = last != "\n" || s.mid && text == last
		s.mid = !strings.HasSuffix(text, "\n")
	}
	s.draw(b)
}

func (s *screen) flush(b *strings.Builder) {
	if b.Len() > 0 {
		_, _ = io.WriteString(s.out, b.String()) // a terminal that is gone sends a hangup
	}
}

// show replaces the frame. A nil drawing removes it.
func (s *screen) show(live drawing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = live
	var b strings.Builder
	s.draw(&b)
	s.flush(&b)
}

// commit replaces the frame with text that stays. An empty text just removes it.
func (s *screen) commit(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = nil
	if s.dumb {
		end := ""
		if s.flat != "" {
			end = "\n"
		}
		s.flat, s.text = "", true
		_, _ = io.WriteString(s.out, end) // it is already there
		return
	}
	s.put(text)
}

// redraw draws the frame again, because the window may have been resized or the frame
// overwritten.
func (s *screen) redraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	s.erase(&b)
	s.draw(&b)
	s.flush(&b)
}

// clear clears the window, and with all the scrollback too.
func (s *screen) clear(all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dumb || s.off {
		return
	}
	var b strings.Builder
	b.WriteString("\x1b[H\x1b[2J")
	if all {
		b.WriteString("\x1b[3J")
	}
	s.drawn, s.mid, s.text = nil, false, false
	s.draw(&b)
	s.flush(&b)
}

// yield erases the frame and stops drawing it, or starts drawing again if yes is false.
func (s *screen) yield(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	if yes {
		s.erase(&b)
		s.flat = ""
	}
	s.off = yes
	s.draw(&b)
	s.flush(&b)
}

// erase erases the drawn frame.
func (s *screen) erase(b *strings.Builder) {
	if s.dumb || s.drawn == nil {
		return
	}
	up := s.drawn.row
	if width, _ := s.size(); s.reflows && width < s.width {
		for _, row := range s.drawn.rows[:s.drawn.row] {
			up += max(ansi.StringWidth(row)-1, 0) / width
		}
		up += s.drawn.col / width
	}
	move(b, -up, 0)
	b.WriteString("\x1b[J")
	s.drawn = nil
}

// draw updates the drawn frame, with as little output as possible.
func (s *screen) draw(b *strings.Builder) {
	if s.dumb {
		s.drawDumb(b)
		return
	}
	width, height := s.size()
	if s.drawn != nil && (width != s.width || s.live == nil || s.mid || s.off) {
		s.erase(b)
	}
	if s.live == nil || s.mid || s.off {
		return
	}
	height = max(height-1, 1)
	next := s.live(width, height).cutFrame(height)
	for i, row := range next.rows {
		next.rows[i] = sanitized(row)
	}
	old := frame{rows: []string{""}}
	if s.drawn != nil {
		old = *s.drawn
	}
	next.drawDiff(b, old)
	s.drawn, s.width = &next, width
}

// drawDiff writes the difference between f and old. The cursor is where old left it.
func (f frame) drawDiff(b *strings.Builder, old frame) {
	at, col := old.row, old.col
	for i, row := range f.rows {
		if i < len(old.rows) && row == old.rows[i] {
			continue
		}
		if last := len(old.rows) - 1; i > last && at < last {
			move(b, last-at, 0)
			at = last
		}
		if i >= len(old.rows) { // the cursor cannot move below it
			b.WriteString(strings.Repeat("\n", i-at))
			at = i
		}
		move(b, i-at, 0)
		at = i
		b.WriteString(row)
		if i < len(old.rows) {
			b.WriteString("\x1b[K")
		}
		col = -1
	}
	if len(f.rows) < len(old.rows) {
		move(b, len(f.rows)-at, 0)
		b.WriteString("\x1b[J")
		at, col = len(f.rows), 0
	}
	if at != f.row || col != f.col {
		move(b, f.row-at, f.col)
	}
}

// cutFrame cuts a frame to height rows around the cursor.
func (f frame) cutFrame(height int) frame {
	if len(f.rows) <= height {
		return f
	}
	from := min(max(f.row-height+1, 0), len(f.rows)-height)
	f.rows, f.row = f.rows[from:from+height], f.row-from
	return f
}

// move moves the cursor down, or up, and to a column.
func move(b *strings.Builder, down, col int) {
	b.WriteByte('\r')
	switch {
	case down < 0:
		fmt.Fprintf(b, "\x1b[%dA", -down)
	case down > 0:
		fmt.Fprintf(b, "\x1b[%dB", down)
	}
	if col > 0 {
		fmt.Fprintf(b, "\x1b[%dC", col)
	}
}

// drawDumb writes a frame like a typewriter: only the added text, or everything on a
// new line.
func (s *screen) drawDumb(b *strings.Builder) {
	if s.live == nil || s.mid || s.off {
		return
	}
	next := sanitized(s.live(1<<16, 1<<16).flat)
	old := s.flat
	s.flat = next
	added, grown := strings.CutPrefix(next, old)
	lost, shrunk := strings.CutPrefix(old, next)
	switch {
	case old != "" && grown:
		b.WriteString(added)
	case old != "" && next != "" && shrunk:
		n := ansi.StringWidth(lost)
		b.WriteString(strings.Repeat("\b", n) + strings.Repeat(" ", n) + strings.Repeat("\b", n))
	case old != "":
		b.WriteString("\n" + next)
	default:
		b.WriteString(next)
	}
}

package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// A frame is what stands below all that was printed: the prompt, a question, or
// what is waited for. It is drawn again when it changes; nothing else is.
type frame struct {
	rows     []string // none wider than the window less one column
	row, col int      // of the cursor
	flat     string   // the same for terminals that know no sequences; empty: they are shown nothing
}

// A drawing makes the frame for a window of width columns and height rows; what
// is higher is cut.
type drawing func(width, height int) frame

// screen is the one writer of the terminal: text, and below it a frame that is
// wiped before anything else is written.
type screen struct {
	out     io.Writer
	size    func() (columns, rows int)
	dumb    bool // the terminal knows no sequences
	reflows bool // the terminal breaks lines anew when it becomes narrower

	mu    sync.Mutex
	live  drawing // nil: there is no frame
	drawn *frame  // what the terminal shows; nil: nothing
	width int     // for which it was drawn
	flat  string  // what a dumb terminal shows of it
	mid   bool    // the last line has no end yet
	off   bool    // the terminal is somebody else's
}

// write writes text where the last one ended.
func (s *screen) write(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(text)
}

// signal writes a sequence that moves nothing.
func (s *screen) signal(sequence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.out, sequence) // as in put
}

// lines writes text on lines of its own; empty: ends the line that is open.
func (s *screen) lines(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mid {
		text = "\n" + text
	}
	if text == "" {
		return
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	s.put(text)
}

func (s *screen) put(text string) {
	var b strings.Builder
	text = inert(text)
	s.erase(&b)
	b.WriteString(text)
	if text != "" {
		s.mid = !strings.HasSuffix(text, "\n")
	}
	s.draw(&b)
	s.flush(&b)
}

func (s *screen) flush(b *strings.Builder) {
	if b.Len() > 0 {
		_, _ = io.WriteString(s.out, b.String()) // a terminal that is gone hangs up
	}
}

// show replaces the frame; nil: there is none.
func (s *screen) show(live drawing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = live
	var b strings.Builder
	s.draw(&b)
	s.flush(&b)
}

// settle turns the frame into text that stays; empty: it is gone.
func (s *screen) settle(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = nil
	if s.dumb {
		end := ""
		if s.flat != "" {
			end = "\n"
		}
		s.flat = ""
		_, _ = io.WriteString(s.out, end) // it is there already
		return
	}
	s.put(text)
}

// redraw draws the frame anew: the size of the window may have changed, or what
// it shows was lost.
func (s *screen) redraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	s.erase(&b)
	s.draw(&b)
	s.flush(&b)
}

// clear empties the window, and history with it if all.
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
	s.drawn, s.mid = nil, false
	s.draw(&b)
	s.flush(&b)
}

// yield wipes the frame and keeps it from being drawn, until it is wanted again.
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

// erase wipes what is drawn.
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

// draw brings what is drawn up to date, and writes no more than that takes.
func (s *screen) draw(b *strings.Builder) {
	if s.dumb {
		s.typewrite(b)
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
	next := s.live(width, height).within(height)
	for i, row := range next.rows {
		next.rows[i] = inert(row)
	}
	old := frame{rows: []string{""}}
	if s.drawn != nil {
		old = *s.drawn
	}
	next.over(b, old)
	s.drawn, s.width = &next, width
}

// over writes what differs between f and old, where the cursor is in old.
func (f frame) over(b *strings.Builder, old frame) {
	at, col := old.row, old.col
	for i, row := range f.rows {
		if i < len(old.rows) && row == old.rows[i] {
			continue
		}
		if last := len(old.rows) - 1; i > last && at < last {
			move(b, last-at, 0)
			at = last
		}
		if i >= len(old.rows) { // below it nothing can be moved to
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

// within cuts a frame to a number of rows, around the cursor.
func (f frame) within(height int) frame {
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

// typewrite writes a frame as a typewriter does: what was added, or all of it on a
// new line.
func (s *screen) typewrite(b *strings.Builder) {
	if s.live == nil || s.off {
		return
	}
	next := inert(s.live(1<<16, 1<<16).flat)
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

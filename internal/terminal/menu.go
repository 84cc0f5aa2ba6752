package terminal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/chzyer/readline"
)

// Suggestion is a completion for the end of a line. Its texts must have been cleaned.
type Suggestion struct {
	Text  string // replaces the end of the line
	Label string // shown in the menu
	Help  string
}

// menu shows completions below the line. It opens while the user types a command or a
// name after "@", and never acts by itself: only Tab, or Enter after an arrow key,
// accepts the marked one.
type menu struct {
	open     bool   // the last keys pressed were text
	closed   bool   // closed by Esc, for this word
	line     string // the text before the cursor that all belongs to
	all      []Suggestion
	replaced int // characters before the cursor that a suggestion replaces
	marked   int
	moved    bool // an arrow key moved the mark
	suggesting
}

// suggesting is a search for suggestions, which may be slow in a large folder. The
// prompt never waits for it.
type suggesting struct {
	cancel context.CancelFunc // cancels the running search; may be nil
	asked  string             // the text that is searched for
	done   *sync.WaitGroup
	one    *sync.Mutex // held by the running search, so that only one runs at a time
}

// mostOffered is how many suggestions are shown.
const mostOffered = 8

// worthMenu reports whether a line may have suggestions.
func worthMenu(line string) bool {
	return strings.HasPrefix(line, "/") || strings.Contains(line, "@")
}

func (e *editor) before() string {
	return strings.ReplaceAll(string(e.line[:min(e.pos, len(e.line))]), string(newlineMark), "\n")
}

// suggest starts looking for suggestions if the line changed.
func (e *editor) suggest() {
	m, line := &e.menu, e.before()
	if line == "" {
		m.closed = false
	}
	if m.line != line {
		m.marked, m.moved = 0, false
	}
	if e.t.o.Complete == nil || e.t.style.dumb || !m.open || m.closed || !worthMenu(line) {
		if m.all = nil; m.cancel != nil {
			m.cancel()
			m.cancel = nil
		}
		return
	}
	if m.line == line && m.all != nil || m.cancel != nil && m.asked == line {
		return
	}
	if m.cancel != nil {
		m.cancel()
	}
	if m.done == nil {
		m.done, m.one = &sync.WaitGroup{}, &sync.Mutex{}
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel, m.asked = cancel, line
	one := m.one
	m.done.Go(func() {
		one.Lock()
		defer one.Unlock()
		if ctx.Err() != nil {
			return
		}
		all, replaced := e.t.o.Complete(ctx, line)
		e.mu.Lock()
		defer e.mu.Unlock()
		if ctx.Err() == nil && e.active && e.before() == line {
			e.suggested(line, all, replaced)
			e.t.screen.show(e.draft().frame)
		}
	})
}

func (e *editor) suggested(line string, all []Suggestion, replaced int) {
	m := &e.menu
	m.line, m.all, m.replaced, m.marked, m.moved, m.cancel = line, all, replaced, 0, false, nil
	if all == nil {
		m.all = []Suggestion{} // not nil: the search is known to have found none
	}
}

// stopSuggesting cancels the running search and waits for it to end.
func (e *editor) stopSuggesting() {
	e.mu.Lock()
	if e.menu.cancel != nil {
		e.menu.cancel()
	}
	done := e.menu.done
	e.mu.Unlock()
	if done != nil {
		done.Wait()
	}
}

// menuVisible reports whether a menu is shown for the current line.
func (e *editor) menuVisible() bool {
	m := &e.menu
	return m.open && !m.closed && len(m.all) > 0 && m.line == e.before() && !e.vi.normal && e.search == ""
}

// menuRows draws the menu for a window of the given width.
func (e *editor) menuRows(width int) []string {
	m := &e.menu
	if !e.menuVisible() {
		return nil
	}
	_, height := e.t.Size()
	n := min(mostOffered, max(height-4, 1), len(m.all))
	from := min(max(m.marked-n/2, 0), len(m.all)-n)
	wide := 0
	for _, s := range m.all[from : from+n] {
		wide = max(wide, ansi.StringWidth(s.Label))
	}
	wide = min(wide, max(width/2, 12))
	var rows []string
	for i, s := range m.all[from : from+n] {
		mark, label := "  ", truncate(s.Label, width-2)
		if s.Help != "" {
			label = truncate(s.Label, wide)
			label += strings.Repeat(" ", max(wide-ansi.StringWidth(label), 0))
		}
		if from+i == m.marked {
			mark, label = e.t.style.green("●")+" ", e.t.style.bold(label)
		}
		rows = append(rows, strings.TrimRight(truncate(mark+label+gap+e.t.style.dim(s.Help), width), " "))
	}
	if len(m.all) > n {
		rows = append(rows, e.t.style.dim(truncate(fmt.Sprintf("  %d of %d", m.marked+1, len(m.all)), width)))
	}
	return rows
}

// menuKey handles the keys that move in and close the menu. done is false for other
// keys. Keys that type text open the menu.
func (e *editor) menuKey(r rune) (_ rune, ok, done bool) {
	m := &e.menu
	up := r == keyUp || r == readline.CharPrev
	down := r == keyDown || r == readline.CharNext
	if (up || down) && m.open && !m.closed && m.cancel != nil && m.asked == e.before() && !e.t.style.dumb {
		e.look() // pressed before the menu appeared, but meant for it
	}
	switch {
	case (up || down) && e.menuVisible() && len(m.all) > 1:
		step := 1
		if up {
			step = len(m.all) - 1
		}
		m.marked, m.moved = (m.marked+step)%len(m.all), true
		e.t.screen.show(e.draft().frame)
		return r, false, true
	case r == keyEsc && e.menuVisible():
		m.closed = true
		if e.vim {
			return r, false, false
		}
		e.t.screen.show(e.draft().frame)
		return r, false, true
	case r == '@' || r == ' ' || r == '/':
		m.open, m.closed = true, false
	case r >= ' ' && !private(r), r == readline.CharBackspace, r == readline.CharCtrlH, r == readline.CharCtrlW,
		r == readline.CharCtrlU:
		m.open = true
	case up, down, r == readline.CharBckSearch, r == readline.CharFwdSearch:
		m.open = false // text fetched from the history was not typed
	}
	return r, false, false
}

// accept puts the marked suggestion into the line. On a terminal without a menu it
// inserts the common prefix of all suggestions. If the menu has none for this line yet,
// or was closed, it fetches them first.
func (e *editor) accept() (rune, bool) {
	m := &e.menu
	if e.t.o.Complete == nil || e.vi.normal {
		return nothing, true
	}
	line := e.before()
	if e.look() {
		m.open, m.closed = true, false
	}
	if len(m.all) == 0 {
		return nothing, true
	}
	text, replaced := m.all[m.marked].Text, m.replaced
	if e.t.style.dumb && len(m.all) > 1 {
		typed := string([]rune(line)[max(len([]rune(line))-replaced, 0):])
		if text = common(m.all); !strings.HasPrefix(text, typed) {
			return nothing, true
		}
	}
	e.change = func(line []rune, pos int) ([]rune, int) {
		from := max(pos-replaced, 0)
		with := []rune(text)
		if pos < len(line) && line[pos] == ' ' && strings.HasSuffix(text, " ") {
			with = with[:len(with)-1]
		}
		return slices.Concat(line[:from], with, line[pos:]), from + len(with)
	}
	m.open, m.closed, m.moved = true, false, false
	return nothing, true
}

// look fetches the suggestions for the line and waits for them, unless they are there.
func (e *editor) look() bool {
	m, line := &e.menu, e.before()
	if m.line == line && m.all != nil {
		return false
	}
	if m.cancel != nil {
		m.cancel()
	}
	all, replaced := e.t.o.Complete(context.Background(), line)
	e.suggested(line, all, replaced)
	return true
}

// common returns the common prefix of all suggestions.
func common(all []Suggestion) string {
	same := all[0].Text
	for _, s := range all[1:] {
		for !strings.HasPrefix(s.Text, same) {
			_, n := utf8.DecodeLastRuneInString(same)
			same = same[:len(same)-n]
		}
	}
	return same
}

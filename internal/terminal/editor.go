package terminal

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/chzyer/readline"
)

// editor sits between the line editor and the terminal. It names keys, hides from the
// library what it cannot handle, and passes the current line to the screen. What the
// library itself would draw is dropped.
type editor struct {
	t   *Terminal
	vim bool

	mu       sync.Mutex
	active   bool   // between begin and the end of the line
	line     []rune // the current line
	pos      int
	vi       vi
	search   string // the text of a ^R or ^S search, or empty
	searched bool   // the last key ends a search
	menu     menu
	chord    bool     // ^X was pressed: ^E comes next
	history  []string // earlier prompts
	stale    bool     // the line editor does not have history yet
	change   func(line []rune, pos int) ([]rune, int)
	ready    func() // called once the prompt is drawn; may be nil
}

// drawn is how long a prompt takes to be on the screen, on a machine that is not busy.
const drawn = 50 * time.Millisecond

func (e *editor) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.active, e.search, e.menu = true, "", menu{}
	e.vi.begin()
}

func (e *editor) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.active {
		e.active = false
		e.t.screen.commit("")
	}
}

// Paint implements readline.Painter. It is called on each change and draws the line
// itself. When a line is sent, the line editor has appended a newline to it.
func (e *editor) Paint(line []rune, pos int) []rune {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.line, e.pos = slices.Clone(line), pos
	if !e.active {
		return nil
	}
	sent := len(line) > 0 && line[len(line)-1] == '\n'
	if sent {
		e.line = e.line[:len(line)-1]
		e.pos = min(pos, len(e.line))
	}
	if e.searched { // calling the line editor would be a race: this may be another goroutine than its own
		e.search = ""
	}
	if !sent {
		e.suggest()
	}
	d := e.draft()
	if !sent {
		e.t.screen.show(d.frame)
		if e.ready != nil {
			time.AfterFunc(drawn, e.ready)
			e.ready = nil
		}
		return nil
	}
	e.active = false
	text := ""
	if len(e.line) > 0 {
		text = e.t.prompted(d.text()) + "\n"
	}
	e.t.screen.commit(text)
	return nil
}

func (e *editor) draft() draft {
	d := draft{mark: e.t.mark(), more: moreMark, line: string(e.line), cursor: len(string(e.line[:e.pos])),
		label: e.t.keys.label}
	if !e.t.style.dumb {
		d.hint = e.t.style.dim(ansi.Truncate(Hint, max(e.t.Width()-len(promptMark)-1, 0), ""))
	}
	room := e.t.Width() - 1
	d.below = append(d.below, e.menuRows(room)...)
	row := e.t.statusRow(room)
	if e.vim && e.vi.normal && !e.t.style.dumb {
		row = strings.TrimRight(truncate(e.t.style.bold("NORMAL")+gap+row, room), " ")
	}
	if row != "" {
		d.below = append(d.below, row)
	}
	if e.search != "" {
		d.below = append(d.below, e.t.style.dim(ansi.Truncate(e.search, room, "…")))
	}
	return d
}

// Write implements [io.Writer] for the line editor's own output. Only the bell and the
// text of a search reach the screen.
func (e *editor) Write(b []byte) (int, error) {
	if string(b) == "\a" && !e.t.style.dumb {
		e.t.screen.signal("\a")
	}
	if _, what, found := bytes.Cut(b, []byte("-i-search: ")); found {
		what, _, _ = bytes.Cut(what, []byte("\x1b"))
		e.mu.Lock()
		defer e.mu.Unlock()
		e.search = "earlier prompts with: " + string(what) + "_"
		if bytes.Contains(b, []byte("failing ")) {
			e.search = "no earlier prompt with: " + string(what) + "_"
		}
		if e.active {
			e.t.screen.show(e.draft().frame)
		}
	}
	return len(b), nil
}

// OnChange implements readline.Listener. It makes the changes that filter asked for. It
// returns a new line each time, because the line editor would otherwise change a line
// of its history in place.
func (e *editor) OnChange(line []rune, pos int, key rune) ([]rune, int, bool) {
	if key == 0 {
		return nil, 0, false
	}
	e.mu.Lock()
	change := e.change
	e.change = nil
	e.mu.Unlock()
	line = slices.Clone(line)
	if change != nil {
		line, pos = change(line, pos)
		return line, pos, true
	}
	return line, pos, key == readline.CharPrev || key == readline.CharNext || e.t.line.Operation.IsSearchMode()
}

package agents

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"minigem/internal/text"
)

// progress shows how far a run is, on one changing line of a terminal.
type progress struct {
	w     io.Writer
	width int // of the terminal; 0 if there is none
	all   int // number of cells
	cases int // number of cases for one agent

	mu      sync.Mutex
	done    int
	byAgent map[string]int
	first   time.Time // when the first cell of an agent finished
	others  int       // finished cells of agents, without the first one and minigem's
	last    time.Time // the announced end; zero: not announced yet
}

// tell reports a cell.
func (p *progress) tell(c *Cell) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.byAgent[c.Agent]++
	if c.State == NotRun || p.width == 0 {
		return
	}
	line := fmt.Sprintf("%d/%d%s  %s %d of %d: %s %s", p.done, p.all, p.left(c), c.Agent, p.byAgent[c.Agent], p.cases,
		text.VisibleLine(c.Case), c.State)
	fmt.Fprint(text.Raw(p.w), "\r\x1b[K"+clip(line, p.width-4))
}

// left estimates the remaining time from the agents' cells so far. minigem's own
// take no time.
func (p *progress) left(c *Cell) string {
	if c.Agent == "minigem" || c.State == Cannot {
		return ""
	}
	if p.first.IsZero() {
		p.first = time.Now()
		return ""
	}
	p.others++
	left := time.Since(p.first) / time.Duration(p.others) * time.Duration(p.all-p.done)
	end := time.Now().Add(left)
	if p.last.IsZero() || end.Before(p.last) {
		p.last = end
	}
	if left = max(time.Until(p.last), 0).Round(time.Second); left == 0 {
		return "" // it is fast, or later than announced
	}
	return fmt.Sprintf(", %s left", left)
}

// end clears the line.
func (p *progress) end() {
	if p.width > 0 {
		fmt.Fprint(text.Raw(p.w), "\r\x1b[K")
	}
}

// terminalWidth returns the width of the terminal that w writes to, or 0 if it is not one.
func terminalWidth(w io.Writer) int {
	f, ok := text.Raw(w).(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return max(width, 20)
}

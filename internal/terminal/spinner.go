package terminal

import (
	"fmt"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"minigem/internal/text"
)

var spinnerFrames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

const spinnerTick = 100 * time.Millisecond

// slowHook is how long hooks may run before the spinner names them.
const slowHook = 500 * time.Millisecond

// spinner shows the status line: what the user is waiting for, for how long, how to
// interrupt it, and the text typed meanwhile.
type spinner struct {
	t     *Terminal
	above func(width, height int) []string // rows above the line

	mu      sync.Mutex
	what    string
	began   time.Time
	until   time.Time // end of a wait; zero: unknown
	hooks   string    // names of running hooks, or empty
	hooksAt time.Time
	hidden  bool
	asked   time.Time // when it was hidden: the user's thinking time does not count
	tokens  int       // used by the work so far
	tick    int
	stop    chan struct{}
	ended   sync.WaitGroup
}

func (s *spinner) start(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.what, s.began, s.until, s.hidden, s.tokens = what, time.Now(), time.Time{}, false, 0
	if s.stop != nil {
		return
	}
	stop := make(chan struct{})
	s.stop = stop
	s.ended.Add(1)
	go func() {
		defer s.ended.Done()
		tick := time.NewTicker(spinnerTick)
		defer tick.Stop()
		for n := 0; ; n++ {
			s.draw(n)
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
}

// end removes the line.
func (s *spinner) end() {
	s.mu.Lock()
	stop := s.stop
	s.stop = nil
	s.mu.Unlock()
	if stop == nil {
		return
	}
	close(stop)
	s.ended.Wait()
	s.t.screen.show(nil)
}

// wait sets what the user waits for and until when. A zero until means unknown.
func (s *spinner) wait(what string, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.what, s.until = what, until
}

// hide hides the line while a question is asked.
func (s *spinner) hide(yes bool) {
	s.mu.Lock()
	switch now := time.Now(); {
	case yes && !s.hidden:
		s.asked = now
	case !yes && s.hidden:
		s.began = s.began.Add(now.Sub(s.asked))
	}
	s.hidden = yes
	s.mu.Unlock()
	if yes {
		s.t.screen.show(nil)
	}
}

// spent adds to the tokens used so far.
func (s *spinner) spent(tokens int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens += tokens
}

// hook sets the description of what running hooks do. It is empty if none run.
func (s *spinner) hook(doing string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hooks, s.hooksAt = doing, time.Now()
}

// draw shows the current line, with the frame of the n-th tick.
func (s *spinner) draw(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick = n
	s.show()
}

// typed shows the text typed ahead, at once.
func (s *spinner) typed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.show()
}

func (s *spinner) show() {
	if s.hidden || s.stop == nil {
		return
	}
	status, ahead := s.status(), s.t.keys.ahead()
	s.t.screen.show(func(width, height int) frame {
		rows := append(s.above(width, height-2), status(width))
		if ahead != "" {
			room := width - 1 - len(promptMark)
			rows = append(rows, promptMark+ansi.TruncateLeft(ahead, max(ansi.StringWidth(ahead)-room, 0), ""))
		}
		return frame{rows: rows, row: len(rows) - 1, col: ansi.StringWidth(rows[len(rows)-1])}
	})
}

// tokensOf formats a number of tokens briefly.
func tokensOf(n int) string {
	if n < 1000 {
		return text.Plural(n, "token")
	}
	return fmt.Sprintf("%.1fk tokens", float64(n)/1000)
}

// status returns a function that renders the line for a window width.
func (s *spinner) status() func(width int) string {
	now, st := time.Now(), s.t.style
	what := s.what
	if s.hooks != "" && now.Sub(s.hooksAt) > slowHook {
		what = s.hooks
	}
	if left := time.Until(s.until); left > 0 {
		what += fmt.Sprintf(" in %d s", int(left.Seconds())+1)
	}
	hint := fmt.Sprintf("(%d s, esc to interrupt)", int(now.Sub(s.began).Seconds()))
	if s.tokens > 0 {
		hint = fmt.Sprintf("(%d s, %s, esc to interrupt)", int(now.Sub(s.began).Seconds()), tokensOf(s.tokens))
	}
	mark := st.cyan(spinnerFrames[s.tick%len(spinnerFrames)]) + " "
	return func(width int) string {
		room := width - 4 - ansi.StringWidth(hint)
		if room < 8 { // what the user waits for is more important
			return mark + ansi.Truncate(what, max(width-3, 1), "…")
		}
		return mark + ansi.Truncate(what, room, "…") + " " + st.dim(hint)
	}
}

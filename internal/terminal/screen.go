package terminal

import (
	"io"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// screen is the one writer of the terminal: text, and below it a status line
// that is wiped before anything else is written.
type screen struct {
	out   io.Writer
	width func() int
	dumb  bool // no status line

	mu     sync.Mutex
	status string
	drawn  bool
	mid    bool // the last line has no end yet
}

// write writes text as it is.
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

// lines writes text on lines of its own.
func (s *screen) lines(text string) {
	if text == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mid {
		text = "\n" + text
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	s.put(text)
}

func (s *screen) put(text string) {
	var b strings.Builder
	if s.drawn {
		b.WriteString("\r\x1b[K")
		s.drawn = false
	}
	b.WriteString(text)
	if text != "" {
		s.mid = !strings.HasSuffix(text, "\n")
	}
	if s.status != "" && !s.mid && !s.dumb {
		// One column stays free: a full line would wrap in some terminals.
		b.WriteString(ansi.Truncate(s.status, s.width()-1, "…"))
		s.drawn = true
	}
	_, _ = io.WriteString(s.out, b.String()) // a terminal that is gone hangs up
}

// setStatus replaces the status line; empty: there is none.
func (s *screen) setStatus(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == s.status && (s.drawn || text == "") {
		return
	}
	s.status = text
	if s.mid {
		return
	}
	s.put("")
}

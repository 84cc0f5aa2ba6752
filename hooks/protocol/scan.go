package protocol

// What decides in a stream that is too long to be kept.

import (
	"bytes"
	"strings"
	"sync"
)

const (
	// scanWindow is how much of a stream is looked at together, and scanOverlap
	// how much of it again with what follows: an object that is no longer is seen
	// whole. A longer one is followed, where it begins a line; what decides in any
	// other is read as of one that is broken.
	scanWindow  = 64 << 10
	scanOverlap = 16 << 10
)

// Scan looks for what denies, stops or asks in a stream as it comes, in little
// memory however long the stream is, by the rules for objects among other
// output. It is safe for concurrent use.
type Scan struct {
	mu     sync.Mutex
	reader reader
	stderr bool

	long longObjects

	left   []byte // to be looked at
	offset int64  // of left in the stream
	inLine bool   // left begins in the middle of a line
	brace  string // the last brace before left, with its line before it; empty: none
	best   held   // the strongest so far, with its place in the stream
	start  int64
	end    int64
	nuls   bool // there were NUL bytes, so that places are not exact
}

// NewScan makes a Scan of a stream of a hook for event; nil where nothing can
// be blocked.
func (d *Dialect) NewScan(event Event, stderr bool) *Scan {
	if !event.CanBlock() {
		return nil
	}
	s := &Scan{reader: reader{event: event, dialect: d}, stderr: stderr}
	s.long = longObjects{stderr: stderr, found: func(fields []member, at, end int64) {
		if h := (held{Output: s.reader.apart(fields)}); len(fields) > 0 {
			_, h.strength = h.holds()
			s.keep(h, at, end)
		}
	}}
	return s
}

// Write takes what comes next. It never fails.
func (s *Scan) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for rest := p; len(rest) > 0; {
		n := min(len(rest), scanWindow+scanOverlap-len(s.left))
		s.left = append(s.left, rest[:n]...)
		if rest = rest[n:]; len(s.left) == scanWindow+scanOverlap {
			s.advance()
		}
	}
	return len(p), nil
}

// advance looks at the window, up to the end of its last line where it has one,
// and keeps what is to be looked at again.
func (s *Scan) advance() {
	s.follow()
	cut := len(s.left)
	if n := bytes.LastIndexByte(s.left[scanOverlap:], '\n'); n >= 0 {
		cut = scanOverlap + n + 1
	}
	s.look(s.left[:cut], s.left[cut-1] != '\n')
	from := cut - scanOverlap
	if n := bytes.IndexByte(s.left[from:cut-1], '\n'); n >= 0 {
		from += n + 1
	}
	if n := bytes.LastIndexByte(s.left[:from], '{'); n >= 0 {
		before, _ := lineAround(string(s.left[max(0, n-aLine):n]), n-max(0, n-aLine), n-max(0, n-aLine))
		s.brace = before + "{"
	}
	s.inLine = s.left[from-1] != '\n'
	s.offset += int64(from)
	s.left = s.left[:copy(s.left, s.left[from:])]
}

// follow gives what is new in left to the search for long objects.
func (s *Scan) follow() { s.long.write(s.left[s.long.offset-s.offset:]) }

// look keeps the strongest of what text says. broken: it ends in the middle of
// a line.
func (s *Scan) look(text []byte, broken bool) {
	if s.best.strength == strongest || !mayDecide(text) {
		return
	}
	// What is before text is gone: a brace is still open, a line has begun.
	lead := ""
	if s.brace != "" || s.inLine {
		lead = s.brace + " ..."
		if s.inLine {
			lead += " "
		} else {
			lead += "\n"
		}
	}
	s.nuls = s.nuls || bytes.IndexByte(text, 0) >= 0
	whole := lead + string(bytes.ReplaceAll(text, []byte{0}, nil))
	if broken {
		whole += " ..."
	}
	for _, h := range s.reader.holding(whole, s.stderr) {
		s.keep(h, s.offset+int64(h.at-len(lead)), s.offset+int64(h.end-len(lead)))
	}
}

// keep keeps h, which stands in the stream from at to end, if it is the strongest.
func (s *Scan) keep(h held, at, end int64) {
	if h.strength > s.best.strength {
		s.best, s.start, s.end = h, at, end
	}
}

// mayDecide reports whether text could hold something that decides. \u may
// stand for any letter.
func mayDecide(text []byte) bool {
	text = bytes.ReplaceAll(text, []byte{0}, nil)
	has := func(s string) bool { return bytes.Contains(text, []byte(s)) }
	return has("ecision") && (has("deny") || has("block") || has("ask")) || has("continue") && has("alse") || has(`\u00`)
}

// Found ends the scan and returns, as a JSON object, the strongest of what was
// said unless it stands in the first head bytes, or in those from tail on; nil:
// nothing.
func (s *Scan) Found(head, tail int64) []byte {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look(s.left, false)
	s.follow()
	s.long.write([]byte{'\n'}) // the last line ends too
	s.left = nil
	if s.best.strength == 0 || !s.nuls && (s.end <= head || s.start >= tail) {
		return nil
	}
	answer := map[string]any{"decision": s.best.Decision, "reason": strings.TrimSpace(s.best.Reason)}
	if s.best.Stop {
		answer = map[string]any{"continue": false, "stopReason": strings.TrimSpace(s.best.StopReason)}
	}
	data, err := Encode(answer)
	if err != nil {
		return nil // unreachable: strings and booleans
	}
	return data
}

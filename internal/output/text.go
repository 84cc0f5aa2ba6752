// Package output writes what happens in a run without a terminal: the text, json and
// stream-json formats (core/output/types.ts). Standard output gets only the answer.
// Everything else goes to standard error.
package output

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"minigem/agent/event"
	"minigem/internal/text"
)

// Text writes the model's text to Out. It is an event.Sink.
//
// A newline ends the text before tools run, between the attempts of a retried answer,
// and at the end. When a round is discarded and repeated, a program must not read text
// that does not count. With Whole, the text of a round is therefore written once the
// round counts. Without it, text is written as it arrives, and what was already written
// is not repeated: the new text is written from where it differs, on a line of its own.
type Text struct {
	Out io.Writer // gets only the model's text
	Err io.Writer // gets notices, one per line
	Raw bool      // do not remove control sequences
	// Whole holds back the text of a round until it has finished, failed or been cut
	// off.
	Whole bool
	// Broken is called once when Out can no longer be written. May be nil.
	Broken func(error)

	mu      sync.Mutex
	pieces  text.Cleaner
	midLine bool            // the last output did not end in a newline
	round   strings.Builder // output of this round
	replay  string          // output of a discarded attempt, which is not repeated; round is a prefix of it
	kept    strings.Builder
	broken  bool
}

// Emit implements event.Sink.
func (t *Text) Emit(e event.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e := e.(type) {
	case event.PromptStarted:
		t.newline()
	case event.RoundStarted:
		t.flush()
		t.round.Reset()
	case event.TextDelta:
		t.text(e.Text)
	case event.RoundDiscarded:
		if t.replay == "" {
			t.replay = t.round.String()
		}
		t.round.Reset()
		if t.Whole {
			t.replay = ""
			t.kept.Reset()
			t.pieces = text.Cleaner{}
		}
		t.notice("[WARNING] %s; asking again%s", e.Reason, in(e.Delay))
	case event.RoundFinished:
		t.replay = ""
		t.flush()
	case event.RoundFailed:
		t.flush()
	case event.ToolStarted:
		t.newline()
	case event.ToolFinished:
		t.toolFinished(e.Record)
	case event.Stopped:
		t.notice("Agent execution stopped: %s", e.Reason)
		t.cleared(e.Cleared)
	case event.Blocked:
		t.notice("[WARNING] Agent execution blocked: %s", e.Reason)
		t.cleared(e.Cleared)
	case event.LoopDetected:
		t.notice("[WARNING] Loop detected: %s", e.Detail)
	case event.Waiting:
		t.notice("[WARNING] %s (attempt %d of %d); trying again%s", e.Reason, e.Attempt, e.Max, in(e.Delay))
	case event.Notice:
		t.notice("[%s] %s", strings.ToUpper(e.Severity), e.Text)
	}
}

// Close ends the last line.
func (t *Text) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.newline()
}

func (t *Text) toolFinished(r event.ToolRecord) {
	if r.Status != event.ToolError {
		return
	}
	msg := r.ErrorMessage
	if s, ok := r.Display.(string); ok && s != "" {
		msg = s
	}
	t.notice("Error executing tool %s: %s", r.Call.Name, msg)
}

func (t *Text) cleared(yes bool) {
	if yes {
		t.notice("Conversation context has been cleared.")
	}
}

// text writes s, without the part that a discarded attempt has already written.
func (t *Text) text(s string) {
	if !t.Raw {
		s = t.pieces.Clean([]byte(s))
	}
	rest := t.replay
	if rest != "" {
		rest = rest[t.round.Len():]
	}
	t.round.WriteString(s)
	if t.replay != "" {
		switch {
		case strings.HasPrefix(rest, s): // repeated so far
			return
		case strings.HasPrefix(s, rest): // repeated, and goes on
			s = s[len(rest):]
		default: // another answer: write all of it, on its own line
			t.newline()
			s = t.round.String()
		}
		t.replay = ""
	}
	t.write(s)
}

// flush writes the text that was held back.
func (t *Text) flush() {
	if t.kept.Len() > 0 {
		s := t.kept.String()
		t.kept.Reset()
		t.put(s)
	}
}

func (t *Text) newline() {
	t.flush()
	if t.midLine {
		t.put("\n")
	}
}

func (t *Text) write(s string) {
	if t.Whole {
		t.kept.WriteString(s)
		return
	}
	t.put(s)
}

func (t *Text) put(s string) {
	if s == "" || t.broken {
		return
	}
	t.midLine = !strings.HasSuffix(s, "\n")
	if _, err := io.WriteString(t.Out, s); err != nil {
		t.broken = true
		if t.Broken != nil {
			t.Broken(err)
		}
	}
}

func (t *Text) notice(format string, args ...any) {
	fmt.Fprintf(t.Err, format+"\n", args...)
}

func in(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return " in " + d.Round(100*time.Millisecond).String()
}

package terminal

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"minigem/agent/event"
)

// View shows a session as it happens. It is an [event.Sink].
type View struct {
	term       *Terminal
	screen     *screen // of term, as are keys and style
	keys       *keyboard
	style      style
	width      func() int
	spin       *spinner
	live       *live
	hookLines  bool // hooksConfig.notifications
	traceHooks atomic.Bool

	mu       sync.Mutex
	answer   *markdown
	last     string      // the last complete answer, for /copy
	tools    atomic.Bool // the last thing shown belongs to tool calls
	round    strings.Builder
	model    string               // the model that answers
	unfolded string               // the last result, in full
	refusal  string               // the last reason that the hook lane gave for blocking a call
	ran      map[string]time.Time // when each call began to run, not counting the question about it
}

// NewView makes a [View] of t. hookLines shows a line for each event that hooks change.
func NewView(t *Terminal, hookLines bool) *View {
	v := &View{term: t, screen: t.screen, keys: t.keys, style: t.style, width: t.Width,
		hookLines: hookLines, live: &live{style: t.style}}
	v.spin = &spinner{t: t, above: v.live.rows}
	if t.keys != nil {
		t.keys.typed = v.spin.typed
		t.keys.reveal = func() { v.Unfold() }
	}
	v.answer = &markdown{style: t.style, width: v.width, out: v.put, begin: func() { v.apart(false) }}
	return v
}

// TraceHooks turns on a line for every event at which hooks run. Otherwise only events
// that they change have one.
func (v *View) TraceHooks(on bool) { v.traceHooks.Store(on) }

// LastAnswer returns the model's last answer, or "" if there is none yet.
func (v *View) LastAnswer() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.last
}

// Work runs f while showing the spinner. interrupt is called each time the user presses
// ^C or Esc.
func (v *View) Work(what string, interrupt func(ctrlC bool), f func()) {
	before := v.keys.enter(working, interrupt) // in a dialogue, the mode before is asking
	v.spin.start(what)
	defer func() {
		v.spin.end()
		v.keys.enter(before, nil)
		v.endAnswer()
	}()
	f()
}

// endAnswer writes out the rest of a streamed answer.
func (v *View) endAnswer() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.answer.flush()
	v.live.write(open{})
}

// Emit implements event.Sink.
func (v *View) Emit(e event.Event) {
	switch e := e.(type) {
	case event.PromptStarted:
		v.tools.Store(false)
		v.spin.wait("thinking", time.Time{})
	case event.RoundStarted:
		v.mu.Lock()
		v.round.Reset()
		v.model = cleanLine(e.Model)
		v.mu.Unlock()
		v.spin.wait("waiting for "+cleanLine(e.Model), time.Time{})
	case event.TextDelta:
		v.text(e.Text)
	case event.ThoughtDelta:
		if e.Subject != "" {
			v.spin.wait("thinking: "+cleanLine(e.Subject), time.Time{})
		}
	case event.RoundDiscarded:
		v.endAnswer()
		v.note(v.style.yellow("  ↻ " + cleanLine(e.Reason) + "; asking again"))
		v.spin.wait("asking again", time.Now().Add(e.Delay))
	case event.RoundFinished:
		v.endAnswer()
		v.mu.Lock()
		if v.round.Len() > 0 {
			v.last = v.round.String()
		}
		v.mu.Unlock()
		if e.Usage != nil {
			v.spin.spent(e.Usage.Total)
		}
	case event.Waiting:
		v.endAnswer()
		v.note(v.style.yellow(fmt.Sprintf("  ↻ %s (attempt %d of %d); trying again in %s", cleanLine(e.Reason), e.Attempt,
			e.Max, seconds(e.Delay))))
		v.spin.wait("trying again", time.Now().Add(e.Delay))
	case event.ToolStarted:
		v.endAnswer()
		v.began(e.Call.ID)
		v.spin.wait("running "+cleanLine(e.DisplayName)+" "+cleanLine(e.Description), time.Time{})
	case event.ToolOutput:
		v.live.add(e.CallID, e.Text)
	case event.ToolFinished:
		v.endAnswer()
		v.tool(e.Record)
		for _, tail := range e.Record.Followed {
			v.note(v.style.dim("  a hook called " + truncate(cleanLine(tail.DisplayName)+"  "+cleanLine(tail.Description),
				v.width()-16)))
		}
	default:
		v.ending(e)
	}
}

// ending shows events that end or change a run.
func (v *View) ending(e event.Event) {
	v.endAnswer()
	switch e := e.(type) {
	case event.Compressed:
		v.note(compression(e))
	case event.Stopped:
		v.note(v.style.yellow("Agent execution stopped: " + Clean(e.Reason)))
		v.cleared(e.Cleared)
	case event.Blocked:
		v.note(v.style.yellow("Agent execution blocked: " + Clean(e.Reason)))
		v.cleared(e.Cleared)
	case event.LoopDetected:
		v.note(v.style.yellow("The model repeats itself and was stopped: " + cleanLine(e.Detail)))
	case event.Notice:
		v.note(v.style.yellow(Clean(e.Text)))
	}
}

func (v *View) note(text string) { v.screen.lines(text) }

func (v *View) cleared(yes bool) {
	if yes {
		v.note("Conversation context has been cleared.")
	}
}

func (v *View) text(s string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.round.WriteString(s)
	v.answer.write(s)
	v.live.write(v.answer.pending())
	v.spin.wait(v.model+" is writing", time.Time{})
}

// put writes a finished part of an answer, which is then no longer shown as open.
func (v *View) put(text string) {
	v.live.write(open{})
	v.screen.write(text)
}

// compression describes the result of /compress or of an automatic compression
// (cli/ui/components/messages/CompressionMessage.tsx). The status numbers are from
// core/core/turn.ts.
func compression(e event.Compressed) string {
	switch e.Status {
	case 1, 6:
		return fmt.Sprintf("Chat history compressed from %d to %d tokens.", e.Before, e.After)
	case 2:
		return fmt.Sprintf("Compression did not reduce the size of the history, and it stays as it was (%d tokens).",
			e.Before)
	case 4:
		return "The model gave no summary, and the history stays as it was."
	case 5:
		return "Nothing to compress."
	}
	return "The history was not compressed."
}

// Failure shows an error as a sentence.
func (v *View) Failure(err error) {
	v.endAnswer()
	text := Clean(err.Error())
	for next := errors.Unwrap(err); next != nil && len(text) > 2000; next = errors.Unwrap(next) {
		text = Clean(next.Error())
	}
	v.note(v.style.red(v.term.Wrap("✗ " + text)))
}

func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d s", int(d.Seconds()))
}

// Show renders an answer from an earlier session.
func (v *View) Show(text string) {
	v.endAnswer()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.answer.write(text)
	v.answer.flush()
}

package hooks

import (
	"time"

	"minigem/hooks/protocol"
)

// Report is all there is to know about one fired event: the source of explain,
// of the tests' assertions, of the hook lane, of telemetry and of trace files.
// A Report with no Runs that ran means nothing matched, and says why. It is a
// value: the engine keeps nothing of it and changes nothing in it later. Its
// JSON form is that of docs/EVENTS.md, with secrets masked.
type Report struct {
	Seq        int // from 1, within an Engine's life
	Event      Event
	Subject    string   // what matchers saw: a tool's name, a source, a reason; may be empty
	Agent      Subagent // whose event it is; zero: the main agent's
	Started    time.Time
	Duration   time.Duration
	Sequential bool
	Input      Payload // the payload as the first hook reads it, in Gemini CLI's dialect; nil: no hook ran
	Runs       []Run   // every hook configured for Event, in the order of running
	Merge      []Step
	Verdict    Verdict
	Effect     Effect
	Messages   []Message // what to show the user, in order
	Warnings   []string  // about the event as a whole; each Run has its own

	// Late: hooks that were left running have ended. It is the second report of
	// this Seq and replaces the first.
	Late bool

	mask func([]byte) []byte
}

// Run is one configured hook in one event.
type Run struct {
	Hook     Hook
	Skipped  string // why it did not run; empty: it ran
	Matched  bool
	Stdin    Payload // exactly what it was given
	Exit     Exit
	TimedOut bool
	Left     bool // still running when the event went on without it
	Started  time.Time
	Failed   string // what went wrong, in words; empty: nothing
	Reading  protocol.Reading
	Decision Decision
	Warnings []string // what was ignored of its configuration and its answer, and why
	// Upstream says what Gemini CLI 0.61 makes of the same run, where that is
	// something else; nil: the same.
	Upstream []Difference
}

// Ran reports whether the hook was started.
func (r Run) Ran() bool { return r.Skipped == "" }

// Step is one step of the merge, in words: which hook changed what.
type Step struct {
	Hook string
	What string
}

// Effect is what the event changed.
type Effect struct {
	Kind   string // see the Effect constants
	Before []byte // JSON of what was changed, before; nil unless something was
	After  []byte // and after
}

// The values of Effect.Kind.
const (
	EffectNone      = "none"
	EffectDeny      = "deny"
	EffectStop      = "stop"
	EffectAsk       = "ask"
	EffectAllow     = "allow"     // a call that somebody would be asked about runs unasked
	EffectRewrite   = "rewrite"   // a request or arguments were changed
	EffectContext   = "context"   // the model gets more to read
	EffectSynthetic = "synthetic" // a hook answered for the model
	EffectReplace   = "replace"   // a chunk of the answer was replaced
	EffectRetry     = "retry"     // the answer was refused
	EffectTail      = "tail call" // another tool runs next
	EffectTools     = "tools"     // tools were narrowed or forced
	EffectClear     = "clear"     // the context is cleared
)

// Message is something for the user's eyes, from or about one hook.
type Message struct {
	Hook string
	Kind MessageKind
	Text string
	// Suppressed: the hook said "suppressOutput", so that this is not to be
	// shown, and neither is the hook's line (Run.Reading says so too). Failures
	// and warnings are never suppressed.
	Suppressed bool
}

// MessageKind says what a Message is.
type MessageKind string

const (
	MessageSystem  MessageKind = "system"  // the hook's systemMessage
	MessageFailure MessageKind = "failure" // the hook failed
	MessageWarning MessageKind = "warning" // something of its answer was ignored; reported once
	MessageNote    MessageKind = "note"    // Hook.Note, before its first run; reported once
)

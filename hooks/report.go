package hooks

import (
	"time"

	"minigem/hooks/protocol"
)

// Report is all there is to know about one fired event: the source of explain,
// of the tests' assertions, of the hook lane, of telemetry and of trace files.
// A Report with no Runs that ran means nothing matched, and says why.
type Report struct {
	Seq        int // from 1, within a session
	Event      Event
	Subject    string // what matchers saw: a tool's name, a source, a reason; may be empty
	Started    time.Time
	Duration   time.Duration
	Sequential bool
	Input      []byte // the payload as the first hook reads it; nil if no hook matched
	Runs       []Run  // every hook configured for Event, in the order of configuration
	Merge      []Step
	Verdict    Verdict
	Effect     Effect
	Warnings   []string
}

// Run is one configured hook in one event.
type Run struct {
	Hook     Hook
	Skipped  string // why it did not run; empty: it ran
	Matched  bool
	Stdin    []byte
	Exit     Exit
	TimedOut bool
	Started  time.Time
	Failed   string // what went wrong, in words; empty: nothing
	Reading  protocol.Reading
	Decision Decision
	Warnings []string
}

// Step is one step of the merge, in words: which hook changed what.
type Step struct {
	Hook string
	What string
}

// Effect is what the event changed.
type Effect struct {
	Kind   string // "none", "deny", "stop", "ask", "rewrite", "context", "synthetic", "replace", "retry", "tail call", "tools", "clear"
	Before []byte // JSON of what was changed, before; nil unless something was
	After  []byte // and after
}

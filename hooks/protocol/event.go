// Package protocol is the JSON that hooks read on stdin and write on stdout,
// and what their exits mean; nothing else. It imports nothing of this module,
// little of the standard library and one small module beside, so that a hook
// written in Go can import it alone, or with hooks/portable, whose Serve is its main function.
//
// The engine uses the other direction: it encodes the Input types and turns a
// finished run into a Reading with Dialect.Parse.
package protocol

import "slices"

// Event is the wire name of a lifecycle point.
type Event string

// The eleven events, in the order in which a session meets them.
const (
	SessionStart        Event = "SessionStart"
	BeforeAgent         Event = "BeforeAgent"
	PreCompress         Event = "PreCompress"
	BeforeModel         Event = "BeforeModel"
	BeforeToolSelection Event = "BeforeToolSelection"
	AfterModel          Event = "AfterModel"
	BeforeTool          Event = "BeforeTool"
	Notification        Event = "Notification"
	AfterTool           Event = "AfterTool"
	AfterAgent          Event = "AfterAgent"
	SessionEnd          Event = "SessionEnd"
)

// Events lists them all. It must not be changed.
var Events = []Event{
	SessionStart, BeforeAgent, PreCompress, BeforeModel, BeforeToolSelection, AfterModel,
	BeforeTool, Notification, AfterTool, AfterAgent, SessionEnd,
}

var blockable = []Event{BeforeAgent, BeforeModel, AfterModel, BeforeTool, AfterTool, AfterAgent}

// CanBlock reports whether hooks of e can deny or stop. In the other events a
// denial, and exit 2, is a warning.
func (e Event) CanBlock() bool { return slices.Contains(blockable, e) }

// CanAsk reports whether hooks of e can ask for the permission prompt.
func (e Event) CanAsk() bool { return e == BeforeTool }

// IsTool reports whether matchers of e see a tool's name.
func (e Event) IsTool() bool { return e == BeforeTool || e == AfterTool }

// HasSubject reports whether there is something that matchers of e can see: a
// tool's name, or the trigger of a lifecycle event. The matcher of another
// event has no effect.
func (e Event) HasSubject() bool {
	switch e {
	case BeforeTool, AfterTool, SessionStart, SessionEnd, PreCompress, Notification:
		return true
	}
	return false
}

// Triggers are the values that matchers of a lifecycle event can meet; nil for
// the others.
func (e Event) Triggers() []string {
	switch e {
	case SessionStart:
		return []string{"startup", "resume", "clear"}
	case SessionEnd:
		return []string{"exit", "clear", "logout", "prompt_input_exit", "other"}
	case PreCompress:
		return []string{"manual", "auto"}
	case Notification:
		return []string{"ToolPermission"}
	}
	return nil
}

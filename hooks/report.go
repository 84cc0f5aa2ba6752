package hooks

import (
	"time"

	"minigem/hooks/protocol"
)

// Report is everything there is to know about one fired event. "hooks explain", the
// assertions of tests, the terminal's hook lane, telemetry and trace files are made from
// it. It is a value that the engine does not change later. Its JSON form is described in
// docs/EVENTS.md; secrets are masked there if [Engine.Mask] is set.
type Report struct {
	// Seq numbers the events of an engine, from 1. Two reports with one Seq are about the
	// same event; see Late.
	Seq int
	// Event is the event that was fired. An agent that is played may call it otherwise;
	// see [Plan.Event].
	Event protocol.Event
	// Subject is what matchers saw: the name of a tool or an agent, or a trigger such as
	// "startup"; may be empty.
	Subject string
	// Agent is the subagent that the event is about; zero for the main agent.
	Agent Subagent
	// Started is when the event was fired, before its hooks were planned.
	Started time.Time
	// Duration is how long the event's method took. Time in hooks that were not waited
	// for is not part of it, except in a Late report of hooks that were left running.
	Duration time.Duration
	// Sequential reports whether the hooks ran one after the other.
	Sequential bool
	// Input is the payload of the first hook, in Gemini CLI's dialect. It is nil if no
	// hook ran, unless [Engine.ReportIdle] is set.
	Input Payload
	// Runs has one entry for every hook configured for Event, in the order of running,
	// skipped ones included.
	Runs []Run
	// Merge lists, in words, how the answers were merged, in the order of merging.
	Merge []Step
	// Verdict is the merged decision.
	Verdict Verdict
	// Effect is what the event changed.
	Effect Effect
	// Messages are what to show the user, in order.
	Messages []Message
	// Warnings are about the event as a whole; each Run has its own.
	Warnings []string

	// Late marks the second report of an event, made when hooks that were left running or
	// have async set have ended. It has the Seq of the first report and replaces it.
	Late bool

	mask func([]byte) []byte
}

// Run is one configured hook in one event.
type Run struct {
	// Hook is the hook as it was configured when the event was fired.
	Hook Hook
	// Skipped says why the hook did not run, in words; empty if nothing kept it from
	// running but, perhaps, [Engine.Watch]. A hook that Watch withheld has Failed set and
	// no Started.
	Skipped string
	// Matched reports whether the matcher accepted the subject, whatever else kept the
	// hook from running.
	Matched bool
	// Stdin is exactly what the hook read; nil if it was skipped or is still running.
	Stdin Payload
	// Exit is how the run ended; zero if the hook did not run.
	Exit Exit
	// TimedOut reports whether the hook's own timeout ended it.
	TimedOut bool
	// Left reports whether the hook was still running when the event went on without it.
	Left bool
	// Started is when the hook was started; zero if it was not.
	Started time.Time
	// Failed says what went wrong, such as "timed out after 60000ms"; empty means
	// nothing. A failed run may still have denied.
	Failed string
	// Reading is what the hook's output and exit were taken to mean.
	Reading protocol.Reading
	// Decision is what counts in the merge, with OnError applied.
	Decision Decision
	// Warnings say what was ignored in the hook's configuration and answer, and why.
	Warnings []string
	// Upstream lists what Gemini CLI 0.61 does differently with the same run; nil means
	// the same. The engine leaves it empty; hooks/elsewhere fills it in.
	Upstream []Difference
}

// Ran reports whether the hook was not skipped. It is also true for a hook that is still
// running (Left) or that [Engine.Watch] withheld.
func (r Run) Ran() bool { return r.Skipped == "" }

// Step is one step of the merge, in words.
type Step struct {
	// Hook is the ID of the hook that changed something.
	Hook string
	// What says what it did, to be read after the hook's name: "adds context: ...".
	What string
}

// Effect is what the event changed.
type Effect struct {
	// Kind is one of the Effect constants. It is empty only in the report of
	// [Engine.Explain].
	Kind string
	// Before and After are the JSON of what was changed: arguments, a request, a chunk,
	// tools or a result. Either is nil if there is nothing to show.
	Before []byte
	// After is the JSON of the new value. For a retry it is the next prompt, for a tail
	// call the call.
	After []byte
}

// The values of [Effect.Kind].
const (
	// EffectNone means that hooks changed nothing.
	EffectNone = "none"
	// EffectDeny means that the action does not happen.
	EffectDeny = "deny"
	// EffectStop means that the run ends.
	EffectStop = "stop"
	// EffectAsk means that the user must confirm the call.
	EffectAsk = "ask"
	// EffectAllow means that a call runs without the question that it would have needed.
	// PermissionRequest only. Before and After are set if the arguments changed, too.
	EffectAllow = "allow"
	// EffectRewrite means that a request or a call's arguments were changed.
	EffectRewrite = "rewrite"
	// EffectContext means that the model gets more to read. After is the wrapped context.
	EffectContext = "context"
	// EffectSynthetic means that a hook answered for the model. After is its answer.
	EffectSynthetic = "synthetic"
	// EffectReplace means that a chunk of the answer, or a tool's output, was replaced.
	EffectReplace = "replace"
	// EffectRetry means that the agent goes on: a hook refused its answer or added
	// context. After is the next prompt.
	EffectRetry = "retry"
	// EffectTail means that another tool runs next. After is its call.
	EffectTail = "tail call"
	// EffectTools means that tools were narrowed or forced. Before and After are
	// configurations of tools.
	EffectTools = "tools"
	// EffectClear means that the conversation is cleared.
	EffectClear = "clear"
)

// Message is something to show the user, from or about one hook.
type Message struct {
	// Hook is the hook's [Hook.Label].
	Hook string
	// Kind says where the message comes from: one of the Message constants.
	Kind string
	// Text may have several lines, and is not cleaned of control characters.
	Text string
	// Suppressed means that the hook said "suppressOutput": neither this message nor the
	// hook's line is to be shown. Only a MessageSystem is ever suppressed; failures,
	// warnings and notes are not.
	Suppressed bool
}

// The values of [Message.Kind], which are stable and used in the JSON form.
const (
	// MessageSystem is the hook's systemMessage.
	MessageSystem = "system"
	// MessageFailure says that the hook failed. For the model events it is sent once per
	// hook and cause.
	MessageFailure = "failure"
	// MessageWarning says what was ignored of the hook's answer. It is sent once per hook
	// and warning in an engine's life.
	MessageWarning = "warning"
	// MessageNote is [Hook.Note], before the hook's first run. It is sent once.
	MessageNote = "note"
)

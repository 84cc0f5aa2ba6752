// Package event defines what happens while an agent works, as types, and the
// [Sink] that receives it: the terminal, the JSON outputs, the transcript and
// telemetry all read the same stream. Events inform; nothing is decided here.
// Hooks report on a channel of their own (hooks.Report).
package event

import (
	"time"

	"minigem/llm"
)

// Event is one of the types of this file.
type Event interface{ isEvent() }

// Sink receives events in the order in which they happen. Emit must not block
// for long. It is called from one goroutine at a time, with two exceptions:
// parallel tool calls may emit [ToolOutput], [ToolFinished] and [SideRequest]
// concurrently, and the [Notice] that the model is silent comes from a timer.
// So a Sink must lock.
type Sink interface{ Emit(Event) }

// SinkFunc makes a function a Sink.
type SinkFunc func(Event)

// Emit calls f.
func (f SinkFunc) Emit(e Event) { f(e) }

// Tee sends every event to all sinks, in order; nil ones are skipped.
func Tee(sinks ...Sink) Sink {
	return SinkFunc(func(e Event) {
		for _, s := range sinks {
			if s != nil {
				s.Emit(e)
			}
		}
	})
}

type (
	// PromptStarted: a prompt passed BeforeAgent and was added to the history.
	// Attempt is 0 for the user's own prompt and counts AfterAgent's retries.
	PromptStarted struct {
		Text    string
		Attempt int
	}

	// RoundStarted: a request is about to go to the model.
	RoundStarted struct {
		Round int // from 1, within one prompt
		Model string
	}

	// TextDelta: a piece of the model's answer, as the AfterModel hooks left
	// it.
	TextDelta struct{ Text string }

	// ThoughtDelta: a thought of the model. Subject is the text between the
	// first pair of "**".
	ThoughtDelta struct{ Subject, Description string }

	// ToolRequested: the streamed answer contains a call.
	ToolRequested struct{ Call llm.ToolCall }

	// ToolStarted: hooks, policy and user let the call run; it starts now.
	ToolStarted struct {
		Call        llm.ToolCall // with the arguments that run
		DisplayName string
		Description string
	}

	// ToolOutput: live output of a running tool.
	ToolOutput struct {
		CallID string
		Text   string
	}

	// ToolFinished: the call has its result. The calls of one model message are
	// reported in their order, whichever ended first.
	ToolFinished struct{ Record ToolRecord }

	// RoundFinished: the model's answer of this round is complete, or was cut
	// off and its beginning is kept. Message is appended to the history next,
	// unless it is empty.
	RoundFinished struct {
		Message      llm.Message
		Thoughts     []ThoughtDelta
		Model        string
		Usage        *llm.Usage // nil: the model did not report it
		FinishReason string
		Latency      time.Duration
		Synthetic    bool // a BeforeModel hook answered
	}

	// RoundFailed: a request failed for good, or its stream was invalid.
	RoundFailed struct {
		Model   string
		Latency time.Duration
		Usage   *llm.Usage // nil: unknown
		Err     error
	}

	// RoundDiscarded: the text streamed since RoundStarted is discarded; the
	// request is made again.
	RoundDiscarded struct {
		Reason  string
		Attempt int // the attempt that failed, from 1
		Delay   time.Duration
		Model   string // the model that answered; empty: this is not about a request of its own
		Latency time.Duration
		Usage   *llm.Usage // nil: unknown
	}

	// SideRequest: a model was asked for something outside the conversation,
	// such as a summary. Failed attempts to connect are not reported one by
	// one.
	SideRequest struct {
		Role    string // "utility_tool", "utility_compressor" (core/output/types.ts)
		Model   string
		Latency time.Duration
		Usage   *llm.Usage // nil: unknown
		Err     error      // nil: the model answered
	}

	// Waiting: a connection failed and will be tried again after Delay.
	Waiting struct {
		Reason  string
		Attempt int // the attempt that failed, from 1
		Max     int
		Delay   time.Duration
	}

	// Compressed: the history was shortened. Status is that of
	// core/core/turn.ts.
	Compressed struct {
		Before, After int // tokens
		Status        int
	}

	// Masked: older tool outputs were moved to files.
	// (core/context/toolOutputMaskingService.ts)
	Masked struct {
		Outputs       int
		Prunable      int // tokens beyond the newest outputs
		Before, After int // tokens of the history
	}

	// Stopped: a hook ended the run ("continue": false).
	Stopped struct {
		Event   string // the hook event
		Reason  string
		Cleared bool // the context was cleared too
	}

	// Blocked: a hook denied a prompt, a request or an answer.
	Blocked struct {
		Event   string
		Reason  string
		Cleared bool
	}

	// LoopDetected: the model repeats itself. Kind is
	// "consecutive_identical_tool_calls" or "chanting_identical_sentences".
	LoopDetected struct{ Kind, Detail string }

	// Nested: what happened in a subagent while the call that started it ran.
	// Event is not a Nested itself.
	Nested struct {
		Agent string // its name
		Event Event
	}

	// AgentStarted: a subagent began.
	AgentStarted struct{ ID, Name string }

	// AgentFinished: a subagent ended; Reason is a word such as GOAL or MAX_TURNS.
	AgentFinished struct {
		ID, Name, Reason string
		Rounds           int // requests to the model
		Took             time.Duration
	}

	// Notice: something the user should know; Severity is "info", "warning" or
	// "error".
	Notice struct{ Severity, Text string }
)

// ToolStatus is how a call ended.
type ToolStatus string

const (
	ToolSuccess   ToolStatus = "success"
	ToolError     ToolStatus = "error"
	ToolCancelled ToolStatus = "cancelled"
)

// ToolDecision says who let a call run, in the words of Gemini CLI's telemetry.
type ToolDecision string

const (
	DecisionNone       ToolDecision = ""            // the call ended before the decision
	DecisionAccept     ToolDecision = "accept"      // by policy, or the user for this call
	DecisionReject     ToolDecision = "reject"      // by the user
	DecisionModify     ToolDecision = "modify"      // by the user, with changed arguments
	DecisionAutoAccept ToolDecision = "auto_accept" // by the user, for all such calls
)

// ToolRecord describes one finished call.
type ToolRecord struct {
	Call         llm.ToolCall   // as the model asked
	Args         map[string]any // as it ran; differs from Call.Args if a hook or the user changed them
	Result       llm.ToolResult
	Status       ToolStatus
	ErrorType    string // core/tools/tool-registry.ts; empty unless Status is ToolError
	ErrorMessage string
	Rejected     bool // no hook saw the call: there is no such tool, or its arguments are invalid
	Display      any  // returnDisplay: a string or a value that marshals to an object
	Description  string
	DisplayName  string
	Markdown     bool
	Decision     ToolDecision
	MCPServer    string // empty for a built-in tool
	Data         map[string]any
	Started      time.Time
	Finished     time.Time

	// Followed are the calls that hooks put in the place of this one and that ran,
	// in order, each under this one's id. Result, Display and Data are then those
	// of the last one.
	Followed []ToolRecord
}

func (PromptStarted) isEvent()  {}
func (RoundStarted) isEvent()   {}
func (TextDelta) isEvent()      {}
func (ThoughtDelta) isEvent()   {}
func (ToolRequested) isEvent()  {}
func (ToolStarted) isEvent()    {}
func (ToolOutput) isEvent()     {}
func (ToolFinished) isEvent()   {}
func (RoundFinished) isEvent()  {}
func (RoundFailed) isEvent()    {}
func (RoundDiscarded) isEvent() {}
func (SideRequest) isEvent()    {}
func (Waiting) isEvent()        {}
func (Compressed) isEvent()     {}
func (Masked) isEvent()         {}
func (Stopped) isEvent()        {}
func (Blocked) isEvent()        {}
func (LoopDetected) isEvent()   {}
func (AgentStarted) isEvent()   {}
func (AgentFinished) isEvent()  {}
func (Nested) isEvent()         {}
func (Notice) isEvent()         {}

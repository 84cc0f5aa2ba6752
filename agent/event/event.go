// Package event defines what happens while an agent works, as types, and the [Sink] that
// receives it: the terminal, the JSON outputs, the transcript and telemetry all read the
// same stream. Events inform; nothing is decided here, and no field of an event may be
// changed by a Sink. What hooks did is reported on another channel (hooks.Report).
//
//	a.Sink = event.SinkFunc(func(e event.Event) {
//		switch e := e.(type) {
//		case event.TextDelta:
//			fmt.Print(e.Text)
//		case event.ToolStarted:
//			fmt.Println(e.DisplayName, e.Description)
//		}
//	})
//
// A prompt without surprises is: [PromptStarted], then for each request [RoundStarted],
// [ThoughtDelta] and [TextDelta] as they arrive, [ToolRequested], [RoundFinished], and
// for each of its calls [ToolStarted], [ToolOutput] and [ToolFinished].
package event

import (
	"time"

	"minigem/llm"
)

// Event is one of the types of this file, by value. A Sink ignores those that it does not
// know.
type Event interface{ isEvent() }

// Sink receives events in the order in which they happen. Emit must not block for long,
// because the agent waits for it. The loop emits one event at a time, and so does a
// batch of tool calls, whatever runs in parallel. Three kinds may overlap with others:
// [SideRequest] and [Waiting], which come from parallel tool calls that ask a model,
// and the [Notice] that the model is silent, which comes from a timer. So a Sink must
// lock. Events arrive by value, but their slices and maps are shared with the agent.
type Sink interface{ Emit(Event) }

// SinkFunc makes a function a [Sink]. The function has to be safe for concurrent use, as
// Sink says.
type SinkFunc func(Event)

// Emit calls f. It returns when f does.
func (f SinkFunc) Emit(e Event) { f(e) }

// Tee returns a [Sink] that sends every event to all sinks, in order; nil ones are
// skipped. A slow one delays those after it.
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
	// PromptStarted says that a prompt passed BeforeAgent and was added to the history.
	PromptStarted struct {
		// Text is the prompt as hooks read it: the user's, or the reason of an AfterAgent
		// hook that refused an answer.
		Text string
		// Attempt is 0 for the user's own prompt and counts the retries of AfterAgent
		// hooks.
		Attempt int
	}

	// RoundStarted says that a request is about to go to the model, or that a
	// BeforeModel hook is about to answer it. It is emitted again for each repetition,
	// with the same Round.
	RoundStarted struct {
		// Round counts the requests of one prompt from 1, including retries by hooks.
		Round int
		// Model is the model that is asked, after hooks.
		Model string
	}

	// TextDelta is a piece of the model's answer, as the AfterModel hooks left it.
	// Pieces may end anywhere; joined they are the text. A [RoundDiscarded] takes them
	// back.
	TextDelta struct{ Text string }

	// ThoughtDelta is a thought of the model. Subject is the text between the first
	// pair of "**", trimmed; empty if there is none. Description is the rest.
	ThoughtDelta struct{ Subject, Description string }

	// ToolRequested says that the streamed answer contains a call. It may never run:
	// hooks, the policy and the user have not seen it. Call has its ID already.
	ToolRequested struct{ Call llm.ToolCall }

	// ToolStarted: hooks, policy and user let the call run; it starts now. A tail call
	// that a hook asked for emits it again, under the same ID.
	ToolStarted struct {
		// Call has the arguments that run, which hooks or the user may have changed.
		Call llm.ToolCall
		// DisplayName is the tool's name for people, such as "ReadFile".
		DisplayName string
		// Description is one line about this call for people.
		Description string
	}

	// ToolOutput: live output of a running tool, to be shown after what came before. The
	// result of the call repeats it.
	ToolOutput struct {
		// CallID is the ID of the call in [ToolStarted].
		CallID string
		// Text is as the tool wrote it: it may hold control characters and end in the
		// middle of a line.
		Text string
	}

	// ToolFinished says that the call has its result, also if it never started. The
	// calls of one model message are reported in their order, whichever ended first.
	ToolFinished struct{ Record ToolRecord }

	// RoundFinished says that the model's answer of this round is complete, or was cut
	// off and its beginning is kept. Message is appended to the history next, unless it
	// is empty.
	RoundFinished struct {
		// Message is what hooks let pass, without thoughts. It may have no parts.
		Message llm.Message
		// Thoughts are all of this round, in order.
		Thoughts []ThoughtDelta
		// Model is the model that was asked.
		Model string
		// Usage is nil if the model did not report it.
		Usage *llm.Usage
		// FinishReason is the API's word, such as "STOP"; empty if the stream broke off.
		FinishReason string
		// Latency is the time from the request to the end of the answer, with its hooks.
		Latency time.Duration
		// Synthetic says that a BeforeModel hook answered and not the model.
		Synthetic bool
	}

	// RoundFailed says that a request failed for good, or that its stream was invalid
	// and no attempt is left. The run ends.
	RoundFailed struct {
		// Model is the model that was asked.
		Model string
		// Latency is the time until the last attempt failed, from its beginning.
		Latency time.Duration
		// Usage is nil if it is not known.
		Usage *llm.Usage
		// Err is usually an [*llm.Error] or an agent.StreamError.
		Err error
	}

	// RoundDiscarded says that the text streamed since [RoundStarted] is discarded. The
	// request is made again after Delay, perhaps to another model.
	RoundDiscarded struct {
		// Reason says what happened, for people.
		Reason string
		// Attempt is the one that failed, from 1.
		Attempt int
		// Delay is 0 if there is no wait.
		Delay time.Duration
		// Model is the model that answered. It is empty if the model repeated itself,
		// which is about an answer and not about a request.
		Model string
		// Latency is the time that the attempt took.
		Latency time.Duration
		// Usage is nil if it is not known.
		Usage *llm.Usage
	}

	// SideRequest says that a model was asked for something outside the conversation,
	// such as a summary. It is emitted once for each request, after all attempts to
	// connect.
	SideRequest struct {
		// Role is [llm.Request.Role], such as "utility_tool" or "utility_compressor"
		// (core/output/types.ts).
		Role string
		// Model is the model that was asked.
		Model string
		// Latency includes waits between attempts.
		Latency time.Duration
		// Usage is nil if it is not known.
		Usage *llm.Usage
		// Err is nil if the model answered.
		Err error
	}

	// Waiting says that a connection failed and will be tried again after Delay. It may
	// be about the agent's request or about a [SideRequest].
	Waiting struct {
		// Reason says what happened, in one sentence without a trailing period.
		Reason string
		// Attempt is the one that failed, from 1.
		Attempt int
		// Max is how many attempts there are at most.
		Max int
		// Delay is the time until the next attempt.
		Delay time.Duration
	}

	// Compressed says that the history was shortened, or could not be although the user
	// asked for it; Before and After are equal then.
	Compressed struct {
		// Before and After are the tokens of the next request.
		Before, After int
		// Status is a number of core/core/turn.ts, see compress.Status: 1 is success.
		Status int
	}

	// Masked: older tool outputs were moved to files.
	// (core/context/toolOutputMaskingService.ts)
	Masked struct {
		// Outputs is how many were moved.
		Outputs int
		// Prunable is how many tokens were beyond the newest outputs, which stay.
		Prunable int
		// Before and After are tokens of the history.
		Before, After int
	}

	// Stopped says that a hook ended the run ("continue": false).
	Stopped struct {
		// Event is the hook event, such as "BeforeTool".
		Event string
		// Reason is the hook's, for people. Never empty.
		Reason string
		// Cleared says that the hook cleared the context too (AfterAgent only).
		Cleared bool
	}

	// Blocked says that a hook denied a prompt, a request or an answer. After
	// AfterAgent the run goes on with Reason as the prompt, otherwise it ends.
	Blocked struct {
		// Event is the hook event, such as "BeforeAgent".
		Event string
		// Reason is the hook's. Never empty.
		Reason string
		// Cleared says that the hook cleared the context too (AfterAgent only).
		Cleared bool
	}

	// LoopDetected: the model repeats itself for the second time, and the run ends. Kind
	// is "consecutive_identical_tool_calls" or "chanting_identical_sentences"; Detail
	// says what was repeated, for people. The first time is a [Notice].
	LoopDetected struct{ Kind, Detail string }

	// Nested: what happened in a subagent while the call that started it ran. Event is
	// never a Nested or a [Notice]: notices of subagents arrive as they are.
	Nested struct {
		// Agent is the subagent's name.
		Agent string
		// Event is what happened, such as a [ToolStarted] of the subagent.
		Event Event
	}

	// AgentStarted says that a subagent began. ID is unique, and Name is the
	// definition's name.
	AgentStarted struct{ ID, Name string }

	// AgentFinished: the subagent ID ended; Reason is a word such as GOAL, MAX_TURNS,
	// TIMEOUT or ABORTED (core/agents/types.ts).
	AgentFinished struct {
		// ID and Name are those of [AgentStarted].
		ID, Name, Reason string
		// Rounds counts its requests to the model.
		Rounds int
		// Took includes the time in which the user was asked.
		Took time.Duration
	}

	// Notice: something that the user should know; Severity is "info", "warning" or
	// "error", Text one or more sentences.
	Notice struct{ Severity, Text string }
)

// ToolStatus is how a call ended, in the words of session files.
type ToolStatus string

// The ways in which a call ends.
const (
	// The tool ran and returned a result.
	ToolSuccess ToolStatus = "success"
	// There is no such tool, or it failed, or a hook or the policy refused it.
	ToolError ToolStatus = "error"
	// The user refused it, or the run ended before or while it ran.
	ToolCancelled ToolStatus = "cancelled"
)

// ToolDecision says who let a call run, in the words of Gemini CLI's telemetry.
type ToolDecision string

// The decisions about a call.
const (
	// The call ended before the decision: it was invalid, a hook denied it, or the run
	// ended.
	DecisionNone ToolDecision = ""
	// The policy allows it, or the user allowed this call.
	DecisionAccept ToolDecision = "accept"
	// The user refused it.
	DecisionReject ToolDecision = "reject"
	// The user allowed it with changed arguments.
	DecisionModify ToolDecision = "modify"
	// The user allowed all such calls with this one, or a PermissionRequest hook
	// allowed it.
	DecisionAutoAccept ToolDecision = "auto_accept"
)

// ToolRecord describes one finished call.
type ToolRecord struct {
	// Call is as the model asked for it.
	Call llm.ToolCall
	// Args are those that ran; they differ from Call.Args if a hook or the user changed
	// them.
	Args map[string]any
	// Result is what the model reads, under the ID and the name of Call.
	Result llm.ToolResult
	// Status says how the call ended.
	Status ToolStatus
	// ErrorType is a word of core/tools/tool-registry.ts, see tools.ErrorType; empty
	// unless Status is [ToolError].
	ErrorType string
	// ErrorMessage is what the model reads; empty if Status is [ToolSuccess].
	ErrorMessage string
	// Rejected says that no hook saw the call: there is no such tool, or its arguments
	// are invalid.
	Rejected bool
	// Display is the returnDisplay for people: a string, or a value that marshals to an
	// object such as tools.FileDiff.
	Display any
	// Description is one line about the call. If Status is [ToolError] it is the tool's
	// own description, as in Gemini CLI.
	Description string
	// DisplayName is the tool's name for people, or the name that the model used if there
	// is no such tool.
	DisplayName string
	// Markdown says that a Display that is a string is Markdown.
	Markdown bool
	// Decision says who let the call run.
	Decision ToolDecision
	// MCPServer is the server of the tool; empty for a built-in tool.
	MCPServer string
	// Data is the tool's own, for statistics; may be nil.
	Data map[string]any
	// Started is when the call was looked at first, before its hooks.
	Started time.Time
	// Finished is when it had its result, after its hooks.
	Finished time.Time

	// Followed are the calls that hooks requested instead of this one and that ran (tail
	// calls), in order, each under this one's id. Result, Display and Data belong to the
	// last of them.
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

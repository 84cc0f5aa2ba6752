package agent

import (
	"context"
	"time"

	"minigem/hooks"
	"minigem/llm"
)

// Hooks fires the events of a run; [*hooks.Engine] implements it. Each method returns
// when its event is decided. The agent calls none while another one runs.
type Hooks interface {
	// BeforeAgent fires for each prompt before it is in the history: the user's, and
	// again for the reason of each AfterAgent hook that refuses an answer.
	BeforeAgent(ctx context.Context, prompt string) hooks.Outcome
	// AfterAgent fires for each final answer. prompt is the user's own; response is "[no
	// response text]" for an empty one. stopHookActive says that the answer is to a
	// prompt of an AfterAgent hook.
	AfterAgent(ctx context.Context, prompt, response string, stopHookActive bool) hooks.AfterAgentOutcome
	// StopFailure fires once if a run ends without an answer, unless hooks ended it.
	StopFailure(ctx context.Context, f hooks.Failure)
	// BeforeModel fires for each attempt at a request. The outcome has the request to
	// send, or an answer that replaces the model's.
	BeforeModel(ctx context.Context, req *hooks.ModelRequest) hooks.BeforeModelOutcome
	// BeforeToolSelection fires after BeforeModel, unless that denied the request or
	// answered it with text alone.
	BeforeToolSelection(ctx context.Context, req *hooks.ModelRequest) *hooks.ModelRequest
	// AfterModel fires for each chunk of an answer before the [event.Sink] has it. Denied
	// means that the chunk is dropped and the turn ends.
	AfterModel(ctx context.Context, req *hooks.ModelRequest, c llm.Chunk) hooks.AfterModelOutcome
}

// ToolRunner declares tools to the model and runs the calls of its messages;
// [*toolcall.Runner] satisfies it. The agent calls one method at a time.
type ToolRunner interface {
	// Specs returns the declared tools, asked for before each request. Keep their
	// order. The slice is the agent's to keep.
	Specs() []llm.ToolSpec
	// Run runs the calls of one model message, at least one. It returns one result for
	// each, by index, whatever happened, and announces the end of each to its own Sink.
	// offers reports whether the request that was answered offered a tool, by the name
	// under which it is declared; a call of another tool must not run. The Verdict is
	//
	//   - Stop if a hook ended the run (the runner has emitted event.Stopped),
	//   - Deny if the user declined every call and left no word for the model, so that
	//     the run ends,
	//   - Proceed otherwise.
	Run(ctx context.Context, calls []llm.ToolCall, offers func(name string) bool) ([]llm.ToolResult, hooks.Verdict)
}

// History is the conversation; session.Session and [Memory] implement it. Messages that
// it has returned are never overwritten, even after Rollback or Replace, so that results
// computed from them stay valid while it only grows. See [llm.Extends].
type History interface {
	// Messages returns all messages, oldest first. The caller must not change them.
	Messages() []llm.Message
	// Append adds m at the end. A History that keeps a file has it in the file when
	// Append returns and reports write errors elsewhere, once.
	Append(m llm.Message)
	// Rollback keeps the first n messages and drops the others. It may panic if there
	// are fewer.
	Rollback(n int)
	// Replace replaces all messages by ms. The History must not keep ms itself: the
	// caller may change it.
	Replace(ms []llm.Message)
}

// Compressor shortens the history when it has grown too long; [*compress.Compressor]
// implements it.
type Compressor interface {
	// Fit changes the [History] itself, if it has to. It fires PreCompress and
	// PostCompact and emits [event.Compressed] only then. promptTokens is the provider's
	// count of the last request; 0 means that there was none yet.
	Fit(ctx context.Context, promptTokens int)
}

// Config configures an [Agent]. The zero Config has no system instruction and the default
// limits, and leaves the model's name empty, which most providers refuse.
type Config struct {
	// Model is [llm.Request.Model].
	Model string
	// System returns the system instruction. It is called before each request; nil means
	// none.
	System func() string
	// Sampling is sent with each request.
	Sampling llm.Sampling
	// Prepare is called before each request, ahead of System and of Tools.Specs, and may
	// wait for what they depend on. nil does nothing.
	Prepare func(ctx context.Context)
	// Role is [llm.Request.Role] of the requests; empty means "main".
	Role string

	// Fallback is called when a request to model has failed with err, before it is tried
	// again. If ok, the agent goes on with the model next and its sampling, from then on.
	// nil means that there is no other model.
	Fallback func(ctx context.Context, model string, err error) (next string, sampling llm.Sampling, ok bool)

	// Preamble returns how many messages at the start of the history are context of the
	// session rather than conversation: clearContext of a hook keeps them. nil means
	// none.
	Preamble func() int

	// MaxRounds is the largest number of requests for one prompt, retries by hooks
	// included. 0 means no limit.
	MaxRounds int
	// MaxSessionTurns is the largest number of requests in the life of the Agent. nil or
	// negative means no limit, 0 none at all.
	MaxSessionTurns *int
	// MaxRetries is how many answers in a row AfterAgent hooks may refuse. 0 means 10.
	MaxRetries int
	// DisableLoopDetection lets the model repeat itself forever.
	DisableLoopDetection bool

	// Now returns the time, for ids and latencies; nil means [time.Now].
	Now func() time.Time
	// Sleep waits before a request is repeated, for d or until ctx ends; nil means a real
	// wait of 1, 2 or 4 s.
	Sleep func(ctx context.Context, d time.Duration)
}

// Ending says how a run ended. Only [Answered] is a success.
type Ending string

// The endings of a run.
const (
	// Response is the model's final answer.
	Answered Ending = "answered"
	// Hooks of BeforeAgent, BeforeModel or AfterModel denied; Reason is theirs.
	Blocked Ending = "blocked"
	// A hook said "continue": false; Reason is the hook's.
	Stopped Ending = "stopped"
	// Config.MaxSessionTurns was reached: further runs of this Agent end like this,
	// too.
	MaxTurns Ending = "max_turns"
	// Config.MaxRounds was reached: the next prompt may go on.
	MaxRounds Ending = "max_rounds"
	// The model repeated itself for the second time; Reason says what.
	Loop Ending = "loop"
	// The context ended, and Err is its cause; or the user declined all calls of a
	// message.
	Cancelled Ending = "cancelled"
	// No attempt gave a usable answer. Err is a [*StreamError].
	InvalidStream Ending = "invalid_stream"
	// The model cannot be reached or refuses the request; Err says why.
	Failed Ending = "failed"
)

// Result is how a run ended.
type Result struct {
	// Response is the text of the last model message of the last attempt. It may be the
	// beginning of an answer if the run did not end as [Answered].
	Response string
	// Ending says what the other fields mean.
	Ending Ending
	// Unfinished is the finish reason of an incomplete answer, such as MAX_TOKENS, or
	// NO_FINISH_REASON if the stream broke off. Empty means that the answer is complete.
	// See the function [Unfinished].
	Unfinished string
	// Reason says why it was blocked, stopped, cancelled or found looping, for people.
	// Empty if Ending is [Answered].
	Reason string
	// Err is set for [Failed], [InvalidStream] and for a [Cancelled] whose context ended.
	// It is usually an [*llm.Error], a [*StreamError] or the cause of the context; use
	// errors.As.
	Err error
	// Usage is the sum over all requests of the run, repeated ones included.
	Usage llm.Usage
	// Rounds is how many requests the run made; a repeated one counts once.
	Rounds int
}

// noHooks allows everything.
type noHooks struct{}

// BeforeAgent adds nothing to the prompt.
func (noHooks) BeforeAgent(context.Context, string) (o hooks.Outcome) { return }

// AfterAgent accepts every answer.
func (noHooks) AfterAgent(context.Context, string, string, bool) (o hooks.AfterAgentOutcome) { return }

// StopFailure does nothing.
func (noHooks) StopFailure(context.Context, hooks.Failure) {}

// BeforeModel returns the request as it is: an outcome always has one.
func (noHooks) BeforeModel(_ context.Context, r *hooks.ModelRequest) hooks.BeforeModelOutcome {
	return hooks.BeforeModelOutcome{Request: r}
}

// BeforeToolSelection returns the request as it is.
func (noHooks) BeforeToolSelection(_ context.Context, r *hooks.ModelRequest) *hooks.ModelRequest {
	return r
}

// AfterModel returns the chunk as it is.
func (noHooks) AfterModel(_ context.Context, _ *hooks.ModelRequest, c llm.Chunk) hooks.AfterModelOutcome {
	return hooks.AfterModelOutcome{Chunk: c}
}

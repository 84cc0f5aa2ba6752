package agent

import (
	"context"
	"time"

	"minigem/hooks"
	"minigem/llm"
)

// Hooks fires the events of a run; [*hooks.Engine] implements it.
type Hooks interface {
	BeforeAgent(ctx context.Context, prompt string) hooks.BeforeAgentOutcome
	AfterAgent(ctx context.Context, prompt, response string, stopHookActive bool) hooks.AfterAgentOutcome
	StopFailure(ctx context.Context, f hooks.Failure)
	BeforeModel(ctx context.Context, req *hooks.ModelRequest) hooks.BeforeModelOutcome
	BeforeToolSelection(ctx context.Context, req *hooks.ModelRequest) hooks.BeforeToolSelectionOutcome
	AfterModel(ctx context.Context, req *hooks.ModelRequest, c llm.Chunk) hooks.AfterModelOutcome
}

// ToolRunner runs the calls of one model message; *toolcall.Runner satisfies
// it. A call of a tool that offers refuses, by the name under which it is
// declared, does not run: the request that was answered did not offer it. It
// returns one result for each call, by index, whatever happened, and
// announces each call's end to its own Sink. Its Verdict is
//
//   - Stop where a hook ended the run (the runner has emitted event.Stopped),
//   - Deny where the user declined every call and left no word for the model,
//     so that there is nothing to tell it,
//   - Proceed otherwise.
type ToolRunner interface {
	Specs() []llm.ToolSpec // the declared tools, asked for before each request
	Run(ctx context.Context, calls []llm.ToolCall, offers func(name string) bool) ([]llm.ToolResult, hooks.Verdict)
}

// History is the conversation; session.Session and [Memory] implement it.
// Messages that it has returned are never overwritten, even after Rollback or
// Replace, so that results computed from them stay valid while it only grows.
// See [llm.Extends].
type History interface {
	Messages() []llm.Message // oldest first; the caller must not change it
	Append(m llm.Message)    // on disk when it returns; write errors are reported elsewhere, once
	Rollback(n int)          // keeps the first n messages
	Replace(ms []llm.Message)
}

// Compressor shortens the history when it has grown too long. It changes the
// History itself, and fires PreCompress and PostCompact and emits [event.Compressed] only if it
// compresses. promptTokens is the provider's count of the last request; 0:
// there was none yet.
type Compressor interface {
	Fit(ctx context.Context, promptTokens int)
}

// Config configures an [Agent]. The zero Config has no system instruction and
// the default limits.
type Config struct {
	Model    string        // model name
	System   func() string // the system instruction, asked for before each request; nil: none
	Sampling llm.Sampling
	// Prepare is called before each request: after it, System and the Specs of
	// Tools return what holds now. nil: they always do.
	Prepare func(ctx context.Context)
	Role    string // role of the requests in statistics; empty: "main"

	// Fallback is asked where a request to model has failed, and says with which
	// model the agent goes on from then on. nil, or not ok: with none.
	Fallback func(ctx context.Context, model string, err error) (next string, sampling llm.Sampling, ok bool)

	// Preamble returns how many messages at the start of the history are
	// context of the session rather than conversation: clearContext keeps them.
	// nil: none.
	Preamble func() int

	MaxRounds            int  // most requests for one prompt, retries by hooks included; 0: no limit
	MaxSessionTurns      *int // most requests in the life of the Agent; nil or negative: no limit; 0: none at all
	MaxRetries           int  // how many answers in a row AfterAgent hooks may refuse; 0: 10
	DisableLoopDetection bool

	Now func() time.Time // nil: time.Now
	// waits before a mid-stream retry, or until ctx ends; nil: a real wait
	Sleep func(ctx context.Context, d time.Duration)
}

// Ending says how a run ended.
type Ending string

const (
	Answered      Ending = "answered"       // Response is the model's final answer
	Blocked       Ending = "blocked"        // BeforeAgent, BeforeModel or AfterModel denied
	Stopped       Ending = "stopped"        // a hook said "continue": false
	MaxTurns      Ending = "max_turns"      // Config.MaxSessionTurns was reached
	MaxRounds     Ending = "max_rounds"     // Config.MaxRounds was reached
	Loop          Ending = "loop"           // the model repeated itself, twice
	Cancelled     Ending = "cancelled"      // ctx ended, or the user declined all calls
	InvalidStream Ending = "invalid_stream" // no attempt gave a usable answer; Err is a [*StreamError]
	Failed        Ending = "failed"         // the model cannot be reached or refuses; Err says why
)

// Result is how a run ended.
type Result struct {
	Response string // text of the last model message of the last attempt
	Ending   Ending
	// Unfinished is the finish reason of an incomplete answer, such as
	// MAX_TOKENS; NO_FINISH_REASON if the stream broke off. Empty: the answer
	// is complete.
	Unfinished string
	Reason     string    // why it was blocked, stopped, cancelled or found looping, for people
	Err        error     // set for Failed, InvalidStream and Cancelled
	Usage      llm.Usage // sum over all requests of the run
	Rounds     int       // requests of the run; a repeated one counts once
}

// noHooks allows everything.
type noHooks struct{}

func (noHooks) BeforeAgent(context.Context, string) (o hooks.BeforeAgentOutcome) { return }

func (noHooks) AfterAgent(context.Context, string, string, bool) (o hooks.AfterAgentOutcome) { return }

func (noHooks) StopFailure(context.Context, hooks.Failure) {}

func (noHooks) BeforeModel(_ context.Context, r *hooks.ModelRequest) hooks.BeforeModelOutcome {
	return hooks.BeforeModelOutcome{Request: r}
}

func (noHooks) BeforeToolSelection(_ context.Context, r *hooks.ModelRequest) hooks.BeforeToolSelectionOutcome {
	return hooks.BeforeToolSelectionOutcome{Request: r}
}

func (noHooks) AfterModel(_ context.Context, _ *hooks.ModelRequest, c llm.Chunk) hooks.AfterModelOutcome {
	return hooks.AfterModelOutcome{Chunk: c}
}

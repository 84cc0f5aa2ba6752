// Package hooks runs the user's hooks at the lifecycle points of an agent: it plans which
// hooks run and in which order, builds what they read, merges their answers and reports
// what happened.
//
// Fill an [Engine] and call the method of the event, such as [Engine.BeforeTool]. The
// caller acts on the outcome; the engine changes nothing by itself:
//
//	e := &hooks.Engine{Config: config, Runner: command.Runner{}}
//	out := e.BeforeTool(ctx, hooks.ToolUse{Call: call})
//	if out.Denied() {
//		return out.Reason // for the model, as the call's result
//	}
//	run(out.Args) // hooks may have changed them
//
// Three rules hold everywhere. A block always blocks. Nothing is silent: the [Report]
// says of every configured hook what it did, or why it did not run. Payloads and answers
// have the form of Gemini CLI 0.61, except where docs/spec/contract.md says otherwise.
//
// Starting processes is left to hooks/command, HTTP to hooks/webhook, questions to a
// model to hooks/judge, settings files to hooks/config, and the JSON on the wire to
// hooks/protocol.
package hooks

import (
	"context"
	"fmt"
	"sync"
	"time"

	"minigem/hooks/protocol"
	"minigem/llm"
)

// Decision is what hooks say about an action. The values are ordered by strength: the
// decision of several hooks is their maximum.
type Decision int

const (
	// Proceed lets the action go on. It is also the decision of a hook that said nothing
	// or only "allow".
	Proceed Decision = iota
	// Ask makes the user confirm the call, even in yolo mode. BeforeTool only. If there
	// is no user to ask, the caller denies.
	Ask
	// Deny prevents this action; the run goes on.
	Deny
	// Stop ends the run ("continue": false).
	Stop
)

// String returns the decision's word in reports: "proceed", "ask", "deny" or "stop".
// Other values are shown as "Decision(N)".
func (d Decision) String() string {
	if d < Proceed || d > Stop {
		return fmt.Sprintf("Decision(%d)", int(d))
	}
	return [...]string{"proceed", "ask", "deny", "stop"}[d]
}

// Verdict is the merged decision of an event's hooks. The zero Verdict lets the action go
// on.
type Verdict struct {
	// Decision is the strongest decision of the hooks that ran.
	Decision Decision
	// Reason joins, by newlines and in configured order, the reasons of the hooks that
	// reached Decision. It is meant for the model, or for the user when Decision is Stop.
	// It is never empty when Decision is Deny or Stop: a hook without a reason gets "No
	// reason provided".
	Reason string
	// SystemMessage is for the user: the messages of all hooks that ran, joined by
	// newlines, without those that a hook suppressed.
	SystemMessage string
	// Hooks holds the [Hook.ID] of each hook that reached Decision; nil when it is
	// Proceed.
	Hooks []string
}

// Denied reports whether the action must not happen, that is, whether the decision is
// Deny or Stop.
func (v Verdict) Denied() bool { return v.Decision >= Deny }

// The outcomes. An outcome has no field for what hooks of its event cannot change. Every
// Context is already wrapped in <hook_context>, with < and > escaped; it is empty if no
// hook added any.
type (
	// Outcome is the outcome of events whose hooks decide and add context, no more.
	Outcome struct {
		Verdict
		// Context is for the model; the event's method says where it goes.
		Context string
	}

	// BeforeModelOutcome is the outcome of [Engine.BeforeModel]. With Deny or Stop no
	// request is sent.
	BeforeModelOutcome struct {
		Verdict
		// Request is the request to send. It is the argument itself if nothing changed.
		Request *ModelRequest
		// Response, if not nil, is a hook's answer for the model. No request is sent
		// then, whatever the decision.
		Response []llm.Chunk
	}

	// AfterModelOutcome is the outcome of [Engine.AfterModel]. Deny discards the chunk
	// and ends the turn.
	AfterModelOutcome struct {
		Verdict
		// Chunk is what to show, store and act on: the argument itself unless Replaced is
		// set. A hook may leave its Parts empty.
		Chunk llm.Chunk
		// Replaced reports whether a hook gave another chunk, even an equal one.
		Replaced bool
	}

	// BeforeToolOutcome is the outcome of [Engine.BeforeTool]. Ask forces the permission
	// prompt.
	BeforeToolOutcome struct {
		Verdict
		// Args are the arguments to run the call with: the call's own unless Changed is
		// set. The caller must validate changed arguments again.
		Args map[string]any
		// Context is for the model, to be read with the call's result. It is empty if the
		// call is denied.
		Context string
		// Changed reports whether Args differ from the call's own arguments.
		Changed bool
	}

	// PermissionRequestOutcome is the outcome of [Engine.PermissionRequest]. Deny refuses
	// the call.
	PermissionRequestOutcome struct {
		Verdict
		// Args are the arguments to ask about, or to run the call with: the call's own
		// unless Changed is set.
		Args map[string]any
		// Changed reports whether Args differ from the call's own arguments.
		Changed bool
		// Allowed holds the IDs of the hooks that allow the call, so that it needs no
		// question. It is nil if any hook denies, or if a hook that does not allow the
		// call changed its arguments.
		Allowed []string
	}

	// AfterToolOutcome is the outcome of [Engine.AfterTool]. Deny replaces the tool's
	// result by Reason.
	AfterToolOutcome struct {
		Verdict
		// Context is to be appended to the result, also when the tool failed.
		Context string
		// Tail holds the name and arguments of a call to make next, whose result replaces
		// this one. nil means none; it is always nil when the decision is Deny or Stop.
		// Calls chain at most 10 deep; the caller counts.
		Tail *llm.ToolCall
		// Instead is what the model reads instead of the tool's output. nil leaves the
		// output as it is.
		Instead *string
	}

	// AfterAgentOutcome is the outcome of [Engine.AfterAgent]. Deny makes Reason the next
	// prompt. So does a Context without a denial: the agent goes on with it.
	AfterAgentOutcome struct {
		Verdict
		// Context is what the model goes on with. It is empty if the decision is Stop.
		Context string
		// ClearContext asks the caller to clear the conversation. It is set only if a
		// hook that denied or stopped asked for it.
		ClearContext bool
	}
)

// Failure describes a turn that ended without an answer, for [Engine.StopFailure].
type Failure struct {
	// Prompt is the prompt that has no answer.
	Prompt string
	// Error is one of [protocol.Failures], such as "rate_limit". Matchers see it.
	Error string
	// Details says the same in a sentence, for people; may be empty.
	Details string
	// Said is the last text of the model in the turn; may be empty.
	Said string
}

// SubagentEnd describes how a subagent's work ended, for [Engine.SubagentStop].
type SubagentEnd struct {
	// Prompt is the task that the subagent was given.
	Prompt string
	// Response is the result that the subagent hands over, or what went wrong.
	Response string
	// Ending is GOAL if the subagent handed its result over. Otherwise it says why it did
	// not: MAX_TURNS, TIMEOUT, ERROR_NO_COMPLETE_TASK_CALL or ERROR.
	Ending string
	// Again reports whether a hook already sent this subagent on (stop_hook_active).
	Again bool
	// Transcript is the absolute path of the subagent's own transcript; empty if none is
	// kept.
	Transcript string
}

// ToolUse is a tool call as the tool events see it. Before the tool ran, only Call,
// OriginalName and MCP are set.
type ToolUse struct {
	// Call has the arguments that are about to run or, after the tool, that ran. nil
	// arguments are sent to hooks as {}.
	Call llm.ToolCall
	// OriginalName is the first tool's name if this is a tail call
	// (original_request_name).
	OriginalName string
	// OriginalArgs are the arguments that the model asked for, if hooks changed them;
	// else nil. AfterTool only.
	OriginalArgs map[string]any
	// MCP says where an MCP tool comes from; nil for a built-in tool.
	MCP *protocol.MCPContext
	// Exit is the exit status of the command that the tool ran; 0 for tools that run
	// none. AfterTool and PostToolUseFailure only.
	Exit int
	// Failed reports whether the tool failed, or its command exited with a status other
	// than 0. The engine sets it from Exit and the response; what the caller puts here is
	// overwritten.
	Failed bool
	// Took is how long the tool ran. AfterTool and PostToolUseFailure only.
	Took time.Duration
}

// ModelRequest is a request to the model, as the model events pass it on. It marshals its
// form for hooks at most once, however many hooks and chunks read it. Make one with
// [NewModelRequest] or [ModelRequest.Next]. The embedded Request must not be changed
// afterwards. Its methods are safe for concurrent use.
type ModelRequest struct {
	llm.Request

	once     sync.Once
	wire     Payload // the JSON of llm_request
	messages *messagesJSON
	// held is the restriction of tools by BeforeModel hooks that are not the project's,
	// which the project's BeforeToolSelection hooks cannot take back. It may be nil.
	held *protocol.ToolConfig

	mu      sync.Mutex
	answers [][]byte // its text so far by reader, as a JSON string without its quotes; see Said
}

// NewModelRequest wraps the first request of a conversation. Use [ModelRequest.Next] for
// the following ones.
func NewModelRequest(r llm.Request) *ModelRequest {
	return &ModelRequest{Request: r, messages: &messagesJSON{}}
}

// Next wraps the next request of the same conversation: messages that both requests have
// are not marshalled again. r may be nil, which makes it [NewModelRequest].
func (r *ModelRequest) Next(next llm.Request) *ModelRequest {
	if r == nil {
		return NewModelRequest(next)
	}
	return &ModelRequest{Request: next, messages: r.messages}
}

// Runner runs one kind of hook. command.Runner of hooks/command runs processes,
// [Functions] runs Go functions, [ByKind] chooses a Runner by [Hook.Kind].
type Runner interface {
	// Run runs h and returns when it has ended or ctx has. The engine owns the timeouts:
	// it passes [Hook.Timeout] as ctx's deadline. stdin is what the hook reads. env holds
	// the session's variables as "NAME=value" and must not be changed; the hook's own
	// variables are in h.Env. A failure is reported in [Exit.Err]. Run is called
	// concurrently.
	Run(ctx context.Context, h Hook, stdin Payload, env []string) Exit
}

// Exit describes how a hook's run ended, before its output is interpreted.
type Exit struct {
	// Code is the exit status. It is also set if the hook still exited by itself after
	// ctx ended. It is 0 or -1 if Signal is set or the hook never ran.
	Code int
	// Signal names the signal that ended the hook, such as "killed"; empty if it exited.
	Signal string
	// Err says why the hook could not be started, or that ctx ended. In the second case
	// errors.Is(Err, ctx.Err()) must hold: the engine recognizes a timeout by
	// context.DeadlineExceeded.
	Err error
	// Stdout and Stderr hold at most 1 MiB each. Of longer output they hold the beginning
	// and the end, with a line between them that says how much is missing.
	Stdout, Stderr []byte
	// StdoutTruncated reports whether Stdout was cut. A run with a cut stream counts as
	// failed, and blocks where its event can be blocked.
	StdoutTruncated bool
	// StderrTruncated is the same for Stderr.
	StderrTruncated bool
	// Duration is how long the hook ran. If it is 0, the engine fills it in.
	Duration time.Duration
	// Warning says what was unusual about the start; empty if nothing was. It goes to
	// [Run.Warnings].
	Warning string
}

// Origin describes the session that hooks run for. Most of it is in every payload or in
// the environment of every hook.
type Origin struct {
	// SessionID is the session's id (session_id, GEMINI_SESSION_ID). Hooks with "once"
	// and "async" are bound to it.
	SessionID string
	// TranscriptPath is the absolute path of the session file; empty if there is none.
	TranscriptPath string
	// Cwd is the agent's working directory, absolute (cwd, GEMINI_CWD).
	Cwd string
	// ProjectDir is the project's root (GEMINI_PROJECT_DIR, CLAUDE_PROJECT_DIR). If it is
	// empty, hooks get Cwd.
	ProjectDir string
	// PlansDir is the folder of plans (GEMINI_PLANS_DIR); may be empty.
	PlansDir string
	// Home is the user's home directory, for ~ in conditions; empty if there is none.
	Home string
}

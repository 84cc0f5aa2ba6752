// Package hooks decides what happens at the points of an agent's life
// where users may put commands of their own: which hooks run, in which order,
// what they read, how their answers merge, and what that means. It starts no
// process (hooks/command does) and reads no settings file by itself.
//
// Three rules stand above the rest: a block always blocks; nothing is silent,
// everything that did or did not happen is in the Report; and on the wire it
// is all as Gemini CLI 0.61 does it.
package hooks

import (
	"context"
	"fmt"
	"sync"
	"time"

	"minigem/hooks/protocol"
	"minigem/llm"
)

// Event is the wire name of a lifecycle point.
type Event = protocol.Event

// Decision is what hooks say about an action. The strongest wins: merging is
// max.
type Decision int

const (
	Proceed Decision = iota
	Ask              // the user must be asked, BeforeTool only
	Deny             // this action does not happen
	Stop             // the run ends
)

// String is the decision's word in reports: "proceed", "ask", "deny", "stop".
func (d Decision) String() string {
	if d < Proceed || d > Stop {
		return fmt.Sprintf("Decision(%d)", int(d))
	}
	return [...]string{"proceed", "ask", "deny", "stop"}[d]
}

// Verdict is the merged decision of an event. The zero Verdict lets pass.
type Verdict struct {
	Decision Decision
	// Reason is for the model, or for whoever reads of a stop. Never empty
	// when Decision is Deny or Stop.
	Reason string
	// SystemMessage is for the user: the hooks' messages joined by newlines.
	SystemMessage string
	// Hooks names those that reached Decision; nil when it is Proceed.
	Hooks []string
}

// Denied reports whether the action must not happen: Deny or Stop.
func (v Verdict) Denied() bool { return v.Decision >= Deny }

// The outcomes, one an event. What a hook cannot change is not in them.
type (
	// BeforeAgentOutcome: Deny ends the turn and the prompt leaves no trace;
	// Stop ends it and the prompt stays.
	BeforeAgentOutcome struct {
		Verdict
		Context string // already wrapped; for this prompt's requests only
	}

	// BeforeModelOutcome: Deny and Stop mean no call.
	BeforeModelOutcome struct {
		Verdict
		Request *ModelRequest // what to send; the argument itself if unchanged
		// Response, if not nil, is the model's answer: no call is made, whatever
		// the decision.
		Response []llm.Chunk
	}

	// BeforeToolSelectionOutcome has no decision.
	BeforeToolSelectionOutcome struct {
		Request *ModelRequest
	}

	// AfterModelOutcome: Deny discards the chunk and ends the turn.
	AfterModelOutcome struct {
		Verdict
		Chunk    llm.Chunk // the argument itself if unchanged; Parts may be empty
		Replaced bool
	}

	// BeforeToolOutcome: Ask forces the permission prompt.
	BeforeToolOutcome struct {
		Verdict
		Args    map[string]any // what to run with; the call's own if unchanged
		Context string         // already wrapped, to be read with the result; empty where the call is denied
		Changed bool
	}

	// PermissionRequestOutcome: Deny refuses the call.
	PermissionRequestOutcome struct {
		Verdict
		Args    map[string]any // what to ask about, or run with; the call's own if unchanged
		Changed bool
		Allowed []string // the hooks that allow it, where none denies
	}

	// AfterToolOutcome: Deny replaces the result by Reason.
	AfterToolOutcome struct {
		Verdict
		Context string        // already wrapped, to be appended; failed calls too
		Tail    *llm.ToolCall // Name and Args of a call to make next; nil: none
		Instead *string       // what the model reads in place of the tool's output; nil: that
	}

	// PostToolUseFailureOutcome: Deny replaces the result by Reason.
	PostToolUseFailureOutcome struct {
		Verdict
		Context string // already wrapped, to be appended
	}

	// AfterAgentOutcome: Deny retries with Reason as the prompt, and so does a
	// Context without a denial.
	AfterAgentOutcome struct {
		Verdict
		Context      string // already wrapped; what the model goes on with
		ClearContext bool
	}

	// SubagentStartOutcome: Deny keeps the agent from starting.
	SubagentStartOutcome struct {
		Verdict
		Context string // already wrapped; the agent reads it with its task
	}

	// SubagentStopOutcome: Deny sends the agent on with Reason as the prompt, and so
	// does a Context without a denial.
	SubagentStopOutcome struct {
		Verdict
		Context string // already wrapped; what the agent goes on with
	}

	// PreCompressOutcome cannot block.
	PreCompressOutcome struct {
		Context string // already wrapped, for the instructions of the summary
	}

	// SessionStartOutcome cannot block.
	SessionStartOutcome struct {
		Context       string // already wrapped
		SystemMessage string
	}
)

// Failure is the end of a turn without an answer.
type Failure struct {
	Prompt  string
	Error   string // one of protocol.Failures
	Details string // in a sentence, for people
	Said    string // what the model said last in the turn
}

// SubagentEnd is how a subagent's work ended.
type SubagentEnd struct {
	Prompt     string // its task
	Response   string // what it hands over, or what went wrong
	Ending     string // GOAL: it handed its result over; else why not
	Again      bool   // a hook sent it on before
	Transcript string // the path of its transcript; may be empty
}

// ToolUse is a call as the tool events see it.
type ToolUse struct {
	Call         llm.ToolCall
	OriginalName string               // the first tool's name, in a tail call; else empty
	OriginalArgs map[string]any       // AfterTool: as the model asked, where hooks changed them; else nil
	MCP          *protocol.MCPContext // nil: a built-in tool
	Exit         int                  // AfterTool: the status with which a command ended
	Failed       bool                 // AfterTool: the tool failed, or the command ended with another status than 0
	Took         time.Duration        // AfterTool: how long the tool ran
}

// ModelRequest is a request on its way to the model. Its form for hooks is
// marshalled at most once, however many hooks and chunks it meets. The Request
// must not be changed after it was made.
type ModelRequest struct {
	llm.Request

	once     sync.Once
	wire     Payload // the JSON of llm_request
	messages *messagesJSON
	// held is what BeforeModel hooks of others than the project say about tools,
	// which the project's BeforeToolSelection cannot take back; nil: nothing.
	held *protocol.ToolConfig

	mu      sync.Mutex
	answers [][]byte // its text so far, as AfterModel hooks read it, in JSON without the quotes: see Said
}

// NewModelRequest wraps r.
func NewModelRequest(r llm.Request) *ModelRequest {
	return &ModelRequest{Request: r, messages: &messagesJSON{}}
}

// Next wraps the request that follows on r in the same conversation: messages
// that are in both are not marshalled again. r may be nil.
func (r *ModelRequest) Next(next llm.Request) *ModelRequest {
	if r == nil {
		return NewModelRequest(next)
	}
	return &ModelRequest{Request: next, messages: r.messages}
}

// Runner runs one hook and returns when it has ended or ctx has: the engine
// owns time-outs and passes them as ctx's deadline. env are the session's
// variables, "NAME=value", which must not be changed; the hook's own are in
// h.Env. hooks/command has the real one. Run is called concurrently.
type Runner interface {
	Run(ctx context.Context, h Hook, stdin Payload, env []string) Exit
}

// Exit is how a hook's run ended.
type Exit struct {
	// exit status, of a hook that exited when ctx ended too; not above 0 if Signal is set or it never ran
	Code            int
	Signal          string // "killed", "terminated", ...; empty: it exited
	Err             error  // it could not be started, or ctx ended (then errors.Is(Err, ctx.Err()))
	Stdout, Stderr  []byte // at most 1 MiB each, the beginning and the end; where they were cut a line says so
	StdoutTruncated bool
	StderrTruncated bool
	Duration        time.Duration
	Warning         string // what was unusual about the start; empty: nothing
}

// Origin is the session that hooks read about.
type Origin struct {
	SessionID      string
	TranscriptPath string
	Cwd            string
	ProjectDir     string // the project's root: GEMINI_PROJECT_DIR
	PlansDir       string // GEMINI_PLANS_DIR
	Home           string // the user's home, for ~ in conditions; empty: there is none
}

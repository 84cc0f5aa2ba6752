// Package toolcall runs tool calls, from the model's request to the result that
// it reads, in waves of parallel calls. The order within one call is: find and
// validate, BeforeTool, validate again, policy, notification and prompt, run,
// AfterTool, tail call. What tools do, how hooks run, what the policy says and
// how a prompt looks comes from outside.
package toolcall

import (
	"context"
	"errors"
	"sync"
	"time"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/policy"
)

// Runner runs batches of calls; it implements agent.ToolRunner. The zero Runner
// has no tools. Fields may be changed between batches. A Runner runs one batch
// at a time.
type Runner struct {
	Registry *tools.Registry
	// reports whether a tool is offered; a tool that it refuses does not exist; nil: all are
	Offered func(tools.Tool) bool
	// NotOffered says why an existing tool is not offered and what to do about
	// it; the error of a call to it ends with that text. nil: the error is that
	// of a tool that does not exist.
	NotOffered func(tools.Tool) string

	Hooks    Hooks      // nil: none
	Policy   Policy     // nil: the user is asked about every call; [*policy.Engine] implements it
	Approver Approver   // nil: nobody can be asked, and calls that need an answer are denied
	Notifier Notifier   // nil: no notifications of prompts
	Sink     event.Sink // nil: events are dropped
	Subagent string     // agent that calls, for the policy; empty: the main agent

	// Prepare does what must be done before an allowed call runs, such as
	// saving the state of files. It ends soon after ctx; a call whose ctx has
	// ended then does not run. Tail calls may call it concurrently. nil:
	// nothing.
	Prepare func(ctx context.Context, call llm.ToolCall)

	// MaxOutput is the number of characters above which a truncatable output is
	// cut; 0: 40,000, negative: never.
	MaxOutput int
	// Save stores an output that is cut and returns the file's path. nil: the
	// rest is lost, and the result says so. It is called concurrently.
	Save func(call llm.ToolCall, text string) (path string, err error)
	Now  func() time.Time // nil: time.Now
}

// Hooks fires the events of a call; [*hooks.Engine] implements it. The methods
// are called concurrently.
type Hooks interface {
	BeforeTool(ctx context.Context, use hooks.ToolUse) hooks.BeforeToolOutcome
	// PermissionRequest fires before somebody is asked, and where nobody can be.
	PermissionRequest(ctx context.Context, use hooks.ToolUse) hooks.PermissionRequestOutcome
	AfterTool(ctx context.Context, use hooks.ToolUse, resp protocol.ToolResponse) hooks.AfterToolOutcome
	// PostToolUseFailure fires where the tool failed.
	PostToolUseFailure(ctx context.Context, use hooks.ToolUse, resp protocol.ToolResponse) hooks.PostToolUseFailureOutcome
	// NotOffered reports a call for which BeforeTool is not fired, and why.
	NotOffered(use hooks.ToolUse, why string)
}

// Policy decides about calls; [*policy.Engine] implements it. Calls of its
// methods never overlap.
type Policy interface {
	Check(c policy.Call) policy.Verdict
	// Lasting returns the answers that settle calls like c from now on.
	Lasting(c policy.Call) []policy.Outcome
	Remember(c policy.Call, outcome policy.Outcome)
}

// Approver asks the user. Questions never overlap.
type Approver interface {
	Approve(ctx context.Context, q Question) Answer
}

// Notifier is called for each permission prompt before it is shown, to fire the
// Notification hook and alert the user. kind is always "ToolPermission";
// message and details are those of core/hooks/hookEventHandler.ts.
type Notifier interface {
	Notify(ctx context.Context, kind, message string, details any)
}

// Question is a permission prompt.
type Question struct {
	Call   llm.ToolCall // with the arguments that will run
	Info   tools.Info
	Intent tools.Intent
	// Forced: a hook asks, whatever the policy says. HookReason and HookMessage
	// are its reason and systemMessage; they may be empty.
	Forced      bool
	HookReason  string
	HookMessage string
	// Why is why the policy does not allow the call, where that is more than the
	// mode; may be empty.
	Why string
	// Lasting are the answers that allow more than this call, and settle it.
	Lasting []policy.Outcome
	// Modifiable: the answer may be policy.ModifyWithEditor.
	Modifiable bool
}

// Answer is the user's answer to a [Question].
type Answer struct {
	// Outcome is one of policy's; an unknown one counts as policy.Cancel. After
	// policy.ModifyWithEditor the question is asked again, with the new
	// content.
	Outcome policy.Outcome
	// NewContent is the user's version of Intent.Edit.New; nil: unchanged.
	NewContent *string
	// Feedback is for the model, with a Cancel; may be empty.
	Feedback string
	// GoOn means, with a Cancel, that the model goes on, as after Feedback; else
	// the run ends.
	GoOn bool
}

// Halt is the error of a tool in which a hook said "continue": false, such as one
// that runs an agent: it ends the run of the caller, too.
type Halt struct {
	Event   string // the hook event
	Verdict hooks.Verdict
}

func (h *Halt) Error() string { return h.Verdict.Reason }

func halted(err error) *Halt {
	var h *Halt
	errors.As(err, &h)
	return h
}

// Specs returns the declarations of the offered tools, in order.
func (r *Runner) Specs() []llm.ToolSpec {
	var specs []llm.ToolSpec
	for _, t := range r.Registry.All() {
		if r.Offered == nil || r.Offered(t) {
			specs = append(specs, t.Spec())
		}
	}
	return specs
}

// Run runs calls and returns the result of each, by index. offers reports
// whether the request that the model answered declared a tool and allowed it to
// be called; nil: all tools. See agent.ToolRunner for the Verdict.
func (r *Runner) Run(ctx context.Context, calls []llm.ToolCall,
	offers func(name string) bool) ([]llm.ToolResult, hooks.Verdict) {
	b := newBatch(r, calls, offers)
	for _, wave := range b.waves() {
		b.run(ctx, wave)
	}
	results := make([]llm.ToolResult, len(calls))
	for i, c := range b.calls {
		results[i] = c.record.Result
	}
	return results, b.verdict()
}

func (r *Runner) lookup(name string) (tools.Tool, *tools.Error) {
	offered := r.Registry
	if r.Offered != nil {
		offered = offered.Filter(r.Offered)
	}
	if t := offered.Lookup(name); t != nil {
		return t, nil
	}
	missing := offered.NotFound(name)
	if t := r.Registry.Lookup(name); t != nil && r.NotOffered != nil {
		missing.Message = r.NotOffered(t)
	}
	return nil, missing
}

func (r *Runner) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

// noHooks allows everything.
type noHooks struct{}

func (noHooks) BeforeTool(_ context.Context, use hooks.ToolUse) hooks.BeforeToolOutcome {
	return hooks.BeforeToolOutcome{Args: use.Call.Args}
}

func (noHooks) PermissionRequest(_ context.Context, use hooks.ToolUse) hooks.PermissionRequestOutcome {
	return hooks.PermissionRequestOutcome{Args: use.Call.Args}
}

func (noHooks) AfterTool(context.Context, hooks.ToolUse, protocol.ToolResponse) (o hooks.AfterToolOutcome) {
	return
}

func (noHooks) PostToolUseFailure(context.Context, hooks.ToolUse,
	protocol.ToolResponse) (o hooks.PostToolUseFailureOutcome) {
	return
}

func (noHooks) NotOffered(hooks.ToolUse, string) {}

// serial is a Sink whose events never overlap, as event.Sink promises.
type serial struct {
	mu   sync.Mutex
	sink event.Sink
}

func (s *serial) emit(e event.Event) {
	if s.sink == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sink.Emit(e)
}

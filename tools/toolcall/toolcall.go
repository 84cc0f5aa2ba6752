// Package toolcall runs tool calls, from the model's request to the result that it reads,
// in waves of parallel calls. The order within one call is: find and validate,
// BeforeTool, validate again, policy, PermissionRequest, Notification and the question to
// the user, run, AfterTool and, if the tool failed, PostToolUseFailure, tail call. What
// tools do, how hooks run, what the policy says and how a question looks comes from
// outside.
//
//	r := &toolcall.Runner{
//		Registry: tools.NewRegistry(add),
//		Policy:   rules, // a policy.Engine; nil asks about every call
//		Approver: screen,
//		Sink:     sink,
//	}
//	a := &agent.Agent{Model: model, Tools: r, Sink: sink}
//
// A call always has a result for the model: an error, a refusal and a panic of the tool
// are results too.
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

// Runner runs batches of calls; it implements agent.ToolRunner. The zero Runner has no
// tools. Fields may be changed between batches. A Runner runs one batch at a time; a copy
// of it is another Runner.
type Runner struct {
	// Registry holds all tools; nil has none. It must not change while a batch runs.
	Registry *tools.Registry
	// Offered reports whether a tool is offered; a tool that it refuses does not exist
	// for the model. nil offers all. It must be safe for concurrent use. It may answer
	// differently from one call to the next, for example because the approval mode
	// changed.
	Offered func(tools.Tool) bool
	// NotOffered returns why an existing tool is not offered and what to do about it,
	// as the error of a call to it. If it is nil, the error is the one for a tool that
	// does not exist. It is called once for each such call of the model.
	NotOffered func(tools.Tool) string

	// Hooks fires the events of calls; nil means that no hook runs.
	Hooks Hooks
	// Policy decides which calls run; [*policy.Engine] implements it. nil means that the
	// user is asked about every call.
	Policy Policy
	// Approver asks the user. nil means that nobody can be asked: calls that need an
	// answer are denied.
	Approver Approver
	// Notifier is called before the user is asked; nil for no notifications.
	Notifier Notifier
	// Sink receives the events of calls, one at a time; nil drops them.
	Sink event.Sink
	// Subagent is the name of the agent that calls, for the policy; empty for the main
	// agent.
	Subagent string

	// Prepare does what must be done before an allowed call runs, such as saving the
	// state of files. It returns soon after ctx has ended; a call whose ctx has ended
	// then does not run. Tail calls may call it concurrently. nil does nothing.
	Prepare func(ctx context.Context, call llm.ToolCall)

	// MaxOutput is the number of characters above which a truncatable output is cut; 0
	// means 40,000, negative never. The first fifth and the last four fifths of it stay.
	MaxOutput int
	// Save stores an output that is cut and returns the file's path. If it is nil, the
	// rest is lost, and the result says so. It is called concurrently. The text is the
	// whole output, before hooks' contexts are added.
	Save func(call llm.ToolCall, text string) (path string, err error)
	// Now returns the time; nil means [time.Now].
	Now func() time.Time
}

// Hooks fires the events of a call; [*hooks.Engine] implements it. The methods are
// called concurrently for the calls of one wave. If ctx has ended, the outcomes do not
// count.
type Hooks interface {
	// BeforeTool fires before the policy is asked. It may deny the call, change its
	// arguments, or have the user asked; it cannot allow what the policy denies.
	BeforeTool(ctx context.Context, use hooks.ToolUse) hooks.BeforeToolOutcome
	// PermissionRequest fires before the user is asked, even if there is no user to
	// ask. It may allow or deny the call instead of the user, and change its arguments,
	// which are judged again.
	PermissionRequest(ctx context.Context, use hooks.ToolUse) hooks.PermissionRequestOutcome
	// AfterTool fires after each run of a tool, whether it failed or not. It may replace
	// the result, add to it, or request a tail call.
	AfterTool(ctx context.Context, use hooks.ToolUse, resp protocol.ToolResponse) hooks.AfterToolOutcome
	// PostToolUseFailure fires after AfterTool. The engine ignores it if resp is no
	// failure.
	PostToolUseFailure(ctx context.Context, use hooks.ToolUse, resp protocol.ToolResponse) hooks.Outcome
	// NotOffered reports a call of a tool that the request did not offer, for which
	// BeforeTool is not fired, and why.
	NotOffered(use hooks.ToolUse, why string)
}

// Policy decides about calls; [*policy.Engine] implements it. Calls of its methods never
// overlap.
type Policy interface {
	// Check returns whether c runs, is denied, or needs an answer. It is called for each
	// step of a call after BeforeTool, and again after its arguments changed.
	Check(c policy.Call) policy.Verdict
	// Lasting returns the answers that settle calls like c from now on, for the question.
	Lasting(c policy.Call) []policy.Outcome
	// Remember makes such an answer a rule.
	Remember(c policy.Call, outcome policy.Outcome)
}

// Approver asks the user. Questions never overlap. Approve returns soon after ctx has
// ended; its answer does not count then. The next question waits for the answer, and so
// do the calls of the batch that have not been decided on.
type Approver interface {
	// Approve puts the question to the user and waits for the answer.
	Approve(ctx context.Context, q Question) Answer
}

// Notifier is called for each permission prompt before it is shown, to fire the
// Notification hook and alert the user. kind is always "ToolPermission"; message and
// details are as in core/hooks/hookEventHandler.ts. The question is put once Notify has
// returned.
type Notifier interface {
	// Notify returns when the hooks have ended. It cannot change the question.
	Notify(ctx context.Context, kind, message string, details any)
}

// Question is a permission prompt.
type Question struct {
	// Call has the arguments that will run.
	Call llm.ToolCall
	// Info and Intent describe the call for people.
	Info tools.Info
	// Intent is new for each question: after an edit by the user it describes the
	// edited call.
	Intent tools.Intent
	// Forced says that a hook asks, whatever the policy says. HookReason and HookMessage
	// are its reason and systemMessage; they may be empty.
	Forced bool
	// HookReason is the reason of the hooks that ask, joined by newlines.
	HookReason string
	// HookMessage is what these hooks have to say to the user.
	HookMessage string
	// Why says why the policy does not allow the call, if there is more to say than its
	// mode; may be empty.
	Why string
	// Lasting are the answers that allow more than this call, and settle it. Offer no
	// other lasting answer.
	Lasting []policy.Outcome
	// Modifiable says that the answer may be [policy.ModifyWithEditor].
	Modifiable bool
}

// Answer is the user's answer to a [Question]. The zero Answer refuses the call and ends
// the run.
type Answer struct {
	// Outcome is one of policy's; an unknown one counts as [policy.Cancel]. After
	// [policy.ModifyWithEditor] the question is asked again, with the new content.
	Outcome policy.Outcome
	// NewContent is the user's version of Intent.Edit.New; nil if it is unchanged.
	NewContent *string
	// Feedback is for the model, with a Cancel; may be empty.
	Feedback string
	// GoOn means, with a Cancel, that the model goes on, as after Feedback; else the run
	// ends.
	GoOn bool
}

// Halt is the error of a tool in which a hook said "continue": false, such as one that
// runs an agent: it ends the run of the caller, too. It is found with errors.As.
type Halt struct {
	// Event is the hook event, such as "SubagentStop".
	Event string
	// Verdict is the hooks' decision; its Reason is for people.
	Verdict hooks.Verdict
}

// Error returns the reason.
func (h *Halt) Error() string { return h.Verdict.Reason }

// halted returns the Halt in err, or nil.
func halted(err error) *Halt {
	var h *Halt
	errors.As(err, &h)
	return h
}

// Specs returns the declarations of the offered tools, in the order of the Registry. A
// nil Registry has none.
func (r *Runner) Specs() []llm.ToolSpec {
	var specs []llm.ToolSpec
	for _, t := range r.offered().All() {
		specs = append(specs, t.Spec())
	}
	return specs
}

// Run runs calls and returns the result of each, by index. offers reports whether the
// request that the model answered declared a tool and allowed it to be called; nil means
// all tools. A call that declines, fails or is cancelled has an error as its result. See
// agent.ToolRunner for the Verdict.
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

// offered returns the tools that are offered.
func (r *Runner) offered() *tools.Registry {
	if r.Offered == nil {
		return r.Registry
	}
	return r.Registry.Filter(r.Offered)
}

// lookup returns the tool of that name if it is offered, or nil.
func (r *Runner) lookup(name string) tools.Tool {
	t := r.Registry.Lookup(name)
	if t == nil || r.Offered == nil || r.Offered(t) {
		return t
	}
	return r.offered().Lookup(name) // perhaps it is also an older name of another tool
}

// missing returns the error for the model about a tool that lookup does not find.
func (r *Runner) missing(name string) *tools.Error {
	err := r.offered().NotFound(name)
	if t := r.Registry.Lookup(name); t != nil && r.NotOffered != nil {
		err.Message = r.NotOffered(t)
	}
	return err
}

// now returns the time by Runner.Now.
func (r *Runner) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

// noHooks allows everything.
type noHooks struct{}

// BeforeTool returns the arguments as they are: an outcome always has them.
func (noHooks) BeforeTool(_ context.Context, use hooks.ToolUse) hooks.BeforeToolOutcome {
	return hooks.BeforeToolOutcome{Args: use.Call.Args}
}

// PermissionRequest decides nothing, so that the user is asked.
func (noHooks) PermissionRequest(_ context.Context, use hooks.ToolUse) hooks.PermissionRequestOutcome {
	return hooks.PermissionRequestOutcome{Args: use.Call.Args}
}

// AfterTool leaves the result as it is.
func (noHooks) AfterTool(context.Context, hooks.ToolUse, protocol.ToolResponse) (o hooks.AfterToolOutcome) {
	return
}

// PostToolUseFailure adds nothing.
func (noHooks) PostToolUseFailure(context.Context, hooks.ToolUse,
	protocol.ToolResponse) (o hooks.Outcome) {
	return
}

// NotOffered does nothing.
func (noHooks) NotOffered(hooks.ToolUse, string) {}

// serial is a Sink whose events never overlap, as event.Sink promises.
type serial struct {
	mu   sync.Mutex
	sink event.Sink
}

// emit passes e on when no other event is being passed on.
func (s *serial) emit(e event.Event) {
	if s.sink == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sink.Emit(e)
}

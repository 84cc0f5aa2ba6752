package toolcall

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/tools"
	"minigem/tools/policy"
)

// permit asks the policy and, if it or a hook demands that, PermissionRequest hooks and
// the user. A hook's ask forces the prompt but never weakens a policy's deny; without a
// user to ask it denies.
func (c *call) permit(ctx context.Context) {
	c.batch.asking <- struct{}{}
	defer func() { <-c.batch.asking }()
	if !c.mayStart(ctx) || c.decided() || c.inVain() {
		return
	}
	allowed := c.request(ctx)
	if c.finished {
		return
	}
	forced := c.judged.Decision == hooks.Ask
	switch {
	case allowed != "" && !forced:
		c.record.Decision = event.DecisionAutoAccept
		c.batch.sink.emit(event.Notice{Severity: "info", Text: fmt.Sprintf("The hook %s allowed %s: %s", allowed, c.step.Name,
			c.describe())})
	case c.batch.Approver != nil:
		c.confirm(ctx, forced)
	case forced:
		reason := cmp.Or(c.judged.Reason, "a hook wants the user to be asked")
		c.fail(&tools.Error{Type: tools.ErrPolicyViolation, Message: blockedPrefix + reason + " (nobody can be asked in " +
			"this session)"})
	default:
		c.fail(policyDenial("It has to be confirmed, and nobody can be asked in this session."))
	}
}

// decided reports whether the call needs no answer: the policy denies it, or allows it
// and no hook asks.
func (c *call) decided() bool {
	verdict := policy.Verdict{Decision: policy.Ask}
	if c.batch.Policy != nil {
		verdict = c.batch.Policy.Check(c.policyCall())
	}
	switch {
	case verdict.Decision >= policy.Deny:
		c.fail(policyDenial(cmp.Or(verdict.Message, verdict.Reason)))
	case verdict.Decision == policy.Allow:
		if held, ok := c.inv.(tools.Confinable); ok { // even if a hook asks: an ask loosens no rule
			held.Confine(verdict.OnlyReads, verdict.Sandbox)
		}
		if c.judged.Decision == hooks.Ask {
			return false
		}
		c.record.Decision = event.DecisionAccept
	default:
		c.why = verdict.Reason
		return false
	}
	return true
}

// inVain reports whether the call is known to fail. It fails then like any other call,
// and the user is not asked about it. It fails whatever changes meanwhile, because no one
// allowed it.
func (c *call) inVain() bool {
	checkable, ok := c.inv.(tools.Checkable)
	if !ok {
		return false
	}
	if err := guard(checkable.Check); err != nil {
		c.inv = failing{c.inv, err}
		return true
	}
	return false
}

// failing is an invocation that was found to fail.
type failing struct {
	tools.Invocation
	err error
}

// Run returns the error that was found.
func (f failing) Run(context.Context) (tools.Result, error) { return tools.Result{}, f.err }

// request fires PermissionRequest, and says which hooks allow the call. What they
// change is judged again, by BeforeTool hooks and the policy.
func (c *call) request(ctx context.Context) (allowed string) {
	out := c.batch.Hooks.PermissionRequest(ctx, c.use())
	switch {
	case c.refusedBy("PermissionRequest", out.Verdict):
	case ctx.Err() != nil:
		c.cancel(ctx, "")
	case out.Changed:
		c.rejudge(ctx, out.Args)
	}
	return strings.Join(out.Allowed, ", ")
}

// rejudge goes on with other arguments.
func (c *call) rejudge(ctx context.Context, args map[string]any) {
	before := c.judged
	c.step.Args, c.changed = args, true
	if err := c.prepare(); err != nil {
		err.Type, err.Message = tools.ErrInvalidParams, badInputPrefix+err.Message
		c.fail(err)
		return
	}
	if c.before(ctx); c.finished {
		return
	}
	if before.Decision == hooks.Ask && c.judged.Decision != hooks.Ask {
		c.judged.Verdict = before.Verdict
	}
	c.judged.Context = strings.Trim(before.Context+"\n\n"+c.judged.Context, "\n")
	if c.batch.Policy != nil {
		if v := c.batch.Policy.Check(c.policyCall()); v.Decision >= policy.Deny {
			c.fail(policyDenial(cmp.Or(v.Message, v.Reason)))
		}
	}
}

// policyDenial returns the error for a call that the policy, or no answer, denies.
func policyDenial(why string) *tools.Error {
	return &tools.Error{Type: tools.ErrPolicyViolation, Message: strings.TrimSpace(deniedByPolicy + " " + why)}
}

// policyCall returns the step as the policy sees it, under the tool's current name even
// if the model used an alias.
func (c *call) policyCall() policy.Call {
	return policy.Call{
		Tool: c.tool.Spec().Name, Info: c.tool.Info(), Args: c.step.Args, Intent: c.intent(), Subagent: c.batch.Subagent,
	}
}

// confirm asks the user until the answer is not another edit.
func (c *call) confirm(ctx context.Context, forced bool) {
	decision := event.DecisionAccept
	for {
		answer := c.ask(ctx, forced)
		if ctx.Err() != nil {
			c.cancel(ctx, "")
			return
		}
		if answer.NewContent != nil && answer.Outcome != policy.Cancel {
			if !c.modify(*answer.NewContent) {
				return
			}
			decision = event.DecisionModify
		}
		if c.answered(answer, decision) {
			return
		}
		switch answer.Outcome {
		case policy.ModifyWithEditor:
			continue
		case policy.ProceedOnce:
			c.record.Decision = decision
		case policy.ProceedAlways, policy.ProceedAlwaysSandbox, policy.ProceedAlwaysServer, policy.ProceedAlwaysTool:
			c.record.Decision = event.DecisionAutoAccept
			if c.batch.Policy != nil {
				c.batch.Policy.Remember(c.policyCall(), answer.Outcome)
			}
			if held, ok := c.inv.(tools.Confinable); ok {
				held.Confine(false, answer.Outcome == policy.ProceedAlwaysSandbox)
			}
		default:
			c.decline(answer)
		}
		return
	}
}

// answered hands the answer to a call that depends on it, and reports whether
// that was all.
func (c *call) answered(a Answer, allowed event.ToolDecision) bool {
	to, ok := c.inv.(tools.Answerable)
	if !ok || a.Outcome == policy.ModifyWithEditor {
		return false
	}
	always := a.Outcome == policy.ProceedAlways
	no := a.Outcome != policy.ProceedOnce && !always
	if !to.Answered(!no, always, a.Feedback) && no {
		return false
	}
	if c.record.Decision = allowed; no {
		c.record.Decision = event.DecisionReject
	}
	return true
}

// ask puts the question to the user, after alerts and Notification hooks.
func (c *call) ask(ctx context.Context, forced bool) Answer {
	q := Question{Call: c.step, Info: c.tool.Info(), Intent: c.intent(), Forced: forced, Why: c.why}
	_, q.Modifiable = c.inv.(tools.Modifiable)
	switch {
	case forced: // whatever the policy says
		q.HookReason, q.HookMessage = c.judged.Reason, c.judged.SystemMessage
	case c.batch.Policy != nil:
		q.Lasting = c.batch.Policy.Lasting(c.policyCall())
	}
	if c.batch.Notifier != nil {
		message, details := notification(q)
		c.batch.Notifier.Notify(ctx, "ToolPermission", message, details)
	}
	return c.batch.Approver.Approve(ctx, q)
}

// modify applies the user's edit and reports whether it is valid.
func (c *call) modify(content string) bool {
	m, ok := c.inv.(tools.Modifiable)
	if !ok {
		return true
	}
	c.step.Args = m.WithContent(content)
	if err := c.prepare(); err != nil {
		c.fail(err)
		return false
	}
	return true
}

// decline answers the call with the user's no, which applies to all waiting
// calls.
func (c *call) decline(a Answer) {
	feedback := a.Feedback
	c.declined, c.feedback = true, feedback != "" || a.GoOn
	c.record.Decision = event.DecisionReject
	text := cancelledPrefix + "the user did not allow this call."
	if feedback != "" {
		text += " The user said: " + feedback
	}
	c.batch.stopAll("the user declined "+c.step.Name, false)
	c.dismiss(text)
}

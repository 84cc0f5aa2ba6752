package hooks

// How the finished run of a hook is interpreted.

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"minigem/hooks/protocol"
)

// failure returns why the run did not end by itself, or "" if it exited.
func (r *Run) failure(ctx context.Context, limit time.Duration) string {
	switch x := r.Exit; {
	case r.TimedOut:
		return fmt.Sprintf("timed out after %dms", limit.Milliseconds())
	case x.Err != nil && ctx.Err() != nil:
		return "cancelled"
	case x.Err != nil:
		return x.Err.Error()
	case x.Signal != "":
		return "killed by signal " + x.Signal
	}
	return ""
}

// judge sets the decision from what was read, and applies onError.
func (r *Run) judge(ev protocol.Event) {
	o := &r.Reading.Output
	r.Failed = r.Reading.Failed
	r.Warnings = append(r.Warnings, r.Reading.Warnings...)
	if r.Hook.OnError == "block" && (r.Failed != "" || r.Reading.Garbled) {
		if ev.CanBlock() {
			r.block("its onError is block", cmp.Or(r.Failed, "its output is not a valid answer"))
		} else if !o.Stop && o.Decision != protocol.Deny {
			r.Warnings = append(r.Warnings, fmt.Sprintf("onError \"block\" has no effect: %s cannot be blocked", ev))
		}
	}
	switch {
	case o.Stop:
		r.Decision = Stop
	case o.Decision == protocol.Deny:
		r.Decision = Deny
	case o.Decision == protocol.Ask:
		r.Decision = Ask
	}
}

// block makes a failed run deny, unless it denies or stops already.
func (r *Run) block(rule, cause string) {
	if o := &r.Reading.Output; !o.Stop && o.Decision != protocol.Deny {
		o.Decision, o.Reason = protocol.Deny, fmt.Sprintf("hook %q failed, and %s: %s", r.Hook.ID(), rule, cause)
	}
}

// withhold records that a hook was kept from running. It denies where hooks of ev can
// deny, except at AfterAgent, where the answer would be sent back again and again.
func (r *Run) withhold(ev protocol.Event, why string) {
	r.Failed, r.Reading.Failed = why, why
	if !ev.CanBlock() || ev == protocol.AfterAgent {
		return
	}
	r.Reading.Output.Decision, r.Reading.Output.Reason, r.Decision = protocol.Deny, why, Deny
}

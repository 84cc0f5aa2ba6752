package record

import (
	"fmt"
	"strings"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// hookLines say which hooks ran, and what they decided.
func (r *Recorder) hookLines(b *strings.Builder) {
	var fired tally
	for _, rep := range r.reports {
		if !r.comesAgain(rep) {
			continue
		}
		for _, run := range rep.Runs {
			if run.Ran() && !run.Left && run.Failed != "cancelled" {
				fired.add(r.firedBy(rep, run))
			}
		}
	}
	for _, what := range fired.order {
		event, hook, _ := strings.Cut(what, "\x00")
		hook, conditions, _ := strings.Cut(hook, "\x00")
		fmt.Fprintf(b, "fired %s %s%s %s\n", event, wordOf(hook), conditions,
			r.times(fired.n[what], r.unmistakable(event, hook)))
	}
}

// comesAgain: the event happens in the case too, as it did in the run.
func (r *Recorder) comesAgain(rep hooks.Report) bool {
	switch rep.Event {
	case protocol.SessionStart:
		return rep.Subject == "clear" || !r.o.Resumed
	case protocol.SessionEnd:
		return rep.Subject == "exit" || rep.Subject == "clear"
	}
	return true
}

// firedBy is what a run was, in parts: event, hook, conditions.
func (r *Recorder) firedBy(rep hooks.Report, run hooks.Run) string {
	o := run.Reading.Output
	decision := run.Decision.String()
	if run.Decision == hooks.Proceed && o.Decision != "" {
		decision = o.Decision
	}
	var conditions strings.Builder
	conditions.WriteString(r.whose(rep))
	if decision != "" && !strings.ContainsAny(decision, " '\"\n") {
		fmt.Fprintf(&conditions, " decision=%s", decision)
	}
	reason := o.Reason
	if o.Stop {
		reason = o.StopReason
	}
	if reason != "" && len(reason) <= 120 && r.lasting(reason) {
		conditions.WriteString(" reason=" + wordOf(reason))
	}
	switch {
	case run.TimedOut:
		conditions.WriteString(" exit='timed out'")
	case run.Exit.Code > 0:
		fmt.Fprintf(&conditions, " exit=%d", run.Exit.Code)
	}
	return fmt.Sprintf("%s\x00%s\x00%s", rep.Event, r.hookName(run.Hook), conditions.String())
}

// hookName is what a hook is called in the case.
func (r *Recorder) hookName(h hooks.Hook) string {
	if h.Name != "" {
		return r.clean.text(h.Name)
	}
	return r.clean.code(h.Target())
}

// lasting: text is the same in another folder, at another time.
func (r *Recorder) lasting(text string) bool {
	taken := r.clean.taken
	same := r.clean.text(text) == text
	r.clean.taken = taken
	return same && !strings.Contains(text, "\n") && !strings.ContainsFunc(text, func(c rune) bool {
		return c >= '0' && c <= '9'
	})
}

// unmistakable: no other hook of the event is meant by the name too.
func (r *Recorder) unmistakable(event, name string) bool {
	n := 0
	for _, h := range r.ran() {
		if string(h.Event) == event && (r.hookName(h) == name || strings.Contains(h.Target(), name)) {
			n++
		}
	}
	return n <= 1
}

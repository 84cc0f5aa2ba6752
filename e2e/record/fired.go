package record

import (
	"fmt"
	"strings"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// hookLines adds assertions on which hooks ran and what they decided.
func (w writer) hookLines(b *strings.Builder) {
	var fired tally
	for _, rep := range w.reports {
		if !w.comesAgain(rep) {
			continue
		}
		for _, run := range rep.Runs {
			if run.Ran() && !run.Left && run.Failed != "cancelled" {
				fired.add(w.firedBy(rep, run))
			}
		}
	}
	for _, what := range fired.order {
		event, hook, _ := strings.Cut(what, "\x00")
		hook, conditions, _ := strings.Cut(hook, "\x00")
		fmt.Fprintf(b, "fired %s %s%s %s\n", event, wordOf(hook), conditions,
			w.times(fired.n[what], w.unmistakable(event, hook)))
	}
}

// comesAgain reports whether the event also happens when the case runs.
func (w writer) comesAgain(rep hooks.Report) bool {
	switch rep.Event {
	case protocol.SessionStart:
		return rep.Subject == "clear" || !w.o.Resumed
	case protocol.SessionEnd:
		return rep.Subject == "exit" || rep.Subject == "clear"
	}
	return true
}

// firedBy describes a hook run in parts: event, hook, conditions.
func (w writer) firedBy(rep hooks.Report, run hooks.Run) string {
	o := run.Reading.Output
	decision := run.Decision.String()
	if run.Decision == hooks.Proceed && o.Decision != "" {
		decision = o.Decision
	}
	var conditions strings.Builder
	conditions.WriteString(w.whose(rep))
	if decision != "" && !strings.ContainsAny(decision, " '\"\n") {
		fmt.Fprintf(&conditions, " decision=%s", decision)
	}
	reason := o.Reason
	if o.Stop {
		reason = o.StopReason
	}
	if reason != "" && len(reason) <= 120 && w.lasting(reason) {
		conditions.WriteString(" reason=" + wordOf(reason))
	}
	switch {
	case run.TimedOut:
		conditions.WriteString(" exit='timed out'")
	case run.Exit.Code > 0:
		fmt.Fprintf(&conditions, " exit=%d", run.Exit.Code)
	}
	return fmt.Sprintf("%s\x00%s\x00%s", rep.Event, w.hookName(run.Hook), conditions.String())
}

// hookName returns the name of a hook in the case.
func (w writer) hookName(h hooks.Hook) string {
	if h.Name != "" {
		return w.clean.text(h.Name)
	}
	return w.clean.code(h.Target())
}

// lasting reports whether text does not depend on the folder or the time.
func (w writer) lasting(text string) bool {
	taken := w.clean.taken
	same := w.clean.text(text) == text
	w.clean.taken = taken
	return same && !strings.Contains(text, "\n") && !strings.ContainsFunc(text, func(c rune) bool {
		return c >= '0' && c <= '9'
	})
}

// unmistakable reports whether name refers to no other hook of the event.
func (w writer) unmistakable(event, name string) bool {
	n := 0
	for _, h := range w.ran() {
		if string(h.Event) == event && (w.hookName(h) == name || strings.Contains(h.Target(), name)) {
			n++
		}
	}
	return n <= 1
}

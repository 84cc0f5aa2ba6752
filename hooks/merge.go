package hooks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"minigem/hooks/protocol"
)

// noReason is the reason of a denial that gives none (core/scheduler/hook-utils.ts).
const noReason = "No reason provided"

// merge returns the decision of all runs: the strongest, with the reasons of the hooks
// that reached it, in the order of running.
func merge(runs []Run) Verdict {
	var v Verdict
	for i := range runs {
		if runs[i].Ran() {
			v.Decision = max(v.Decision, runs[i].Decision)
		}
	}
	var reasons, messages []string
	for i := range runs {
		r := &runs[i]
		if !r.Ran() {
			continue
		}
		if o := r.Reading.Output; o.SystemMessage != "" && !o.SuppressOutput {
			messages = append(messages, o.SystemMessage)
		}
		if v.Decision == Proceed || r.Decision != v.Decision {
			continue
		}
		v.Hooks = append(v.Hooks, r.Hook.ID())
		if reason := r.GivenReason(); reason != "" {
			reasons = append(reasons, reason)
		}
	}
	v.Reason = strings.Join(reasons, "\n")
	v.SystemMessage = strings.Join(messages, "\n")
	if v.Reason == "" && v.Denied() {
		v.Reason = noReason
	}
	return v
}

// GivenReason returns the reason that the hook gave for its decision: the stop reason if
// the decision is Stop, else the reason. It may be empty.
func (r *Run) GivenReason() string {
	o := r.Reading.Output
	if r.Decision == Stop {
		return o.StopReason
	}
	return o.Reason
}

// messages returns what the user should see of an event. Each warning and note is shown
// once per hook, the warnings of a run on one line. Failures at the model events, which
// fire many times a turn, are also shown once.
func (e *Engine) messages(rep *Report) []Message {
	var out []Message
	for i := range rep.Runs {
		r := &rep.Runs[i]
		if !r.Ran() || r.Left {
			continue
		}
		id, o := r.Hook.Label(), r.Reading.Output
		add := func(kind string, text string) {
			out = append(out, Message{Hook: id, Kind: kind, Text: text, Suppressed: kind == MessageSystem && o.SuppressOutput})
		}
		once := func(text string) bool {
			return e.warned.add(strings.Join([]string{string(rep.Event), r.Hook.Source.String(), id, text}, "\x00"))
		}
		if r.Hook.Note != "" && e.warned.add("note\x00"+r.Hook.Source.String()+"\x00"+id+"\x00"+r.Hook.Note) {
			add(MessageNote, r.Hook.Note)
		}
		if o.SystemMessage != "" {
			add(MessageSystem, o.SystemMessage)
		}
		// What follows the colon may differ every time.
		failure, _, _ := strings.Cut(r.Failed, ": ")
		if r.Failed != "" && (!perChunk(rep.Event) || once(failure)) {
			add(MessageFailure, fmt.Sprintf("hook %q for %s failed: %s", id, rep.Event, r.Failed))
		}
		var fresh []string
		for _, w := range r.Warnings {
			if e.warned.add(strings.Join([]string{r.Hook.Source.File, r.Hook.ID(), w}, "\x00")) {
				fresh = append(fresh, w)
			}
		}
		if len(fresh) > 0 {
			add(MessageWarning, fmt.Sprintf("hook %q for %s: %s", id, rep.Event, oneLine(fresh)))
		}
	}
	return out
}

// oneLine shortens warnings for people; the report has all of them. Warnings that guess
// what was meant come first, because they matter more than a superfluous field.
func oneLine(warnings []string) string {
	const most = 2
	slices.SortStableFunc(warnings, func(a, b string) int {
		return cmp.Compare(strings.Count(b, "did you mean"), strings.Count(a, "did you mean"))
	})
	if n := len(warnings) - most; n > 0 {
		return fmt.Sprintf("%s; and %d more (--hook-trace FILE has them all)", strings.Join(warnings[:most], "; "), n)
	}
	return strings.Join(warnings, "; ")
}

// perChunk reports whether ev fires many times in one turn.
func perChunk(ev protocol.Event) bool {
	return ev == "AfterModel" || ev == "BeforeModel" || ev == "BeforeToolSelection"
}

// wrapContext wraps context for the model in <hook_context>. Empty stays empty.
func wrapContext(text string) string {
	if text == "" {
		return ""
	}
	return "<hook_context>" + strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(text) + "</hook_context>"
}

// joinLines joins a and b by a newline, unless one is empty.
func joinLines(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "\n" + b
}

package hooks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// noReason is what a denial says that gives no reason
// (core/scheduler/hook-utils.ts).
const noReason = "No reason provided"

// merge is the decision of all runs: the strongest wins, with the reasons of
// those that reached it, in the order of running.
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

// GivenReason is what r says for its decision; may be empty.
func (r *Run) GivenReason() string {
	o := r.Reading.Output
	if r.Decision == Stop {
		return o.StopReason
	}
	return o.Reason
}

// messages are what the user is to see of an event. Warnings and notes come
// once for each hook, on one line a run; so are the failures of model events,
// which come with every chunk.
func (e *Engine) messages(rep *Report) []Message {
	var out []Message
	for i := range rep.Runs {
		r := &rep.Runs[i]
		if !r.Ran() || r.Left {
			continue
		}
		id, o := r.Hook.Label(), r.Reading.Output
		add := func(kind MessageKind, text string) {
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

// oneLine is what people read of warnings; the report has all of them. Those that
// say what was meant come first: more hangs on them than on a field too many.
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

func perChunk(ev Event) bool {
	return ev == "AfterModel" || ev == "BeforeModel" || ev == "BeforeToolSelection"
}

// wrapContext puts what hooks want the model to know in its wrapper; empty
// stays empty.
func wrapContext(text string) string {
	if text == "" {
		return ""
	}
	return "<hook_context>" + strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(text) + "</hook_context>"
}

// joinLines joins what several hooks say; empty ones say nothing.
func joinLines(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "\n" + b
}

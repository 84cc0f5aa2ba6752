package testbed

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// A hook that never saw a call proves nothing, so calls of the model that did not run are
// reported with their place in the script.

// calledAt returns where the script makes the call of r.Finished[i], as "file:line". It is
// empty if a hook replaced the call.
func (r *Record) calledAt(i int) string {
	same := func(c llm.ToolCall) bool {
		return c.Name == r.Finished[i].Call.Name && sameArgs(c.Args, r.Finished[i].Call.Args)
	}
	nth := 0
	for _, f := range r.Finished[:i] {
		if same(f.Call) {
			nth++
		}
	}
	where := ""
	for _, round := range r.rounds {
		for n, chunk := range round.Chunks {
			for _, part := range chunk.Parts {
				if call, ok := part.(llm.ToolCall); ok && same(call) {
					if where = callAt(round, n); nth == 0 {
						return where
					}
					nth--
				}
			}
		}
	}
	return where // the answer is repeated
}

// callAt returns where the call of chunk n is written.
func callAt(r Round, n int) string {
	if line := r.Lines[n]; line > 0 {
		return fmt.Sprintf("%s:%d", r.File, line)
	}
	return fmt.Sprintf("%s:%d", r.File, r.Line)
}

func sameArgs(a, b map[string]any) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b) || compact(a) == compact(b)
}

// ran reports whether f's tool was started, whatever the outcome.
func (r *Record) ran(f event.ToolRecord) bool {
	return slices.ContainsFunc(r.Started, func(s event.ToolStarted) bool { return s.Call.ID == f.Call.ID })
}

// notRun lists the calls of the model whose tool did not run, one a line, with their place
// in the script and the reason. It leaves out calls that failures mention. It also lists
// detected loops.
func (r *Record) notRun(failures []Failure) string {
	var b strings.Builder
	for i, f := range r.Finished {
		if r.ran(f) {
			continue
		}
		at := r.calledAt(i)
		if slices.ContainsFunc(failures, func(f Failure) bool { return f.Where == at }) {
			continue
		}
		what := "was refused"
		if f.Status == event.ToolCancelled {
			what = "was not made"
		}
		if at != "" {
			at = " (" + at + ")"
		}
		fmt.Fprintf(&b, "the model's call %s%s %s: %s\n", f.Call.Name, at, what, oneLine(ResultText(f.Result), 300))
	}
	for _, loop := range r.loops {
		fmt.Fprintf(&b, "the run ended because the model repeated itself: %s\n", strings.TrimSpace(loop.Kind+" "+loop.Detail))
	}
	return r.shorten(b.String())
}

// rejected fails the case for each call that was rejected before any hook saw it, because
// the script wrote it wrong, unless an assertion expects that.
func (r *runner) rejected() {
	record := r.rec.soFar()
	var found []Failure
	for i, f := range record.Finished {
		if !f.Rejected || record.expects(f) {
			continue
		}
		where := record.calledAt(i)
		if where == "" {
			where = r.c.Path
		}
		hint := ""
		if strings.Contains(ResultText(f.Result), "is protected (") {
			hint = "minigem refuses it by itself, before hooks and in every mode: no setting and no section allows it.\n" +
				"A guard of it can be tested with a command, such as shell cat .env, or in agents that allow it: --as claude\n"
		}
		found = append(found, Failure{
			Where: where, Command: "call " + f.Call.Name + " " + oneLine(compact(f.Call.Args), 200),
			Expected: "a valid call: no hook ever sees this one, so the case proves nothing about it",
			Actual:   "it was refused before BeforeTool: " + ResultText(f.Result),
			Detail: hint + fmt.Sprintf(
				"if that is what the case is about, say so: tool-result %s error=%s\n"+
					"every tool's arguments: minigem hooks schema --tools\n",
				f.Call.Name, f.ErrorType),
		})
	}
	after := r.failures // most likely consequences of these calls
	r.failures = nil
	for _, f := range append(found, after...) {
		r.fail(f)
	}
}

// unseen lists the calls that were refused before any hook saw them, if ev is an event
// about tools.
func (r *Record) unseen(ev string) string {
	if !protocol.Event(ev).IsTool() {
		return ""
	}
	var b strings.Builder
	for i, f := range r.Finished {
		seen := slices.ContainsFunc(r.Reports, func(rep hooks.Report) bool {
			named := rep.Subject == f.Call.Name || r.other != nil // another agent has its own name of the tool
			return rep.Event.IsTool() && named && slices.ContainsFunc(rep.Runs, hooks.Run.Ran)
		})
		if !f.Rejected && (r.other == nil || seen || r.ran(f) || f.Status != event.ToolError) {
			continue
		}
		fmt.Fprintf(&b, "; the call of %s (%s) was refused before BeforeTool: %s", f.Call.Name,
			cmp.Or(r.calledAt(i), "a hook's"), oneLine(ResultText(f.Result), 200))
	}
	return r.shorten(b.String())
}

// expects reports whether an assertion expects the refusal of f: in the result (its
// status, error or text), or in a request that contains it.
func (r *Record) expects(f event.ToolRecord) bool {
	return slices.ContainsFunc(r.commands, func(c Command) bool {
		conds := c.others()
		switch {
		case c.Negated || len(conds) == 0:
			return false
		case c.verb.Name == "tool-result":
			return all(conds, resultValue(f)) && r.tool(c.Args[0]) == f.Call.Name
		case c.verb.Name == "model-saw":
			return slices.ContainsFunc(conds, func(cond Cond) bool {
				return cond.re != nil && (cond.Key == "text" || cond.Key == "new") && cond.matches(RenderPart(f.Result))
			})
		}
		return false
	})
}

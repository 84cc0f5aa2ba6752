package testbed

import (
	"fmt"
	"slices"
	"strings"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
	"minigem/llm/script"
)

// vacuous marks the assertions that hold but prove nothing, and adds a check for a case
// that asserts nothing. If strict is set, each of them is a failure.
func (res *Result) vacuous(strict bool) {
	if !slices.ContainsFunc(res.Case.Commands, func(c Command) bool { return c.verb.Kind == assertion }) {
		res.Checks = append(res.Checks, Check{Where: res.Case.Path, Passed: true, Vacuous: "the case asserts nothing"})
	}
	if why := res.hookless(); why != "" {
		res.Checks = append(res.Checks, Check{Where: res.Case.Path, Passed: true, Vacuous: why})
	}
	at := map[string]Command{}
	for _, c := range slices.Backward(res.Case.Commands) {
		at[c.Where()] = c // the first command of a line
	}
	checks := res.Checks
	res.Checks = nil
	for _, check := range checks {
		if c := at[check.Where]; check.Passed && check.Unasked == "" && check.Vacuous == "" {
			check.Vacuous = res.Record.shorten(proof{res.Record}.provesNothing(c))
			if i := slices.IndexFunc(c.Conds, Cond.fitsAny); i >= 0 && !c.negative() && res.Case.Row == "" {
				check.Vacuous = c.Conds[i].String() + " holds for any text"
			}
		}
		res.add(check, strict)
	}
}

// hookless reports that no hook is configured. It is empty if one is, or if an assertion
// is about that.
func (res *Result) hookless() string {
	r := res.Record
	about := func(c Command) bool {
		return slices.Contains(strings.Fields("fired not-fired event watches"), c.verb.Name)
	}
	if len(r.Config.Hooks) > 0 || r.other != nil || r.opening != nil || slices.ContainsFunc(r.commands, about) {
		return ""
	}
	why := "no hook is configured; if that is meant, assert it: not-fired BeforeAgent *" +
		res.Case.misspelt(".gemini/settings.json", settingsSection)
	for _, f := range res.Case.files {
		if f.isOthers() {
			why += fmt.Sprintf("; %s is of another agent: see --as", f.name)
		}
	}
	return why
}

// ignored notes what hooks said or did without effect, unless an assertion covers it.
func (res *Result) ignored() {
	r := res.Record
	for rep, run := range started(r) {
		ignored := run.Warnings
		if run.Decision == hooks.Proceed && rep.Event.CanBlock() && run.Failed != "" && run.Failed != "cancelled" {
			ignored = append(slices.Clip(ignored), "it failed, which blocks nothing: "+run.Failed)
		}
		for i, what := range ignored {
			told := func(c Command) bool {
				return !c.Negated && c.mentions(what) && (i < len(run.Warnings) || c.has("failed"))
			}
			if !(acts(run) && strings.HasPrefix(what, "unknown field")) && !slices.ContainsFunc(r.commands, told) {
				res.Notes = insert(res.Notes, r.shorten(fmt.Sprintf("%s at %s: %s", run.Hook.Label(), rep.Event,
					oneLine(what, 300))))
			}
		}
	}
}

// add adds a check. If strict is set, a vacuous check is a failure.
func (res *Result) add(check Check, strict bool) {
	res.Checks = append(res.Checks, check)
	if strict && check.Vacuous != "" {
		res.Failures = append(res.Failures, Failure{
			Where: check.Where, Command: check.Command,
			Expected: "something that fails if the hook breaks", Actual: "it proves nothing: " + check.Vacuous,
		})
	}
}

// proof examines what a record proves.
type proof struct{ of *Record }

// provesNothing explains why c proves nothing although it holds: what it denies never came
// up, or something other than a hook prevented it. It is empty if c proves something or
// that cannot be known.
func (p proof) provesNothing(c Command) string {
	switch name := c.verb.Name; {
	case name == "holds" && !c.Negated:
		goal, event, _ := goalOf(c) // checked when the case was read
		report, err := p.of.attack(event, c.Args[0], goal)
		if most := report.Of(true); err == nil && most > 0 && len(report.FalseAlarms()) == most {
			return "it refuses every harmless look-alike, too"
		}
		return ""
	case name == "max-retries" && !p.of.happened("AfterAgent"):
		return "AfterAgent never happened"
	case !c.negative():
		return ""
	case name == "tool-ran" || name == "tool-result" || name == "asked":
		return p.noSuchCall(c)
	case name == "fired" || name == "not-fired" || name == "event":
		return p.noSuchEvent(c)
	}
	return ""
}

// noSuchCall is provesNothing for assertions on the calls of a tool.
func (p proof) noSuchCall(c Command) string {
	name := p.of.tool(c.Args[0])
	calls := p.of.calls(name)
	switch {
	case p.intervened() && len(calls) == 0: // a hook may have kept the model from calling it
		return ""
	case name == "*" && len(calls) == 0:
		return "the model called no tool"
	case len(calls) == 0:
		return "the model never called " + name
	case c.verb.Name != "tool-ran":
		return ""
	}
	about := slices.DeleteFunc(c.others(), func(cond Cond) bool { return cond.Key == "status" })
	if !slices.ContainsFunc(calls, func(call llm.ToolCall) bool {
		return all(about, func(key string) string { return toolValue(p.of, event.ToolStarted{Call: call}, key) })
	}) {
		return fmt.Sprintf("no call of %s was made%s", name, with(about))
	}
	return ""
}

// calls returns the calls of a tool that the model made or that hooks substituted. name
// may be *.
func (r *Record) calls(name string) []llm.ToolCall {
	var calls []llm.ToolCall
	add := func(c llm.ToolCall) {
		if name == "*" || r.tool(c.Name) == name {
			calls = append(calls, c)
		}
	}
	for _, f := range r.Finished {
		add(f.Call)
	}
	asked := len(r.Requests)
	for _, round := range r.rounds {
		if round.Method != script.Stream {
			continue
		}
		if asked--; asked < 0 && r.other != nil {
			break
		}
		for _, chunk := range round.Chunks {
			for _, call := range llm.PartsCalls(chunk.Parts) {
				add(call)
			}
		}
	}
	return calls
}

// noSuchEvent is provesNothing for assertions on an event or on a hook of one.
func (p proof) noSuchEvent(c Command) string {
	ev := c.Args[0]
	if p.intervened() || slices.ContainsFunc(p.of.Finished, p.of.expects) ||
		c.verb.Name == "event" && len(c.others()) == 0 {
		return "" // that may be why
	}
	if !p.of.happened(ev) {
		if ev == "AfterTool" && len(p.of.Started) > 0 {
			return "" // the tool failed, and some agents have a separate event for that
		}
		if p.of.other == nil || p.sees() || HasTools(ev) && len(p.of.calls("*")) == 0 {
			return ev + " never happened"
		}
		return "" // agents do not report events without hooks
	}
	about := slices.DeleteFunc(c.others(), func(cond Cond) bool { return cond.Key != "subject" && cond.Key != "agent" })
	if !slices.ContainsFunc(p.of.Reports, func(rep hooks.Report) bool {
		return string(rep.Event) == ev && all(about, func(key string) string { return eventValue(rep, key) })
	}) {
		return fmt.Sprintf("%s never happened%s", ev, with(about))
	}
	if c.verb.Name != "not-fired" && len(c.others()) > len(about) {
		hook := "*"
		if len(c.Args) > 1 {
			hook = c.Args[1]
		}
		if !p.of.anyRan(ev, hook) {
			return strings.TrimPrefix(hook, "*") + " did not run: " + p.of.whyNot(ev, hook)
		}
	}
	return ""
}

// anyRan reports whether a hook of that name ran for an event, or for any if it is empty.
func (r *Record) anyRan(event, hook string) bool {
	for rep, run := range started(r) {
		if (event == "" || string(rep.Event) == event) && IsHook(run.Hook, hook) {
			return true
		}
	}
	return false
}

// sees reports whether the other program is minigem itself in that role.
func (p proof) sees() bool {
	s, ok := p.of.other.(Seer)
	return ok && s.Sees("event")
}

// happened reports whether an event was seen.
func (r *Record) happened(ev string) bool {
	return slices.ContainsFunc(r.Reports, func(rep hooks.Report) bool { return string(rep.Event) == ev })
}

// intervened reports whether a hook blocked or changed anything.
func (p proof) intervened() bool {
	return slices.ContainsFunc(p.of.Reports, func(rep hooks.Report) bool {
		harmless := []string{"", hooks.EffectNone, hooks.EffectContext, hooks.EffectAllow}
		return rep.Verdict.Decision != hooks.Proceed || !slices.Contains(harmless, rep.Effect.Kind)
	})
}

// vacuous counts the assertions that prove nothing in cases that passed.
func (s Summary) vacuous() int {
	n := 0
	for _, r := range s.Results {
		if r.Passed() {
			n += strings.Count(r.vacuities(), "\n")
		}
	}
	return n
}

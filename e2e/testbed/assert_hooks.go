package testbed

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"minigem/hooks"
)

// verdict is the result of an assertion.
type verdict struct {
	ok       bool
	expected string
	actual   string
	detail   string
	more     func() string // computes the detail of a failure if that is slow; nil if detail is set
	invalid  bool          // the assertion can never hold, so its negation fails too
}

// IsHook reports whether name refers to h: by its name, its command, or a word of its
// command, with or without folders and extension.
func IsHook(h hooks.Hook, name string) bool {
	if name == "*" || name == h.Name || name == h.Target() {
		return true
	}
	inWord := func(c rune) bool {
		return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_-./", c)
	}
	for _, word := range strings.FieldsFunc(h.Target(), func(c rune) bool { return !inWord(c) }) {
		base := path.Base(word)
		if name == word || name == base || name == strings.TrimSuffix(base, path.Ext(base)) {
			return true
		}
	}
	return false
}

// runOf is a run with the event that it belongs to.
type runOf struct {
	hooks.Run
	report hooks.Report
}

// runs returns a hook's runs for an event, including skipped ones.
func (r *Record) runs(event, hook string) []runOf {
	var out []runOf
	for _, rep := range r.Reports {
		if string(rep.Event) != event {
			continue
		}
		for _, run := range rep.Runs {
			if IsHook(run.Hook, hook) {
				out = append(out, runOf{run, rep})
			}
		}
	}
	return out
}

// agentOf returns the subagent that caused the event, or main.
func agentOf(r hooks.Report) string { return cmp.Or(r.Agent.Type, "main") }

// runValue returns the value that a condition on a run tests.
func runValue(run runOf, key string) string {
	o := run.Reading.Output
	switch key {
	case "decision":
		if run.Decision == hooks.Proceed && o.Decision != "" {
			return o.Decision // "allow", and a denial where none is possible
		}
		return run.Decision.String()
	case "reason":
		if o.Stop {
			return o.StopReason
		}
		return o.Reason
	case "effect":
		return run.report.Effect.Kind
	case "message":
		return o.SystemMessage
	case "warning":
		return strings.Join(run.Warnings, "\n")
	case "failed":
		return run.Failed
	case "exit":
		return strings.TrimPrefix(exitOf(run.Run), "exit ")
	case "subject":
		return run.report.Subject
	case "agent":
		return agentOf(run.report)
	case "stdin":
		return run.Stdin.String()
	case "stdout":
		return string(run.Exit.Stdout)
	case "stderr":
		return string(run.Exit.Stderr)
	case "upstream":
		return upstreamOf(run.Run)
	}
	return ""
}

func judgeFired(r *Record, c Command) verdict {
	event, hook := c.Args[0], c.Args[1]
	conds, want := c.others(), c.times()
	fits := func(run runOf) bool { return all(conds, func(key string) string { return runValue(run, key) }) }
	var ran []runOf
	n, failed := 0, ""
	for _, run := range r.runs(event, hook) {
		if !run.Ran() {
			continue
		}
		ran = append(ran, run)
		switch {
		case !fits(run):
		case run.Failed != "" && run.Decision == hooks.Proceed && !c.negative() && !c.has("failed", "exit", "stderr"):
			failed = run.Failed
		default:
			n++
		}
	}
	v := verdict{ok: want.allow(n), expected: fmt.Sprintf("%s runs at %s %s%s", hook, event, want, with(conds))}
	for _, cond := range conds {
		if cond.Key == "subject" && cond.re == nil && HasTools(event) && r.other == nil && r.noTool(cond.Value) {
			v.invalid, v.actual = true, "there is no tool "+cond.Value
			return v
		}
	}
	if c.counts() {
		slices.SortStableFunc(ran, func(a, b runOf) int { return cmp.Compare(rank(!fits(a)), rank(!fits(b))) })
	}
	switch {
	case len(ran) == 0:
		v.actual, v.invalid = "it did not run: "+r.whyNot(event, hook)+r.unseen(event), r.unknown(event, hook)
	case len(conds) == 0:
		v.actual = "it ran " + often(len(ran))
	default:
		v.actual = fmt.Sprintf("it ran %s, %s%s: %s", often(len(ran)), often(n), with(conds), actualRuns(ran, conds))
	}
	if failed != "" {
		v.actual = "it failed, and a failed hook does not count as having run: " + oneLine(failed, 300) +
			". If that is meant, say so: failed~WORDS, exit=CODE or stderr~WORDS"
	}
	v.actual += exitHint(conds, ran)
	v.more = func() string {
		return r.eventsOf(event, conds, c.asksWhich(func(rep hooks.Report) bool {
			return slices.ContainsFunc(rep.Runs, func(run hooks.Run) bool {
				return run.Ran() && IsHook(run.Hook, hook) && fits(runOf{run, rep})
			})
		}))
	}
	return v
}

// has reports whether c has a condition on one of keys.
func (c Command) has(keys ...string) bool {
	return slices.ContainsFunc(c.Conds, func(cond Cond) bool { return slices.Contains(keys, cond.Key) })
}

// exitHint explains to authors who expect exit 1 to block that it does not.
func exitHint(conds []Cond, ran []runOf) string {
	wantsDeny := slices.ContainsFunc(conds, func(c Cond) bool { return c.Key == "decision" && c.matches("deny") })
	failed := slices.ContainsFunc(ran, func(run runOf) bool {
		return run.Decision == hooks.Proceed && exitOf(run.Run) == "exit 1"
	})
	if !wantsDeny || !failed {
		return ""
	}
	return "; exit 1 means that the hook failed, and blocks nothing: exit 2 blocks"
}

func with(conds []Cond) string {
	if len(conds) == 0 {
		return ""
	}
	var parts []string
	for _, c := range conds {
		parts = append(parts, c.String())
	}
	return " with " + strings.Join(parts, " ")
}

// actualRuns returns the values of the conditions' keys, run by run.
func actualRuns(ran []runOf, conds []Cond) string {
	var had list
	for _, run := range ran {
		had.add(func() string {
			return values(conds, func(c Cond) string { return around(runValue(run, c.Key), c.re, 120) })
		})
	}
	return "it had " + had.String()
}

// unknown reports whether some hooks are configured, but none of that name for the event
// (or for any event if it is empty). The name is then most likely misspelled.
func (r *Record) unknown(event, hook string) bool {
	return len(r.Config.Hooks) > 0 && !slices.ContainsFunc(r.Config.Hooks, func(h hooks.Hook) bool {
		return (event == "" || string(h.Event) == event) && IsHook(h, hook)
	})
}

// neverRan explains that a hook never ran, and reports whether its name is unknown.
func (r *Record) neverRan(hook string) (unknown bool, why string) {
	if unknown = r.unknown("", hook); !unknown {
		return false, "it never ran"
	}
	var names []string
	for _, h := range r.Config.Hooks {
		names = append(names, h.ID())
	}
	return true, fmt.Sprintf("no hook is called %q%s", hook, meant(hook, slices.Compact(names)))
}

// whyNot explains why a hook did not run for an event.
func (r *Record) whyNot(event, hook string) string {
	return strings.Join(r.reasonsNot(event, hook), "; ")
}

// reasonsNot returns the distinct reasons why a hook did not run: from the skipped
// runs, or why nothing was planned.
func (r *Record) reasonsNot(event, hook string) []string {
	var reasons []string
	for _, run := range r.runs(event, hook) {
		if !run.Ran() && !slices.Contains(reasons, run.Skipped) {
			reasons = append(reasons, run.Skipped)
		}
	}
	if len(reasons) > 0 {
		return reasons
	}
	if r.other != nil {
		return []string{r.other.WhyNot(event, hook)}
	}
	var configured, here []string
	for _, h := range r.Config.Hooks {
		if string(h.Event) == event {
			here = append(here, h.ID())
			if IsHook(h, hook) {
				return []string{event + " never happened" + r.opened()}
			}
		}
		if IsHook(h, hook) {
			configured = append(configured, string(h.Event))
		}
	}
	switch {
	case len(configured) > 0:
		return []string{
			fmt.Sprintf("%s is configured for %s, not for %s", hook, strings.Join(slices.Compact(configured), ", "), event)}
	case len(here) > 0:
		return []string{fmt.Sprintf("no hook of %s is called %q%s; there are %s", event, hook, didYouMean(hook, here),
			strings.Join(here, ", "))}
	}
	return []string{"no hook is configured for " + event + r.opened()}
}

// opened explains why the session could not be opened. It is empty if it could.
func (r *Record) opened() string {
	if r.opening != nil {
		return ": the session did not start: " + r.opening.Error()
	}
	for _, n := range r.Config.Problems {
		return fmt.Sprintf(" (%s:%d: %s)", n.File, n.Line, n.Text)
	}
	return ""
}

// sequence returns the events in order, with repetitions counted.
func (r *Record) sequence() string {
	var parts []string
	for i := 0; i < len(r.Reports); {
		j := i
		for j < len(r.Reports) && r.Reports[j].Event == r.Reports[i].Event && r.Reports[j].Subject == r.Reports[i].Subject {
			j++
		}
		part := strings.TrimSpace(string(r.Reports[i].Event) + " " + r.Reports[i].Subject)
		if j-i > 1 {
			part += fmt.Sprintf(" x%d", j-i)
		}
		parts = append(parts, part)
		i = j
	}
	return strings.Join(parts, ", ")
}

func judgeNotFired(r *Record, c Command) verdict {
	event, hook := c.Args[0], c.Args[1]
	v := verdict{expected: fmt.Sprintf("%s never runs at %s%s", hook, event, with(c.Conds)),
		more: func() string { return r.eventsOf(event, nil, nil) }}
	if ran := slices.DeleteFunc(r.runs(event, hook), func(run runOf) bool { return !run.Ran() }); len(ran) > 0 {
		v.actual = "it ran " + often(len(ran))
		return v
	}
	reasons := r.reasonsNot(event, hook)
	v.ok = len(c.Conds) > 0 || !r.unknown(event, hook)
	v.invalid = !v.ok
	for _, cond := range c.Conds {
		v.ok = v.ok && slices.ContainsFunc(reasons, cond.matches)
	}
	v.actual = "it did not run, because: " + strings.Join(reasons, "; ")
	return v
}

func judgeEvent(r *Record, c Command) verdict {
	conds, want := c.others(), c.times()
	fits := func(rep hooks.Report) bool {
		return all(conds, func(key string) string { return eventValue(rep, key) })
	}
	n := 0
	var seen list
	for _, rep := range r.Reports {
		if string(rep.Event) != c.Args[0] {
			continue
		}
		if fits(rep) {
			n++
		}
		seen.add(func() string { return values(conds, func(c Cond) string { return eventValue(rep, c.Key) }) })
	}
	v := verdict{ok: want.allow(n), expected: fmt.Sprintf("%s happens %s%s", c.Args[0], want, with(conds))}
	v.more = func() string { return r.eventsOf(c.Args[0], conds, c.asksWhich(fits)) }
	v.actual = "it happened " + often(seen.n)
	if len(conds) > 0 && seen.n > 0 {
		v.actual += ", with " + seen.String()
	}
	if seen.n == 0 {
		v.actual = "it never happened" + r.opened()
	}
	return v
}

func judgeWatches(r *Record, c Command) verdict {
	v := verdict{expected: c.Args[0] + " runs and changes nothing"}
	ran := 0
	for rep, run := range started(r) {
		if !IsHook(run.Hook, c.Args[0]) {
			continue
		}
		switch ran++; {
		case run.Failed != "":
			v.actual = fmt.Sprintf("it failed at %s, and a failed hook does not count as having run: %s", rep.Event,
				oneLine(run.Failed, 300))
		case acts(run):
			v.actual = fmt.Sprintf("it did something at %s: %s", rep.Event, oneLine(string(run.Exit.Stdout), 200))
		default:
			continue
		}
		v.detail = Describe(rep, r.shorten)
		return v
	}
	if v.ok, v.actual = ran > 0, "it ran "+often(ran); ran == 0 {
		v.invalid, v.actual = r.neverRan(c.Args[0])
	}
	return v
}

// acts reports whether the output of a run changes anything.
func acts(run hooks.Run) bool {
	o := run.Reading.Output
	return run.Decision != hooks.Proceed || o.AdditionalContext != "" || o.ToolInput != nil || o.LLMRequest != nil ||
		o.LLMResponse != nil || o.UpdatedOutput != nil || o.ToolConfig != nil || o.ClearContext || o.TailToolCall != nil
}

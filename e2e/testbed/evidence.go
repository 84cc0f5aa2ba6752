package testbed

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
)

// counts reports whether c asserts a number of times or an absence. Its reader then looks
// for the events that matched.
func (c Command) counts() bool { return c.Negated || len(c.others()) < len(c.Conds) }

// asksWhich returns matches if c counts, else nil.
func (c Command) asksWhich(matches func(hooks.Report) bool) func(hooks.Report) bool {
	if c.counts() {
		return matches
	}
	return nil
}

// eventsOf describes the occurrences of an event: the first few in full, matching ones
// first. Of long texts it shows the part that a condition matches.
func (r *Record) eventsOf(event string, conds []Cond, matches func(hooks.Report) bool) string {
	var all []hooks.Report
	for _, rep := range r.Reports {
		if string(rep.Event) == event && len(rep.Runs) > 0 {
			all = append(all, rep)
		}
	}
	if matches != nil {
		slices.SortStableFunc(all, func(a, b hooks.Report) int { return cmp.Compare(rank(!matches(a)), rank(!matches(b))) })
	}
	const most = 3
	var b strings.Builder
	for _, rep := range all[:min(most, len(all))] {
		b.WriteString(describe(rep, conds, r.shorten))
	}
	switch n := len(all); {
	case n > most:
		fmt.Fprintf(&b, "... and %d more times\n", n-most)
	case n == 0 && len(r.Reports) > 0:
		fmt.Fprintf(&b, "what happened: %s\n", r.sequence())
	}
	return b.String()
}

func rank(last bool) int {
	if last {
		return 1
	}
	return 0
}

// around shortens text to one line of about n runes: the part that re matches, or else
// both ends.
func around(text string, re *regexp.Regexp, n int) string {
	if re == nil {
		return ends(text, n)
	}
	at := re.FindStringIndex(text)
	if at == nil || len([]rune(text)) <= n {
		return ends(text, n)
	}
	before, match, after := []rune(text[:at[0]]), []rune(text[at[0]:at[1]]), []rune(text[at[1]:])
	match = match[:min(len(match), n)]
	side := (n - len(match)) / 2
	out := string(match)
	if more := len(before) - side; more > 0 {
		out = "..." + string(before[more:]) + out
	} else {
		out = string(before) + out
	}
	if more := len(after) - side; more > 0 {
		out += string(after[:side]) + "..."
	} else {
		out += string(after)
	}
	return oneLine(out, len(out)) // the length of what is left out depends on the paths in it
}

// patternOf returns the pattern that conds have for key, or nil.
func patternOf(conds []Cond, key string) *regexp.Regexp {
	for _, c := range conds {
		if c.Key == key && c.re != nil {
			return c.re
		}
	}
	return nil
}

// inOrder returns the finished calls in the order in which the model requested them,
// because the calls of one answer run concurrently.
func (r *Record) inOrder() []event.ToolRecord {
	asked := map[string]int{}
	for _, req := range r.Requests {
		for _, m := range req.Messages {
			for _, call := range llm.PartsCalls(m.Parts) {
				if _, ok := asked[call.ID]; !ok {
					asked[call.ID] = len(asked)
				}
			}
		}
	}
	place := func(f event.ToolRecord) int {
		if n, ok := asked[f.Call.ID]; ok {
			return n
		}
		return len(asked) // not in any request yet
	}
	all := slices.Clone(r.Finished)
	slices.SortStableFunc(all, func(a, b event.ToolRecord) int { return cmp.Compare(place(a), place(b)) })
	return all
}

package testbed

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"minigem/hooks"
)

// Describe describes one event for people: each hook, whether it ran and if not, why; what
// it read and printed; what was ignored; the merge. shorten, if not nil, is applied to the
// text.
func Describe(r hooks.Report, shorten func(string) string) string {
	return describe(r, nil, shorten)
}

// describe is Describe, but of long texts it shows the part that one of conds matches.
func describe(r hooks.Report, conds []Cond, shorten func(string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s #%d", r.Event, r.Seq)
	if r.Subject != "" {
		fmt.Fprintf(&b, " %s", r.Subject)
	}
	fmt.Fprintf(&b, ": %s", effectOf(r))
	if r.Verdict.Reason != "" {
		fmt.Fprintf(&b, " (%s)", oneLine(r.Verdict.Reason, 200))
	}
	b.WriteString("\n")
	if len(r.Runs) == 0 {
		b.WriteString("  no hook is configured for it\n")
	}
	for _, run := range r.Runs {
		b.WriteString(indent(describeRun(run, conds)))
	}
	for _, s := range r.Merge {
		fmt.Fprintf(&b, "  merge: %s %s\n", s.Hook, oneLine(s.What, 200))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "  warning: %s\n", w)
	}
	if shorten != nil {
		return shorten(b.String())
	}
	return b.String()
}

// effectOf returns the outcome of an event in one word.
func effectOf(r hooks.Report) string {
	if r.Effect.Kind == "" || r.Effect.Kind == hooks.EffectNone {
		return "passed"
	}
	return r.Effect.Kind
}

func describeRun(run hooks.Run, conds []Cond) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)  ", run.Hook.ID(), run.Hook.Source)
	switch {
	case run.Skipped != "":
		fmt.Fprintf(&b, "did not run: %s\n", run.Skipped)
		return b.String()
	case run.Left:
		b.WriteString("still ran when the event went on without it\n")
		return b.String()
	}
	fmt.Fprintf(&b, "ran: %s, %s", exitOf(run), run.Exit.Duration.Round(time.Millisecond))
	if run.Decision != hooks.Proceed {
		fmt.Fprintf(&b, ", said %s", run.Decision)
	}
	b.WriteString("\n")
	for _, s := range []struct{ name, text string }{
		{"stdin ", withoutBase(run.Stdin.String())}, {"stdout", string(run.Exit.Stdout)}, {"stderr", string(run.Exit.Stderr)},
		{"failed", run.Failed},
	} {
		if s.text != "" {
			fmt.Fprintf(&b, "  %s %s\n", s.name, around(s.text, patternOf(conds, strings.TrimSpace(s.name)), 400))
		}
	}
	for _, w := range run.Warnings {
		fmt.Fprintf(&b, "  warning: %s\n", w)
	}
	for _, u := range run.Upstream {
		fmt.Fprintf(&b, "  %s\n", u)
	}
	return b.String()
}

// upstreamOf lists how Gemini CLI treats the run differently, one difference a line.
func upstreamOf(run hooks.Run) string {
	var lines []string
	for _, d := range run.Upstream {
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}

func exitOf(run hooks.Run) string {
	switch {
	case run.TimedOut:
		return "timed out"
	case run.Failed == "cancelled":
		return "stopped"
	case run.Exit.Err != nil:
		return "could not run"
	case run.Exit.Signal != "":
		return "signal " + run.Exit.Signal
	}
	return fmt.Sprintf("exit %d", run.Exit.Code)
}

// base matches the fields that all payloads begin with, which say nothing about the event,
// and call ids, which differ from run to run.
var (
	base = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`^\{"session_id":.*?"timestamp":"[^"]*",(?:"agent_id":"[^"]*",)?(?:"agent_type":"[^"]*",)?` +
				`(?:"permission_mode":"[^"]*",)?`)
	})
	callID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`,"tool_use_id":"[^"]*"`) })
)

func withoutBase(stdin string) string {
	return callID().ReplaceAllString(base().ReplaceAllString(stdin, "{..., "), "")
}

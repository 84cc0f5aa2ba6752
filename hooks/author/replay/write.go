package replay

import (
	"fmt"
	"strings"

	"minigem/internal/text"
)

// Text returns the result as text for people. short, if not nil, shortens the paths in
// it.
func (r *Result) Text(short func(string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, %s\n", text.Plural(r.Sessions, "session"), text.Plural(r.Prompts, "prompt"),
		text.Plural(r.Calls, "call"), text.Plural(r.Answers, "answer"))
	group := func(title string, want bool) {
		n := 0
		for _, d := range r.Decided {
			if d.Differs != want {
				continue
			}
			if n++; n == 1 {
				fmt.Fprintf(&b, "\n%s\n", title)
			}
			fmt.Fprintf(&b, "  %s\n", d)
		}
	}
	group("different now", true)
	group("as recorded", false)
	if len(r.Hooks) == 0 {
		b.WriteString("\nno hook is configured for any of these events\n")
	} else {
		b.WriteString("\nhooks\n")
	}
	for _, h := range r.Hooks {
		fmt.Fprintf(&b, "  %s %s (%s:%d): %s\n", h.Event, text.VisibleLine(h.ID), h.File, h.Line, h.summary())
	}
	for i, s := range r.Skipped {
		if i == 0 {
			b.WriteString("\nskipped\n")
		}
		fmt.Fprintf(&b, "  %s\n", text.VisibleLine(s))
	}
	if n := r.Differ(); n > 0 {
		fmt.Fprintf(&b, "\n%s would be decided differently now\n", text.Plural(n, "step"))
	}
	if short == nil {
		return b.String()
	}
	return short(b.String())
}

// summary says in a line how often the hook ran, what it decided, and how long it took.
func (h HookTime) summary() string {
	if h.Runs == 0 {
		return "never ran"
	}
	said := text.Plural(h.Runs, "run")
	for _, word := range []string{"ask", "deny", "stop"} {
		if n := h.Decisions[word]; n > 0 {
			said += fmt.Sprintf(", %d %s", n, word)
		}
	}
	if h.Failed > 0 {
		said += fmt.Sprintf(", %d failed", h.Failed)
	}
	return said + fmt.Sprintf(", p50 %.1f ms, p95 %.1f ms", h.P50MS, h.P95MS)
}

// String returns the step on one line.
func (d Decided) String() string {
	what := string(d.Kind)
	if d.Subject != "" {
		what += " " + d.Subject
	}
	said := fmt.Sprintf("%s step %d, %s %s: ", d.Session, d.Step, what, text.VisibleLine(d.Text))
	if d.Differs {
		said += "was " + d.Then
		if d.Was != "" {
			said += " (" + text.VisibleLine(d.Was) + ")"
		}
		said += ", now "
	}
	said += d.Now
	if d.Effect != "" && d.Effect != "none" && d.Effect != d.Now {
		said += " (" + d.Effect + ")"
	}
	if len(d.Hooks) > 0 {
		said += " by " + text.VisibleLine(strings.Join(d.Hooks, ", "))
	}
	if d.Reason != "" {
		said += ": " + text.VisibleLine(d.Reason)
	}
	return said
}

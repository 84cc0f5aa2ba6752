package attack

import (
	"fmt"
	"slices"
	"strings"

	"minigem/internal/text"
)

// Write returns the report as text for people. Lists are cut after most entries; 0 means
// all.
func (r Report) Write(most int) string {
	var b strings.Builder
	through, alarms, of := r.Through(), r.FalseAlarms(), r.Of(false)
	if n := r.skipped(); len(n) > 0 {
		fmt.Fprintf(&b, "The hook did not run for %d of %s, first for %s: %s\n", len(n),
			text.Plural(len(r.Results), "spelling"), text.VisibleLine(n[0].Text), text.VisibleLine(n[0].Skipped))
	}
	deed := map[string]string{Path: "reading (not writing) "}[r.Goal.Kind]
	fmt.Fprintf(&b, "%s held %d of %d spellings of %s%s (%d%%)\n", text.VisibleLine(r.Hook), of-len(through), of, deed,
		text.VisibleLine(r.Goal.Value), r.Percent())
	if len(through) > 0 {
		fmt.Fprintf(&b, "\ngot through, the shortest first\n%s", list(through, most))
		fmt.Fprintf(&b, "by class: %s\n", classes(through))
	}
	if n := r.Of(true); n > 0 {
		fmt.Fprintf(&b, "\n%d of %d harmless look-alikes were refused\n%s", len(alarms), n, list(alarms, most))
	}
	if failed := r.pick(func(x Result) bool { return x.Failed != "" }); len(failed) > 0 {
		fmt.Fprintf(&b, "\nthe hook failed at %s, first at %s: %s\n", text.Plural(len(failed), "spelling"),
			text.VisibleLine(failed[0].Text), text.VisibleLine(failed[0].Failed))
	}
	return b.String()
}

// list writes a line for each result, at most most of them; 0 means all.
func list(all []Result, most int) string {
	var b strings.Builder
	for i, x := range all {
		if i == most && most > 0 {
			fmt.Fprintf(&b, "  ... and %d more (--all)\n", len(all)-i)
			break
		}
		where := ""
		if x.Tool != "run_shell_command" {
			where = x.Tool + "  "
		}
		fmt.Fprintf(&b, "  %-10s %s%s\n", x.Class, where, text.VisibleLine(x.Text))
	}
	return b.String()
}

// classes counts results by class, largest count first.
func classes(all []Result) string {
	count := map[string]int{}
	var names []string
	for _, x := range all {
		if count[x.Class]++; count[x.Class] == 1 {
			names = append(names, x.Class)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
	var out []string
	for i, n := range names {
		if rest := len(names) - i; count[n] == 1 && rest > 3 {
			out = append(out, fmt.Sprintf("1 each in %d more", rest))
			break
		}
		out = append(out, fmt.Sprintf("%s %d", n, count[n]))
	}
	return strings.Join(out, ", ")
}

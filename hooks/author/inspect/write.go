package inspect

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"minigem/internal/text"
)

// stat returns why the file at path cannot be used, or nil.
func stat(path string) error {
	_, err := os.Stat(path)
	return err
}

// Text writes explanations and reports for people. The zero Text writes full paths.
type Text struct {
	// Shorten, if not nil, shortens the paths in a sentence.
	Shorten func(string) string
}

// short returns s as people should read paths in it.
func (t Text) short(s string) string {
	if t.Shorten == nil {
		return s
	}
	return t.Shorten(s)
}

// Explanation writes x: the plan of each event, the files that were searched, and
// problems.
func (t Text) Explanation(x Explanation) string {
	var b strings.Builder
	if x.Off != "" {
		fmt.Fprintf(&b, "Hooks are off: %s.\n\n", x.Off)
	}
	for _, p := range x.Events {
		t.event(&b, p)
		b.WriteByte('\n')
	}
	t.files(&b, x)
	for i, p := range x.Problems {
		if i == 0 {
			b.WriteString("\nproblems\n")
		}
		fmt.Fprintf(&b, "  %s:%d: %s\n", p.File, p.Line, text.VisibleLine(p.Text))
	}
	return t.short(b.String())
}

// event writes the plan of one event: a line for each hook, and what there is to say
// about it.
func (t Text) event(b *strings.Builder, p EventPlan) {
	title := string(p.Event)
	if p.Subject != "" && p.Event.HasSubject() {
		title += " " + text.VisibleLine(p.Subject)
	}
	fmt.Fprintf(b, "%s: %s\n", title, p.summary())
	rows := make([][]string, len(p.Hooks))
	for i, h := range p.Hooks {
		order := "-"
		if h.Order > 0 {
			order = fmt.Sprint(h.Order)
		}
		layer := string(h.Layer)
		if h.Extension != "" {
			layer += " " + h.Extension
		}
		rows[i] = []string{order, text.VisibleLine(h.ID), t.short(h.Where()), layer, h.state(p)}
	}
	text.Align(rows)
	for i, h := range p.Hooks {
		fmt.Fprintf(b, "  %s\n", strings.TrimRight(strings.Join(rows[i], "  "), " "))
		for _, more := range h.lines() {
			fmt.Fprintf(b, "       %s\n", text.VisibleLine(more))
		}
	}
	for _, n := range p.Notes {
		fmt.Fprintf(b, "  note: %s\n", n)
	}
	for _, d := range p.Upstream {
		fmt.Fprintf(b, "  %s\n", d)
	}
}

// String returns the text and the reference on one line.
func (d Difference) String() string { return fmt.Sprintf("%s (%s)", d.Text, d.Reference) }

// summary says how many hooks would run, and whether in parallel.
func (p EventPlan) summary() string {
	runs := p.Runs()
	switch {
	case len(p.Hooks) == 0:
		return "no hook is configured for it"
	case runs == 0:
		return fmt.Sprintf("none of its %s would run", text.Plural(len(p.Hooks), "hook"))
	}
	text := fmt.Sprintf("%d of %s would run", runs, text.Plural(len(p.Hooks), "hook"))
	switch {
	case runs == 1:
	case p.Sequential:
		text += ", one after the other"
		if p.InTurnFor != nil {
			text += " for " + strings.Join(p.InTurnFor, ", ") + ", else in parallel"
		}
		text += " (the one at " + p.Because + " is sequential)"
	default:
		text += ", in parallel"
	}
	return text
}

// state says whether the hook runs, for which subjects, or why not.
func (h HookPlan) state(p EventPlan) string {
	switch {
	case h.Order == 0:
		return "does not run: " + text.VisibleLine(strings.TrimPrefix(h.Skipped, "disabled: "))
	case !p.Event.HasSubject() || p.Subject != "":
		return "runs"
	case h.If != "":
		return fmt.Sprintf("runs for %s (matcher %q, if %s)", strings.Join(h.RunsFor, ", "), h.Matcher,
			text.VisibleLine(h.If))
	case strings.TrimSpace(h.Matcher) == "" || strings.TrimSpace(h.Matcher) == "*":
		said := "runs always"
		for _, t := range p.Event.Triggers() {
			if !slices.Contains(h.Matches, t) {
				said += ", but for " + t + " only if its matcher names it"
			}
		}
		return said
	}
	return fmt.Sprintf("runs for %s (matcher %q)", strings.Join(h.RunsFor, ", "), h.Matcher)
}

// lines returns the remarks on a hook, a line each.
func (h HookPlan) lines() []string {
	var out []string
	if h.Order > 0 && h.Skipped != "" {
		out = append(out, h.Skipped)
	}
	if h.Note != "" {
		out = append(out, "not yet trusted: "+h.Note)
	}
	for _, w := range h.Warnings {
		out = append(out, "warning: "+w)
	}
	for _, d := range h.Upstream {
		out = append(out, d.String())
	}
	return out
}

// files writes which files hooks came from, and which were not read.
func (t Text) files(b *strings.Builder, x Explanation) {
	var read int
	var rest []string
	for _, f := range x.Files {
		switch f.State {
		case FileRead:
			read++
		case FileSkipped:
			rest = append(rest, fmt.Sprintf("  not read: %s (%s): %s", f.Path, f.Layer, f.Why))
		case FileMissing:
			rest = append(rest, fmt.Sprintf("  not there: %s (%s)", f.Path, f.Layer))
		}
	}
	fmt.Fprintf(b, "loaded %s from %s\n", text.Plural(x.Loaded, "hook"), text.Plural(read, "file"))
	for _, f := range x.Files {
		if f.State == FileRead {
			fmt.Fprintf(b, "  %s from %s (%s)\n", text.Plural(f.Hooks, "hook"), f.Path, f.Layer)
		}
	}
	for _, line := range rest {
		b.WriteString(line + "\n")
	}
}

package listing

import (
	"fmt"
	"strings"

	"minigem/hooks/author/export"
	"minigem/hooks/claude"
	"minigem/internal/text"
)

// Migration describes what migrating hooks from Claude Code would change, and what will
// be different. colour adds colours for a terminal.
func Migration(r claude.Result, colour bool) string {
	var b strings.Builder
	if r.Added == 0 {
		b.WriteString("There is nothing to add: Claude Code's settings have no hooks that are not here already.\n")
	}
	b.WriteString(diff(r.Diff, colour))
	for _, part := range []struct {
		title string
		lost  bool
	}{{"Not carried over:", true}, {"Different here:", false}} {
		title := "\n" + part.title + "\n"
		for _, remark := range r.Remarks {
			if remark.Lost == part.lost {
				fmt.Fprintf(&b, "%s  %s\n", title, text.VisibleLine(remark.String()))
				title = ""
			}
		}
	}
	if r.Added > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// Export describes the same for migrating hooks to another agent.
func Export(o export.Options, r export.Result, colour bool) string {
	var b strings.Builder
	for _, f := range r.Files {
		b.WriteString(diff(f.Diff, colour))
	}
	for _, remark := range r.Remarks {
		b.WriteString(text.VisibleLine(remark) + "\n")
	}
	if len(r.Files) == 0 {
		fmt.Fprintf(&b, "There is nothing to add: %s has no hooks that %s could have and does not have already.\n",
			export.Source, o.Agent)
	}
	return b.String()
}

// Exported says which files were written for another agent.
func Exported(o export.Options, r export.Result) string {
	var b strings.Builder
	for _, f := range r.Files {
		fmt.Fprintf(&b, "Wrote %s.\n", f.Name)
	}
	if !o.Bare {
		b.WriteString("The hooks call minigem, which must be in the agent's PATH: see minigem hooks run --help.\n")
	}
	return b.String()
}

// diff returns a unified diff, cleaned for display.
func diff(unified string, colour bool) string {
	codes := map[byte]string{'+': "\x1b[32m", '-': "\x1b[31m", '@': "\x1b[36m"}
	var b strings.Builder
	for line := range strings.Lines(unified) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		for i := range cells {
			cells[i] = text.VisibleLine(cells[i])
		}
		shown := strings.Join(cells, "\t")
		if code := codes[line[0]]; colour && code != "" {
			shown = code + shown + "\x1b[0m"
		}
		b.WriteString(shown + "\n")
	}
	return b.String()
}

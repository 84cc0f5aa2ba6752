package chat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

// hooksPanel runs /hooks: it prints the hooks as a table, and notes about them.
func hooksPanel(t *call) error {
	c := t.runtime.Config
	l := listing.ListHooks(c)
	if len(l.Hooks) > 0 {
		table, notes := hookTable(t, l.Hooks)
		t.term.PrintTable(table)
		for _, n := range notes {
			t.term.Print(t.term.Warning(t.term.Wrap("! " + terminal.Clean(n))))
		}
		t.term.Print(t.term.Dim(t.term.Wrap("Runs are from the newest sessions of this project, p95 is from this " +
			"session. /hooks why NAME says more.")))
	}
	if len(l.Hooks) == 0 || l.Off != "" || len(l.Problems) > 0 || !l.Loaded() {
		t.term.Print("")
		return t.captured(func(sys *app.System) error { return listing.WriteHookList(c, sys.Stdout, l, nil) })
	}
	return nil
}

// hookTable returns the table of hooks: how often each ran in the project's newest
// sessions, and its last effect and duration in this one. notes apply to several hooks.
func hookTable(t *call, all []listing.ListedHook) (table terminal.Table, notes []string) {
	here := map[string]output.HookCounts{}
	for _, c := range t.tally.hooks.Snapshot() {
		here[string(c.Event)+" "+c.ID] = c
	}
	table.Columns = []terminal.Column{
		{Head: "Event", Group: true}, {Head: "Name", Wraps: true}, {Head: "Matcher", Wraps: true},
		{Head: "Type", Below: true}, {Head: "Where", Below: true}, {Head: "State"},
		{Head: "Runs", Right: true}, {Head: "p95", Right: true}, {Head: "Last"},
	}
	said := map[string]int{}
	for _, h := range all {
		said[h.Note]++
	}
	for _, h := range all {
		now := here[string(h.Event)+" "+h.ID]
		past, _, _ := strings.Cut(h.Last, ",")
		row := terminal.TableRow{Cells: []string{
			string(h.Event), terminal.Clean(text.VisibleLine(h.Label())), terminal.Clean(text.VisibleLine(h.MatcherText())),
			cmp.Or(h.Type, "command"), terminal.Clean(h.Place(t.runtime.Config)),
			hookState(t, h), fmt.Sprint(h.Runs), now.P95(), hookResult(t, cmp.Or(now.Last, past)),
		}}
		remarks := h.Remarks()
		if said[h.Note] > 1 {
			remarks = slices.DeleteFunc(remarks, func(r string) bool { return r == h.Note })
			if !slices.Contains(notes, h.Note) {
				notes = append(notes, h.Note)
			}
		}
		switch {
		case h.Name == "":
			remarks = append(remarks, h.ID)
		case h.State() != "enabled": // before approving a hook, the user must see what runs
			remarks = append(remarks, h.Target())
		}
		for _, more := range remarks {
			row.Under = append(row.Under, terminal.Clean(text.VisibleLine(t.runtime.Config.ShortenIn(more))))
		}
		table.Rows = append(table.Rows, row)
	}
	return table, notes
}

func hookState(t *call, h listing.ListedHook) string {
	if s := h.State(); s != "enabled" {
		return t.term.Warning(s)
	}
	return "enabled"
}

func hookResult(t *call, last string) string {
	switch last {
	case "", "pass":
		return last
	case hooks.EffectDeny, hooks.EffectStop, "failed", "timed out":
		return t.term.Red(last)
	}
	return t.term.Warning(last)
}

func statsHooks(t *call) error {
	rows := [][]string{{"hook", "event", "runs", "acted", "failed", "p95", "last"}}
	for _, c := range t.tally.hooks.Snapshot() {
		rows = append(rows, hookRow(c))
	}
	t.rows(rows, "No hook ran yet.")
	return nil
}

func hookRow(c output.HookCounts) []string {
	return []string{text.VisibleLine(c.ID), string(c.Event), fmt.Sprint(c.Runs()), fmt.Sprint(c.Acted),
		fmt.Sprint(c.Failed), c.P95(), c.Last}
}

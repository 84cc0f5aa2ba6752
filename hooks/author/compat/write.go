package compat

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"minigem/hooks/dialect"
)

func itoa(n int) string { return strconv.Itoa(n) }

// marks follow what was not measured.
var marks = map[dialect.Evidence]string{dialect.Binary: " (b)", dialect.Documented: " (d)"}

const legend = "measured in runs without a terminal; (b) read in the program that is shipped, (d) documented; ? unknown"

// WriteEvent writes what agents make of each answer at a point.
func WriteEvent(w io.Writer, p dialect.Point, agents []*dialect.Agent) error {
	i := slices.IndexFunc(points, func(k place) bool { return k.point == p })
	fmt.Fprintf(w, "when %s: %s\n\n", points[i].title, p)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row(t, "answer", agents, func(a *dialect.Agent) string { return a.ID })
	row(t, "event", agents, func(a *dialect.Agent) string {
		e, ok := a.Event(p)
		if !ok {
			return "?"
		}
		return e.Native
	})
	for _, name := range namesAt(points[i].prefix) {
		row(t, name, agents, func(a *dialect.Agent) string {
			words, e := say(a, name)
			if words == "" {
				return "?"
			}
			return words + marks[e]
		})
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	fmt.Fprintf(w, "\n%s\n", legend)
	return nil
}

func row(t io.Writer, name string, agents []*dialect.Agent, cell func(*dialect.Agent) string) {
	cells := []string{name}
	for _, a := range agents {
		cells = append(cells, cell(a))
	}
	fmt.Fprintln(t, strings.Join(cells, "\t"))
}

// Write writes what there is: the agents, and what they call each event.
func Write(w io.Writer, agents []*dialect.Agent) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "agent\tversion\tevidence\ttime-out\tmatcher\tanswers tried\tretries of a stop")
	for _, a := range agents {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", a.ID, orUnknown(a.Version), a.Evidence, timeoutOf(a), a.Matcher.Kind, len(dialect.Observed()[a.ID]), retriesOf(a))
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	fmt.Fprintln(w)
	row(t, "event", agents, func(a *dialect.Agent) string { return a.ID })
	for _, p := range allPoints() {
		row(t, string(p), agents, func(a *dialect.Agent) string {
			e, ok := a.Event(p)
			if !ok {
				return "?"
			}
			if e.Fires == "no" {
				return e.Native + " (not in one-shot)"
			}
			return e.Native + marks[a.Of(e.Evidence)]
		})
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	fmt.Fprintf(w, "\n%s\nminigem hooks compat BeforeTool says what they make of each answer\n", legend)
	return nil
}

func orUnknown(s string) string {
	if s == "" {
		return "?"
	}
	return s
}

func timeoutOf(a *dialect.Agent) string {
	t := a.Timeout
	if t.Unit == "" {
		return "?"
	}
	out := t.Unit
	if t.MSFrom > 0 {
		out += fmt.Sprintf(", ms from %d", t.MSFrom)
	}
	if t.DefaultMS > 0 {
		out += fmt.Sprintf(", %d ms if unset", t.DefaultMS)
	}
	return out
}

func retriesOf(a *dialect.Agent) string {
	switch {
	case a.Stop.Endless:
		return "no end"
	case a.Stop.Retries > 0:
		return itoa(a.Stop.Retries)
	}
	return "?"
}

// allPoints are all points that any agent has, Gemini CLI's first.
func allPoints() []dialect.Point {
	var out []dialect.Point
	for _, a := range dialect.All() {
		for _, e := range a.Events {
			if e.Point != "" && !slices.Contains(out, e.Point) {
				out = append(out, e.Point)
			}
		}
	}
	return out
}

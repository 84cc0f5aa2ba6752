package compat

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"minigem/hooks/agents"
	"minigem/internal/text"
)

// itoa writes n for a cell.
func itoa(n int) string { return strconv.Itoa(n) }

// marks follow values that were not measured.
var marks = map[agents.Evidence]string{agents.Binary: " (b)", agents.Documented: " (d)"}

// legend explains the marks of evidence in the tables.
const legend = "measured in runs without a terminal; (b) read in the program that is shipped, " +
	"(d) documented; ? or not named: unknown"

// WriteEvent writes what the given agents do with each answer at p, which must be one
// of [Points]. It panics for any other point. An answer with which none of the agents
// was run is left out.
func WriteEvent(w io.Writer, p agents.Point, others []*agents.Agent) error {
	i := slices.IndexFunc(points, func(k place) bool { return k.point == p })
	fmt.Fprintf(w, "when %s: %s\n\n", points[i].title, p)
	for _, a := range others {
		if e, ok := a.Event(p); ok {
			fmt.Fprintf(w, "%s: %s  ", a.ID, e.Native)
		}
	}
	fmt.Fprintln(w)
	for _, name := range namesAt(points[i].prefix) {
		if effects := effectsOf(name, others); effects != "" {
			fmt.Fprintf(w, "\n%s\n    %s\n", answered(agents.Corpus()[name]), effects)
		}
	}
	_, err := fmt.Fprintf(w, "\n%s\n", legend)
	return err
}

// effectsOf names the effects of an answer, each with the agents where it was seen.
// It is empty if none of them was run with it.
func effectsOf(name string, others []*agents.Agent) string {
	var order []string
	seen := map[string][]string{}
	measured := false
	for _, a := range others {
		words, e := say(a, name)
		if words == "" {
			continue
		}
		measured = measured || e == agents.Measured
		if seen[words] == nil {
			order = append(order, words)
		}
		seen[words] = append(seen[words], a.ID+marks[e])
	}
	if !measured {
		return ""
	}
	for i, words := range order {
		order[i] = words + ": " + strings.Join(seen[words], ", ")
	}
	return strings.Join(order, "; ")
}

// answered describes what the hook of a case prints and how it exits.
func answered(c agents.Case) string {
	var said []string
	if c.Exit != 0 {
		said = append(said, fmt.Sprintf("exit %d", c.Exit))
	}
	if c.Late != "" {
		said = append(said, "too late")
	}
	for _, stream := range []struct{ name, text string }{{"", c.Stdout}, {"stderr ", c.Stderr}} {
		if stream.text != "" {
			said = append(said, stream.name+text.VisibleLine(strings.ReplaceAll(stream.text, "{{event}}", "EVENT")))
		}
	}
	return cmp.Or(strings.Join(said, ", "), "nothing")
}

// row writes a row of cells for a [tabwriter.Writer].
func row(t io.Writer, name string, others []*agents.Agent, cell func(*agents.Agent) string) {
	cells := []string{name}
	for _, a := range others {
		cells = append(cells, cell(a))
	}
	fmt.Fprintln(t, strings.Join(cells, "\t"))
}

// Write writes a table of the given agents, and what they call each event. The error is
// w's.
func Write(w io.Writer, others []*agents.Agent) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "agent\tversion\tevidence\ttimeout\tmatcher\tanswers tried\tretries of a stop")
	for _, a := range others {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", a.ID, orUnknown(a.Version), a.Evidence, timeoutOf(a), a.Matcher.Kind,
			len(agents.Observed()[a.ID]), retriesOf(a))
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	fmt.Fprintln(w)
	row(t, "event", others, func(a *agents.Agent) string { return a.ID })
	for _, p := range allPoints() {
		row(t, string(p), others, func(a *agents.Agent) string {
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

// orUnknown returns s, or the mark of what is not known.
func orUnknown(s string) string {
	if s == "" {
		return "?"
	}
	return s
}

// timeoutOf describes the agent's timeouts: the unit, from which number on they are
// milliseconds, and the default.
func timeoutOf(a *agents.Agent) string {
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

// retriesOf says how often a hook can send the agent on.
func retriesOf(a *agents.Agent) string {
	switch {
	case a.Stop.Endless:
		return "no end"
	case a.Stop.Retries > 0:
		return itoa(a.Stop.Retries)
	}
	return "?"
}

// allPoints returns the points that any agent has, Gemini CLI's first.
func allPoints() []agents.Point {
	var out []agents.Point
	for _, a := range agents.All() {
		for _, e := range a.Events {
			if e.Point != "" && !slices.Contains(out, e.Point) {
				out = append(out, e.Point)
			}
		}
	}
	return out
}

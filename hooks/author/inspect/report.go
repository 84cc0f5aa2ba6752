package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/elsewhere"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// Report writes everything that happened at one event: for each hook what it read,
// printed and answered, then the merge, messages and effect. Texts of more than 60 lines
// are cut.
func (t Text) Report(r hooks.Report) string {
	var b strings.Builder
	title := string(r.Event)
	if r.Subject != "" {
		title += " " + text.VisibleLine(r.Subject)
	}
	if r.Agent.Type != "" {
		title += " in the agent " + text.VisibleLine(r.Agent.Type)
	}
	fmt.Fprintf(&b, "%s: %s\n", title, effect(r))
	if len(r.Runs) == 0 {
		b.WriteString("  no hook is configured for it; minigem hooks explain shows where they are looked for\n")
	}
	var read []byte // what the hook before has read
	for _, run := range r.Runs {
		t.run(&b, run, read)
		if run.Ran() {
			read = run.Stdin.Bytes()
		}
	}
	block(&b, "merge", len(r.Merge), func(i int) string { return r.Merge[i].Hook + " " + r.Merge[i].What })
	block(&b, "the user sees", len(r.Messages), func(i int) string {
		m := r.Messages[i]
		if m.Suppressed {
			return fmt.Sprintf("(nothing of: %s)", m.Text)
		}
		return m.Text
	})
	block(&b, "warnings", len(r.Warnings), func(i int) string { return r.Warnings[i] })
	if r.Effect.Before != nil || r.Effect.After != nil {
		b.WriteString("effect\n")
		if changed := Changes(r.Effect.Before, r.Effect.After); changed != "" {
			fmt.Fprintf(&b, "  %-6s %s\n", "changed", indented([]byte(strings.TrimSuffix(changed, "\n")), "          "))
			return b.String()
		}
		for _, side := range []struct {
			name string
			data []byte
		}{{"before", r.Effect.Before}, {"after", r.Effect.After}} {
			if side.data != nil {
				fmt.Fprintf(&b, "  %-6s %s\n", side.name, indented(side.data, "         "))
			}
		}
	}
	return b.String()
}

// Changes returns the lines in which two JSON values differ when they are indented, with
// "-" for before and "+" for after, and "..." between distant places. It is empty if one
// of them is missing.
func Changes(before, after []byte) string {
	if len(before) == 0 || len(after) == 0 {
		return ""
	}
	layout := func(data []byte) string {
		var b bytes.Buffer
		if json.Indent(&b, data, "", " ") != nil {
			return string(data) + "\n"
		}
		return b.String() + "\n"
	}
	return ChangedLines(layout(before), layout(after))
}

// ChangedLines is [Changes] for texts.
func ChangedLines(before, after string) string {
	var b strings.Builder
	for line := range strings.Lines(udiff.Unified("", "", before, after)) {
		switch {
		case strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ "):
		case strings.HasPrefix(line, "@@") && b.Len() > 0:
			b.WriteString("...\n")
		case line[0] == '-' || line[0] == '+':
			b.WriteString(line)
		}
	}
	return b.String()
}

// Elsewhere writes what other agents do with the answer of each hook that ran.
func Elsewhere(r hooks.Report, others []*agents.Agent) string {
	var b strings.Builder
	for _, run := range r.Runs {
		if run.Ran() && !run.Left {
			block(&b, "what other agents make of "+text.VisibleLine(run.Hook.ID()), len(others), func(i int) string {
				return others[i].Title() + ": " + elsewhere.On(run, r.Event, others[i])
			})
		}
	}
	return b.String()
}

// effect describes the outcome of the event in a sentence.
func effect(r hooks.Report) string {
	said := "goes on"
	switch r.Verdict.Decision {
	case hooks.Ask:
		said = "the user is asked"
	case hooks.Deny:
		said = "denied"
	case hooks.Stop:
		said = "the run stops"
	}
	if k := r.Effect.Kind; k != "" && k != hooks.EffectNone && r.Verdict.Decision == hooks.Proceed {
		said += ", effect: " + k
	}
	if len(r.Verdict.Hooks) > 0 {
		said += " by " + text.VisibleLine(strings.Join(r.Verdict.Hooks, ", "))
	}
	if r.Verdict.Reason != "" {
		said += ": " + text.VisibleLine(r.Verdict.Reason)
	}
	return said
}

// run writes what one hook did. before is the payload of the hook before it, which is
// not repeated.
func (t Text) run(b *strings.Builder, run hooks.Run, before []byte) {
	fmt.Fprintf(b, "\n%s  %s", text.VisibleLine(run.Hook.ID()), t.short(run.Hook.Source.String()))
	if !run.Ran() {
		fmt.Fprintf(b, "  did not run: %s\n", text.VisibleLine(t.short(run.Skipped)))
		t.ignored(b, run)
		return
	}
	fmt.Fprintf(b, "  %s in %s", ending(run), run.Exit.Duration.Round(100*time.Microsecond))
	if run.Decision != hooks.Proceed {
		fmt.Fprintf(b, ", says %s", run.Decision)
	}
	b.WriteByte('\n')
	for _, s := range []struct {
		name string
		data []byte
	}{{"stdin", run.Stdin.Bytes()}, {"stdout", run.Exit.Stdout}, {"stderr", run.Exit.Stderr}} {
		text := strings.TrimRight(string(s.data), "\n")
		switch {
		case text == "":
		case s.name == "stdin" && bytes.Equal(s.data, before):
			b.WriteString("  stdin    the same\n")
		default:
			fmt.Fprintf(b, "  %-8s %s\n", s.name, indented([]byte(text), "           "))
		}
	}
	if from := run.Reading.From; from != "" {
		fmt.Fprintf(b, "  %-8s %s, from %s\n", "parsed", understood(run.Reading.Output), from)
	}
	if run.Failed != "" {
		fmt.Fprintf(b, "  %-8s %s\n", "failed", text.VisibleLine(run.Failed))
	}
	t.ignored(b, run)
	for _, u := range run.Upstream {
		fmt.Fprintf(b, "  %-8s %s\n", "but", text.VisibleLine(u.String()))
	}
}

// ignored writes the warnings of a run, which may have been skipped.
func (t Text) ignored(b *strings.Builder, run hooks.Run) {
	for _, w := range run.Warnings {
		fmt.Fprintf(b, "  %-8s %s\n", "ignored", text.VisibleLine(t.short(w)))
	}
}

// ending says how the hook's run ended.
func ending(run hooks.Run) string {
	switch {
	case run.TimedOut:
		return "timed out"
	case run.Exit.Err != nil:
		return "could not run"
	case run.Exit.Signal != "":
		return "ended by signal " + run.Exit.Signal
	}
	return fmt.Sprintf("exit %d", run.Exit.Code)
}

// understood returns the answer as it was parsed, without empty fields.
func understood(o protocol.Output) string {
	data, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	var m map[string]any
	if json.Unmarshal(data, &m) != nil {
		return string(data)
	}
	for k, v := range m {
		if v == nil || v == "" || v == false {
			delete(m, k)
		}
	}
	data, _ = protocol.Encode(m) // it was JSON a moment ago
	return text.VisibleLine(string(data))
}

// indented indents a text of several lines and formats JSON.
func indented(data []byte, margin string) string {
	var b bytes.Buffer
	if len(data) > 100 && json.Indent(&b, data, "", "  ") == nil {
		data = b.Bytes()
	}
	lines := strings.Split(string(data), "\n")
	const most = 60
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("... and %d lines more; --json has them all", len(lines)-most))
	}
	for i := range lines {
		lines[i] = text.VisibleLine(lines[i])
	}
	return strings.Join(lines, "\n"+margin)
}

// block writes a title and n lines; nothing if n is 0.
func block(b *strings.Builder, title string, n int, line func(int) string) {
	if n > 0 {
		fmt.Fprintf(b, "\n%s\n", title)
	}
	for i := range n {
		fmt.Fprintf(b, "  %s\n", text.VisibleLine(line(i)))
	}
}

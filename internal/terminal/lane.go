package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// HookStarting makes the spinner show the status messages of slow hooks, or their names
// if they have none. It is for hooks.Engine.Starting.
func (v *View) HookStarting(_ protocol.Event, hs []hooks.Hook) {
	var names, said []string
	for _, h := range hs {
		if h.StatusMessage != "" {
			said = append(said, cleanLine(h.StatusMessage))
		} else {
			names = append(names, cleanLine(h.Label()))
		}
	}
	if len(names) > 0 {
		said = append(said, "waiting for the hook "+strings.Join(names, ", "))
	}
	v.spin.hook(strings.Join(said, "; "))
}

// Hook shows one hook event: a line if it changed something, the reason if it blocked,
// and the hooks' messages to the user. It is for hooks.Engine.Report.
func (v *View) Hook(r hooks.Report) {
	v.spin.hook("")
	var b strings.Builder
	if !r.Late && v.deservesLine(r) {
		v.line(&b, r)
	}
	for _, m := range r.Messages {
		text := shortened(Clean(m.Text))
		switch {
		case m.Suppressed || m.Kind == hooks.MessageNote:
		case m.Kind == hooks.MessageSystem:
			b.WriteString(v.style.yellow("  "+strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")) +
				v.style.dim("  ["+cleanLine(m.Hook)+"]") + "\n")
		default:
			b.WriteString(v.style.yellow("  ! "+strings.TrimSpace(v.indented("    ", strings.TrimSpace(text)))) + "\n")
		}
	}
	if b.Len() > 0 {
		v.endAnswer()
		v.apart(true)
		v.screen.lines(b.String())
	}
}

// deservesLine reports whether hooks ran and changed something. If all events are
// traced, it is enough that hooks ran. Without tracing, a change shows no line if every
// hook that ran set suppressOutput.
func (v *View) deservesLine(r hooks.Report) bool {
	ran, loud := false, false
	for _, run := range r.Runs {
		if run.Ran() {
			ran = true
			loud = loud || !run.Reading.Output.SuppressOutput
		}
	}
	changed := r.Effect.Kind != "" && r.Effect.Kind != hooks.EffectNone
	return ran && (v.traceHooks.Load() || loud && changed && v.hookLines)
}

// line formats "BeforeTool write_file guard.sh deny 12 ms", with the reason below it.
func (v *View) line(b *strings.Builder, r hooks.Report) {
	did := r.Effect.Kind
	if did == "" || did == hooks.EffectNone {
		did = "pass"
	}
	var ran []string
	for _, run := range r.Runs {
		if run.Ran() {
			ran = append(ran, cleanLine(run.Hook.Label()))
		}
	}
	cols := []string{string(r.Event)}
	if r.Subject != "" {
		cols = append(cols, cleanLine(r.Subject))
	}
	if r.Agent.Type != "" {
		cols = append(cols, "in "+cleanLine(r.Agent.Type))
	}
	cols = append(cols, strings.Join(ran, ","), did, millis(r.Duration))
	rows, room := []string{""}, max(v.width()-1, 10)
	for _, col := range cols {
		last := &rows[len(rows)-1]
		if *last != "" && ansi.StringWidth(*last+col)+2 > room {
			rows = append(rows, "  ")
			last = &rows[len(rows)-1]
		}
		*last += "  " + col
	}
	blocks := r.Verdict.Decision >= hooks.Deny
	paint := v.style.dim
	if blocks {
		paint = v.style.red
	}
	for _, row := range rows {
		b.WriteString(paint(row) + "\n")
	}
	if blocks && r.Verdict.Reason != "" {
		v.mu.Lock()
		v.refusal = cleanLine(r.Verdict.Reason)
		v.mu.Unlock()
		for why := range strings.Lines(shortened(Clean(r.Verdict.Reason))) {
			b.WriteString(v.indented("      ", strings.TrimRight(why, "\n")))
		}
	}
	if r.Effect.Kind == hooks.EffectRewrite && r.Event == protocol.BeforeTool {
		for _, changed := range rewritten(r.Effect.Before, r.Effect.After) {
			b.WriteString(indent(strings.Join(v.style.broken(v.style.dim(cleanLine(changed)), max(v.width()-7, 10)), "\n"),
				"      ") + "\n")
		}
	}
}

// rewritten lists the arguments that changed, one per line. If they are not JSON
// objects, it shows both versions in full.
func rewritten(before, after []byte) (changed []string) {
	var was, is map[string]json.RawMessage
	if json.Unmarshal(before, &was) != nil || json.Unmarshal(after, &is) != nil {
		return []string{fmt.Sprintf("%s → %s", before, after)}
	}
	names := map[string]json.RawMessage{}
	maps.Copy(names, is)
	maps.Copy(names, was)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, b := was[name], is[name]
		switch {
		case bytes.Equal(a, b):
		case a == nil:
			changed = append(changed, fmt.Sprintf("%s: + %s", name, b))
		case b == nil:
			changed = append(changed, fmt.Sprintf("%s: - %s", name, a))
		default:
			changed = append(changed, fmt.Sprintf("%s: %s → %s", name, a, b))
		}
	}
	return changed
}

// indented wraps text between words and puts margin before each row.
func (v *View) indented(margin, text string) string {
	var b strings.Builder
	for row := range strings.SplitSeq(ansi.Wrap(text, max(v.width()-len(margin)-1, 10), ""), "\n") {
		b.WriteString(margin + row + "\n")
	}
	return b.String()
}

// Limits on one hook's text on the screen: a mebibyte would push everything else away.
const (
	maxHookLines = 50
	maxHookBytes = 8 << 10
)

// shortened returns the beginning of a long text, and says how much is missing.
func shortened(text string) string {
	text = strings.TrimSpace(text)
	end, lines := 0, 0
	for line := range strings.Lines(text) {
		if lines == maxHookLines || end+len(line) > maxHookBytes {
			break
		}
		end += len(line)
		lines++
	}
	if end == len(text) {
		return text
	}
	if lines == 0 { // a single line that is too long
		end = len(strings.ToValidUTF8(text[:maxHookBytes], ""))
	}
	return fmt.Sprintf("%s\n… %d bytes more (/hooks last shows all)", strings.TrimRight(text[:end], "\n"), len(text)-end)
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%d ms", max(1, d.Milliseconds())) // shorter times are not distinguished
}

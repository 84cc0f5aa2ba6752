package terminal

import (
	"fmt"
	"strings"
	"time"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// HookStarting makes the spinner name hooks that take long. It is for
// hooks.Engine.Starting.
func (v *View) HookStarting(_ hooks.Event, hs []hooks.Hook) {
	names := make([]string, len(hs))
	for i, h := range hs {
		names[i] = cleanLine(h.ID())
	}
	v.spin.hook(strings.Join(names, ", "))
}

// Hook shows what one event did: a line if it did something, the reason if it
// blocks, and what hooks tell the user. It is for hooks.Engine.Report.
func (v *View) Hook(r hooks.Report) {
	v.spin.hook("")
	var b strings.Builder
	if !r.Late && v.worthALine(r) {
		v.line(&b, r)
	}
	for _, m := range r.Messages {
		text := shortened(Clean(m.Text))
		switch {
		case m.Suppressed || m.Kind == hooks.MessageNote:
		case m.Kind == hooks.MessageSystem:
			b.WriteString(v.style.yellow("  "+strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")) + v.style.dim("  ["+cleanLine(m.Hook)+"]") + "\n")
		default:
			b.WriteString(v.style.yellow("  ! "+strings.TrimSpace(text)) + "\n")
		}
	}
	if b.Len() > 0 {
		v.settle()
		v.screen.lines(b.String())
	}
}

// worthALine: hooks ran and changed something, or all of it is wanted; and not
// every one of them asked to be left out.
func (v *View) worthALine(r hooks.Report) bool {
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

// line is "BeforeTool  write_file  guard.sh  deny  12 ms", and below it why.
func (v *View) line(b *strings.Builder, r hooks.Report) {
	did := r.Effect.Kind
	if did == "" || did == hooks.EffectNone {
		did = "pass"
	}
	var ran []string
	for _, run := range r.Runs {
		if run.Ran() {
			ran = append(ran, cleanLine(run.Hook.ID()))
		}
	}
	cols := []string{string(r.Event)}
	if r.Subject != "" {
		cols = append(cols, cleanLine(r.Subject))
	}
	cols = append(cols, strings.Join(ran, ","), did, millis(r.Duration))
	text := "  " + strings.Join(cols, "  ")
	blocks := r.Verdict.Decision >= hooks.Deny
	if blocks {
		b.WriteString(v.style.red(text) + "\n")
	} else {
		b.WriteString(v.style.dim(text) + "\n")
	}
	if blocks && r.Verdict.Reason != "" {
		for why := range strings.Lines(shortened(Clean(r.Verdict.Reason))) {
			b.WriteString("      " + strings.TrimRight(why, "\n") + "\n")
		}
	}
	if r.Effect.Kind == hooks.EffectRewrite && r.Event == protocol.BeforeTool {
		fmt.Fprintf(b, "      %s\n", v.style.dim(fmt.Sprintf("%s → %s", cleanLine(string(r.Effect.Before)), cleanLine(string(r.Effect.After)))))
	}
}

// What a hook says on the screen at most: a mebibyte would push away all that was
// there before.
const (
	mostLines = 50
	mostBytes = 8 << 10
)

// shortened is the beginning of a long text, and says how much is missing.
func shortened(text string) string {
	text = strings.TrimSpace(text)
	end, lines := 0, 0
	for line := range strings.Lines(text) {
		if lines == mostLines || end+len(line) > mostBytes {
			break
		}
		end += len(line)
		lines++
	}
	if end == len(text) {
		return text
	}
	if lines == 0 { // a line that is too long by itself
		end = len(strings.ToValidUTF8(text[:mostBytes], ""))
	}
	return fmt.Sprintf("%s\n… %d bytes more (/hooks last shows all)", strings.TrimRight(text[:end], "\n"), len(text)-end)
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%d ms", max(1, d.Milliseconds())) // what took less is not told apart
}

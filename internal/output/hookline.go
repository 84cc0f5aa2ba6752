package output

import (
	"fmt"
	"strings"
	"time"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// HookLine describes one hook event on one line: BeforeTool run_shell_command
// rewrite 3 ms
func HookLine(r hooks.Report) string {
	did := r.Effect.Kind
	if did == "" || did == hooks.EffectNone {
		did = "pass"
	}
	return fmt.Sprintf("%-19s  %-17s  %-9s  %s", r.Event, hookSubject(r), did, Milliseconds(r.Duration))
}

// hookSubject returns what an event was about: a tool, a source, or else the hooks.
func hookSubject(r hooks.Report) string {
	if r.Subject != "" {
		return r.Subject
	}
	var ran []string
	for _, h := range r.Runs {
		if h.Ran() {
			ran = append(ran, h.Hook.Label())
		}
	}
	if len(ran) == 0 {
		return "-"
	}
	return strings.Join(ran, ",")
}

// Milliseconds formats a duration for lists.
func Milliseconds(d time.Duration) string {
	return fmt.Sprintf("%d ms", max(1, d.Round(time.Millisecond).Milliseconds())) // shorter times are not distinguished
}

// HookWhy returns the reason shown below the line of an event that changed something,
// or "" if there is nothing to add.
func HookWhy(r hooks.Report) string {
	switch {
	case r.Verdict.Denied() && r.Event != protocol.AfterAgent:
		return fmt.Sprintf("%s: %s", strings.Join(r.Verdict.Hooks, ", "), r.Verdict.Reason)
	case r.Event == protocol.AfterAgent && r.Verdict.Denied():
		return fmt.Sprintf("%s sent the answer back: %s", strings.Join(r.Verdict.Hooks, ", "), r.Verdict.Reason)
	case r.Effect.Kind == hooks.EffectRewrite && r.Event == protocol.BeforeTool:
		return fmt.Sprintf("the model asked for %s\nthe hook made it    %s", r.Effect.Before, r.Effect.After)
	}
	return ""
}

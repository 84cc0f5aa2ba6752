package output

import (
	"fmt"
	"strings"
	"time"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// HookLine is what one event did, on one line:
//
//	BeforeTool  run_shell_command  rewrite  3 ms
func HookLine(r hooks.Report) string {
	did := r.Effect.Kind
	if did == "" || did == hooks.EffectNone {
		did = "pass"
	}
	return fmt.Sprintf("%-19s  %-17s  %-9s  %s", r.Event, hookSubject(r), did, Milliseconds(r.Duration))
}

// hookSubject is what an event was about: a tool, a source, or else the hooks.
func hookSubject(r hooks.Report) string {
	if r.Subject != "" {
		return r.Subject
	}
	var ran []string
	for _, h := range r.Runs {
		if h.Ran() {
			ran = append(ran, h.Hook.ID())
		}
	}
	if len(ran) == 0 {
		return "-"
	}
	return strings.Join(ran, ",")
}

// Milliseconds is a duration as lists show it.
func Milliseconds(d time.Duration) string {
	return fmt.Sprintf("%d ms", max(1, d.Round(time.Millisecond).Milliseconds())) // what took less is not told apart
}

// HookWhy is the reason under the line of an event that changed something;
// empty where there is nothing to add.
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

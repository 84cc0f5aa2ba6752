package agents

import (
	"fmt"
	"slices"

	"minigem/e2e/testbed"
)

// Cannot implements testbed.Other.
func (x *session) Cannot(verb string, args []string, conds []testbed.Cond) string {
	switch verb {
	case "fired", "not-fired":
		if why := x.noEvent(args[0]); why != "" {
			return why
		}
	case "stdout", "stderr", "user-saw":
		if !x.a.Prints {
			return "what " + x.a.Name + " prints is in its own format, and is not checked"
		}
	case "cmp":
		if !x.a.Prints && (args[0] == "stdout" || args[0] == "stderr") {
			return "what " + x.a.Name + " prints is in its own format, and is not checked"
		}
	case "tool-ran":
		if x.unclear != "" {
			return x.unclear
		}
	case "transcript":
		if x.a.Transcript == "" {
			return "where " + x.a.Name + " keeps its transcript is not known"
		}
	case "watches":
		return "what a hook changed cannot be seen for every event"
	}
	for _, c := range conds {
		if why := x.noCondition(verb, args, c); why != "" {
			return why
		}
	}
	return ""
}

// noEvent explains why an event cannot be judged. It is empty if it can be.
func (x *session) noEvent(event string) string {
	native, ok := x.a.Events[event]
	if !ok {
		return fmt.Sprintf("%s has no event %s", x.a.Name, event)
	}
	if slices.ContainsFunc(x.w.hooks, func(h hook) bool { return h.unseen && h.event == native }) {
		return "what a plugin of " + x.a.Title + " runs is not recorded"
	}
	return x.known[native]
}

// seen lists, for each verb, the conditions that can be judged.
var seen = map[string][]string{
	"fired":       {"decision", "reason", "exit", "subject", "stdin", "stdout", "stderr", "times"},
	"not-fired":   {},
	"tool-result": {"text", "status", "times"},
	"model-saw":   {"text", "new", "system"},
}

func (x *session) noCondition(verb string, args []string, c testbed.Cond) string {
	known, limited := seen[verb]
	if limited && !slices.Contains(known, c.Key) {
		return fmt.Sprintf("%s of %s cannot be seen on %s", c.Key, verb, x.a.Name)
	}
	if verb != "fired" || c.Key != "decision" && c.Key != "reason" {
		return ""
	}
	if !slices.Contains([]string{"BeforeTool", "BeforeAgent", "AfterAgent"}, args[0]) {
		return fmt.Sprintf("outcomes of a hook at %s cannot be told apart on %s", args[0], x.a.Name)
	}
	if why := x.unsure[args[0]]; why != "" {
		return why
	}
	switch {
	case c.Key == "reason" && args[0] == "BeforeAgent":
		return "the reason for a blocked prompt is shown only to the user"
	case c.Key == "decision" && c.Value != "deny" && c.Value != "proceed":
		return fmt.Sprintf("decision=%s cannot be distinguished from deny or proceed on %s", c.Value, x.a.Name)
	}
	return ""
}

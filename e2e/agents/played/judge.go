package played

import (
	"fmt"
	"slices"
	"strings"

	"minigem/e2e/testbed"
	"minigem/hooks/protocol"
)

// Judge decides which assertions can be judged if an agent is played. It implements
// testbed.Other for sessions.
type Judge struct{ Player *Player }

// Sees reports whether an assertion can be judged. Minigem's own loop plays the agent, so
// all but portable can be.
func (j Judge) Sees(verb string) bool { return verb != "portable" }

// Cannot implements testbed.Other.
func (j Judge) Cannot(verb string, args []string, conds []testbed.Cond) string {
	p := j.Player
	name := p.agent.Name
	switch verb {
	case "fired", "not-fired", "event":
		event := protocol.Event(args[0])
		if !plays(p.agent, event) {
			break
		}
		if _, ok := p.agent.Event(played[event]); !ok {
			return fmt.Sprintf("%s has no event %s", name, event)
		}
		if event == "BeforeAgent" && again(p.agent, "tools") &&
			slices.ContainsFunc(conds, func(c testbed.Cond) bool { return c.Key == "times" }) {
			return name + " fires it for the results of tools, too, which is not played"
		}
	case "stdout", "stderr", "user-saw", "screen", "notice", "ending":
		if p.agent.ID != "gemini" {
			return "what " + name + " prints is in its own format, which is not played"
		}
	case "cmp":
		if args[0] == "stdout" || args[0] == "stderr" {
			return "what " + name + " prints is in its own format, which is not played"
		}
	case "transcript":
		return "the transcript of " + name + " is not played"
	}
	for _, c := range conds {
		if why := j.noCondition(verb, args, c); why != "" {
			return why
		}
	}
	return ""
}

func (j Judge) noCondition(verb string, args []string, c testbed.Cond) string {
	name := j.Player.agent.Name
	switch {
	case c.Key == "upstream":
		return "upstream says what Gemini CLI makes of a run of minigem, and this is one of " + name
	case verb == "fired" && (c.Key == "decision" || c.Key == "reason") &&
		!slices.Contains([]string{"BeforeTool", "BeforeAgent", "AfterAgent"}, args[0]):
		return fmt.Sprintf("the outcome of a hook at %s has no %s in %s", args[0], c.Key, name)
	case verb == "fired" && c.Key == "reason" && args[0] == "BeforeAgent":
		return "the reason for a blocked prompt is shown only to the user"
	case verb == "fired" && c.Key == "decision" && c.Value != "deny" && c.Value != "proceed":
		return fmt.Sprintf("decision=%s cannot be distinguished from deny or proceed on %s", c.Value, name)
	}
	return ""
}

// Tool implements testbed.Other.
func (j Judge) Tool(name string) string { return j.Player.adapter.ToolName(name) }

// WhyNot implements testbed.Other.
func (j Judge) WhyNot(event, name string) string {
	var at []string
	for _, h := range j.Player.hooks {
		if testbed.IsHook(h.Hook, name) && !slices.Contains(at, string(h.Event)) {
			at = append(at, string(h.Event))
		}
	}
	switch {
	case slices.Contains(at, event):
		return event + " never happened"
	case len(at) > 0:
		return fmt.Sprintf("it is configured for %s, not for %s", strings.Join(at, ", "), event)
	}
	return fmt.Sprintf("%s has no such hook in this case", j.Player.agent.Name)
}

// Findings implements testbed.Other.
func (j Judge) Findings() []string {
	if j.Player.endless() {
		return []string{
			j.Player.agent.Name + " would go on forever here: nothing limits how often a hook makes it go on. It was stopped"}
	}
	return nil
}

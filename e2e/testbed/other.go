package testbed

import (
	"fmt"
	"slices"
	"strings"

	"minigem/internal/text"
)

// Check is the outcome of one assertion.
type Check struct {
	Where, Command string
	Unasked        string // why it cannot be judged; empty if it can
	Passed         bool
	Vacuous        string // why it proves nothing although it passed; empty if it proves something or that is not known
	Expected       string
	Actual         string
}

// Vacuity says which assertion proves nothing, and why.
func (c Check) Vacuity() string { return strings.TrimPrefix(c.Command+": "+c.Vacuous, ": ") }

// unasked explains why c cannot be judged. It is empty if c can be.
func (r *Record) unasked(c Command) string {
	seer, sees := r.other.(Seer)
	switch {
	case r.other == nil:
		return "" // minigem can judge everything; a program that did not start fails the case anyway
	case !c.verb.Elsewhere && !(sees && seer.Sees(c.verb.Name)):
		return c.verb.Name + " cannot be seen there"
	}
	return r.other.Cannot(c.verb.Name, c.Args, c.Conds)
}

// tool returns minigem's name for a tool.
func (r *Record) tool(name string) string {
	if r.other != nil {
		return r.other.Tool(name)
	}
	return canonicalTool(name)
}

// Unplayable explains why another program cannot play the case. It is empty if one can.
func (c *Case) Unplayable() string {
	prompts := 0
	for _, cmd := range c.Commands {
		if cmd.verb.Name == "prompt" {
			prompts++
		}
		if cmd.verb.Kind != assertion && !cmd.verb.Elsewhere {
			return cmd.verb.Name + " is not available there"
		}
	}
	if prompts != 1 {
		return fmt.Sprintf("the case has %s: other agents run with exactly one", text.Plural(prompts, "prompt"))
	}
	for _, r := range c.Rounds {
		if r.Agent != "" {
			return "the agent " + r.Agent + " is not available there"
		}
		if r.Err != nil {
			return "requests that fail are not available there"
		}
	}
	if !slices.ContainsFunc(c.Commands, func(cmd Command) bool {
		return cmd.verb.Kind == assertion && cmd.verb.Elsewhere
	}) {
		return "none of its assertions is available there"
	}
	return ""
}

// Differs returns how Gemini CLI treats the case differently, according to the case
// itself, or "".
func (c *Case) Differs() string {
	i := slices.IndexFunc(c.Commands, func(cmd Command) bool { return cmd.verb.Name == "differs" })
	if i < 0 {
		return ""
	}
	return c.Commands[i].Text
}

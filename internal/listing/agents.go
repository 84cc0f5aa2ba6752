package listing

import (
	"fmt"
	"strings"

	"minigem/internal/app"
	"minigem/internal/text"
)

// WriteAgents lists the agents that models may call, and those that they may not,
// with why.
func WriteAgents(c *app.Configuration, sys *app.System) error {
	found, problems := c.AllAgents()
	var b strings.Builder
	for _, a := range found {
		state := "offered"
		if a.Off != "" {
			state = "not offered: " + a.Off
		}
		fmt.Fprintf(&b, "%s [%s]: %s\n    %s, %s\n", a.Name, state, text.VisibleLine(a.Description), text.VisibleLine(a.Source), text.VisibleLine(c.Shorten(a.File)))
	}
	for _, p := range problems {
		fmt.Fprintf(&b, "%s\n", c.ShortenIn(text.VisibleLine(p)))
	}
	if b.Len() == 0 {
		b.WriteString("There are no agents: they are files in .gemini/agents and ~/.gemini/agents (docs/SUBAGENTS.md).\n")
	}
	_, err := fmt.Fprint(sys.Stdout, b.String())
	return err
}

package listing

import (
	"fmt"
	"strings"

	"minigem/internal/app"
	"minigem/internal/subagents"
	"minigem/internal/text"
)

// WriteAgents lists the agents that models may call, and those that they may not, with
// the reason.
func WriteAgents(c *app.Configuration, sys *app.System) error {
	found, problems := c.Agents().All()
	var b strings.Builder
	for _, a := range found {
		state := "offered"
		if a.Off != "" {
			state = "not offered: " + a.Off
		}
		fmt.Fprintf(&b, "%s [%s]: %s\n    %s%s\n", a.Name, state, text.VisibleLine(a.Description), text.VisibleLine(a.Source),
			text.VisibleLine(where(c, a)))
	}
	for _, p := range problems {
		fmt.Fprintf(&b, "%s\n", c.ShortenIn(text.VisibleLine(p)))
	}
	_, err := fmt.Fprint(sys.Stdout, b.String())
	return err
}

func where(c *app.Configuration, a subagents.Agent) string {
	if a.File == "" {
		return ""
	}
	return ", " + c.Shorten(a.File)
}

package played

import (
	"minigem/e2e/agents"
	"minigem/e2e/testbed"
)

// Columns returns the columns of played agents. o configures minigem itself, and driver
// opens a session that plays an agent.
func Columns(all []Agent, o testbed.Options, driver func(Agent) testbed.Driver) []agents.Column {
	var columns []agents.Column
	for _, a := range all {
		c := agents.Column{Name: a.Title(), Version: a.Version, Cannot: a.Cannot(), Other: true, Options: o}
		c.Options.Driver, c.Options.Chat, c.Options.Elsewhere, c.Options.Update = driver(a), nil, true, false
		columns = append(columns, c)
	}
	return columns
}

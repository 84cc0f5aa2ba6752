package app

import (
	"cmp"
	"time"

	"minigem/agent/subagent"
	"minigem/internal/subagents"
)

// Agents returns the agents of this run.
func (c *Configuration) Agents() subagents.Set {
	return subagents.Set{
		Place: c.Place, Extensions: c.Extensions.Used, Trusted: c.Trust.Trusted, Agreed: c.OwnAgents,
		On: c.Settings.Experimental.EnableAgents,
		Override: func(d *subagent.Definition) *bool {
			o := c.Settings.Agents.Overrides[d.Name]
			if o.Tools != nil {
				d.Tools = o.Tools
			}
			if o.RunConfig.MaxTurns > 0 {
				d.MaxTurns = o.RunConfig.MaxTurns
			}
			if o.RunConfig.MaxTimeMinutes > 0 {
				d.Timeout = time.Duration(o.RunConfig.MaxTimeMinutes) * time.Minute
			}
			d.Model = cmp.Or(o.ModelConfig.Model, d.Model)
			return o.Enabled
		},
	}
}

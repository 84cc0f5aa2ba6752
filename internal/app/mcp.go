package app

import (
	"minigem/internal/mcp/fleet"
	"minigem/internal/redact"
)

// MCP returns the MCP servers of this run. flagged lists those that the command line
// allows; nil allows all.
func (c *Configuration) MCP(flagged []string) fleet.Set {
	red := c.Settings.Security.EnvironmentVariableRedaction
	return fleet.Set{
		Place: c.Place, Entries: c.Settings.MCPServers, Allowed: c.Settings.MCP.Allowed, Excluded: c.Settings.MCP.Excluded,
		Flagged: flagged, Trusted: c.Trust.Trusted, Within: c.Within, Env: c.Env,
		Redact: redact.Config{Enabled: true, Allowed: red.Allowed, Blocked: red.Blocked, Strict: redact.Strict(c.Env)},
	}
}

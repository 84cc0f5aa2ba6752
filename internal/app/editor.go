package app

import (
	"maps"

	"minigem/internal/mcp/entry"
)

// AddMCPServers adds servers to the settings' servers and replaces any with the same
// name. The settings' allow and exclude lists apply to them, too.
func (c *Configuration) AddMCPServers(given map[string]entry.Server) {
	all := map[string]entry.Server{}
	maps.Copy(all, c.Settings.MCPServers)
	maps.Copy(all, given)
	c.Settings.MCPServers = all
}

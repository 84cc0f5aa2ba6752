package app

import (
	"fmt"
	"maps"

	"minigem/internal/mcp/entry"
	"minigem/internal/models"
)

// AddMCPServers adds servers to the settings' servers and replaces any with the same
// name. The settings' allow and exclude lists apply to them, too.
func (c *Configuration) AddMCPServers(given map[string]entry.Server) {
	all := map[string]entry.Server{}
	maps.Copy(all, c.Settings.MCPServers)
	maps.Copy(all, given)
	c.Settings.MCPServers = all
}

// UseModel switches to another model from the next request on. No prompt may be running
// meanwhile.
func (r *Runtime) UseModel(name string) error {
	choice, err := r.Config.models.Choose(models.Ask{Name: name})
	if err != nil {
		return err
	}
	if !SameServer(choice.Model, r.ModelName) {
		return fmt.Errorf("%s is on another server than %s: start minigem with --model %s (and --resume latest to go on "+
			"here)", choice.Model, r.ModelName, name)
	}
	r.asked = name
	r.take(choice)
	return nil
}

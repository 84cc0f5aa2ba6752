package app

import (
	"fmt"
	"maps"

	"minigem/internal/mcp/entry"
	"minigem/internal/models"
)

// AddMCPServers adds servers to those of the settings; of two with one name the
// given one counts. The lists that allow and exclude servers hold for them, too.
func (c *Configuration) AddMCPServers(given map[string]entry.Server) {
	all := map[string]entry.Server{}
	maps.Copy(all, c.Settings.MCPServers)
	maps.Copy(all, given)
	c.Settings.MCPServers = all
}

// UseModel uses another model from the next request on. No prompt may run
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

package app

import (
	"fmt"
	"maps"

	"minigem/internal/mcp/entry"
	"minigem/internal/models"
	"minigem/tools/policy"
)

// AddMCPServers adds servers to those of the settings and replaces any with the same
// name. The settings' allow and exclude lists apply to them, too.
func (c *Configuration) AddMCPServers(given map[string]entry.Server) {
	all := map[string]entry.Server{}
	maps.Copy(all, c.Settings.MCPServers)
	maps.Copy(all, given)
	c.Settings.MCPServers = all
}

// Modes returns the approval modes that [Runtime.ChangeMode] accepts here, spelled as
// in policy files.
func (r *Runtime) Modes() []string {
	modes := []string{string(policy.ModeDefault)}
	if r.Config.Trust.Trusted {
		modes = append(modes, string(policy.ModeAutoEdit))
		if !r.Config.Settings.Security.DisableYoloMode {
			modes = append(modes, string(policy.ModeYolo))
		}
	}
	if r.Config.Settings.General.Plan.Enabled {
		modes = append(modes, string(policy.ModePlan))
	}
	return modes
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

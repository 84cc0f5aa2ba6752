package app

import (
	"fmt"
	"maps"

	"minigem/internal/models"
	"minigem/internal/settings"
	"minigem/tools/policy"
)

// A GivenServer is an MCP server that an editor wants a session to have.
type GivenServer struct {
	Name    string
	Command string
	Args    []string
	Env     map[string]string
	Type    string // of a URL: http or sse
	URL     string
	Headers map[string]string
}

// AddMCPServers adds servers to those of the settings; of two with one name the
// given one counts. The lists that allow and exclude servers hold for them, too.
func (c *Configuration) AddMCPServers(given []GivenServer) {
	all := maps.Clone(c.Settings.MCPServers)
	if all == nil {
		all = map[string]settings.MCPServer{}
	}
	for _, g := range given {
		all[g.Name] = settings.MCPServer{Command: g.Command, Args: g.Args, Env: g.Env, Type: g.Type, URL: g.URL,
			Headers: g.Headers}
	}
	c.Settings.MCPServers = all
}

// Modes are the approval modes that [Runtime.ChangeMode] would take here, in the
// spelling of policy files.
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

package app

import (
	"cmp"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"minigem/agent/event"
	"minigem/agent/subagent"
	"minigem/internal/mcp/entry"
	"minigem/internal/mcp/fleet"
	"minigem/internal/models"
	"minigem/internal/redact"
	"minigem/internal/skills"
	"minigem/internal/slash"
	"minigem/internal/subagents"
	"minigem/internal/telemetry"
	"minigem/internal/text"
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

// AddMCPServers adds servers to the settings' servers and replaces any with the same
// name. The settings' allow and exclude lists apply to them, too.
func (c *Configuration) AddMCPServers(given map[string]entry.Server) {
	all := map[string]entry.Server{}
	maps.Copy(all, c.Settings.MCPServers)
	maps.Copy(all, given)
	c.Settings.MCPServers = all
}

// Skills returns the skills of this run. An untrusted folder contributes none.
func (c *Configuration) Skills() skills.Set {
	set := skills.Set{Place: c.Place, On: c.Settings.Skills.Enabled && c.Settings.Admin.Skills.Enabled,
		Disabled: c.Settings.Skills.Disabled}
	add := func(dir, name string, replace *strings.Replacer) {
		set.Sources = append(set.Sources, skills.Source{Dir: dir, Name: name, Replace: replace})
	}
	for _, e := range c.Extensions.Used {
		add(filepath.Join(e.Dir, "skills"), "extension "+e.Name, c.Extensions.Replacer(e))
	}
	add(set.Dir(false), "user", nil)
	add(filepath.Join(c.Home, ".agents", "skills"), "user", nil)
	if c.Trust.Trusted && c.Dir != c.Home {
		add(set.Dir(true), "project", nil)
		add(filepath.Join(c.Dir, ".agents", "skills"), "project", nil)
	}
	return set
}

// Source says where the model of a session with these flags comes from. sink may be
// nil.
func (c *Configuration) Source(f *Options, sink event.Sink) models.Source {
	return models.Source{
		Settings: c.Settings, Catalog: c.Models, Flag: f.Model, Fake: f.Script(),
		Loose: f.FakeNonStrict != "", Lookup: c.Lookup, Version: Version, Sink: sink,
	}
}

// Lookup reads a variable from the environment, including .env files. The Gemini API key
// may also be stored elsewhere.
func (c *Configuration) Lookup(name string) string {
	value := (&System{Env: c.Env}).Getenv(name)
	if value == "" && name == "GEMINI_API_KEY" {
		return c.key
	}
	return value
}

// CustomCommands returns the commands of the user, of the project if the folder is
// trusted, and of extensions. Their names differ from those in taken and from the chat's
// commands.
func (c *Configuration) CustomCommands(taken []string, warn func(string)) []slash.Custom {
	sources := []slash.Source{{Prefix: "user.", Dir: filepath.Join(c.DotGemini, "commands")}}
	if own := filepath.Join(c.Dir, ".gemini"); c.Trust.Trusted && own != filepath.Clean(c.DotGemini) {
		sources = append(sources, slash.Source{Prefix: "workspace.", Dir: filepath.Join(own, "commands")})
	}
	for _, e := range c.Extensions.Used {
		sources = append(sources, slash.Source{Prefix: e.Name + ":", Dir: filepath.Join(e.Dir, "commands")})
	}
	found, problems := slash.LoadAll(sources, append(slash.Names(), taken...))
	for _, p := range problems {
		warn(c.ShortenIn(p.Error()))
	}
	return found
}

// Telemetry returns the telemetry configuration from settings and environment.
func Telemetry(c *Configuration) telemetry.Config {
	s := c.Settings.Telemetry
	isSet := func(b *bool, otherwise bool) bool { return b != nil && *b || b == nil && otherwise }
	t := telemetry.Config{
		Enabled: isSet(s.Enabled, false), Target: s.Target, Endpoint: s.OTLPEndpoint, Protocol: s.OTLPProtocol,
		LogPrompts: isSet(s.LogPrompts, true), Outfile: s.Outfile, Traces: isSet(s.Traces, false),
	}.WithEnvironment(c.Lookup)
	if t.Outfile != "" {
		t.Outfile = text.Abs(c.Dir, t.Outfile)
	}
	return t
}

package app

import (
	"cmp"
	"context"

	"minigem/internal/discovered"
	"minigem/internal/mcp/fleet"
	"minigem/internal/redact"
)

// wireDiscovered adds the tools that a command in the settings declares. If it fails,
// that is reported, and only these tools are missing.
func (r *Runtime) wireDiscovered(ctx context.Context) error {
	s := r.Config.Settings.Tools
	found, problems, err := discovered.Discover(ctx, discovered.Commands{
		Discovery: s.DiscoveryCommand, Call: s.CallCommand, Dir: r.Config.Dir, Env: r.Config.ChildEnv(),
		Within: r.sys.Within, NotRun: r.sys.NotRun,
	})
	if err != nil {
		problems = append(problems, err.Error())
	}
	for _, p := range problems {
		r.warn(p)
	}
	r.Registry.Add(found...)
	return nil
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

func (r *Runtime) wireMCP(ctx context.Context) error {
	r.MCP.Now = func() fleet.Set { return r.Config.MCP(r.Flags.AllowedMCP) }
	if r.Config.own != nil {
		r.MCP.Own = func() fleet.Set { return cmp.Or(r.Config.own, r.Config).MCP(r.Flags.AllowedMCP) }
	}
	r.MCP.Registry, r.MCP.Sink, r.MCP.Asker, r.MCP.Warn = r.Registry, r.sink, r.front.Asker, r.warn
	r.closers = append(r.closers, func() error { r.MCP.Close(); return nil })
	r.MCP.Open(ctx, r.front.HoldMCP)
	return nil
}

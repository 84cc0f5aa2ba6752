package wiring

import (
	"cmp"
	"context"

	"minigem/internal/discovered"
	"minigem/internal/mcp/fleet"
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

func (r *Runtime) wireMCP(ctx context.Context) error {
	r.MCP.Now = func() fleet.Set { return r.Config.MCP(r.Flags.AllowedMCP) }
	if r.Config.Own != nil {
		r.MCP.Own = func() fleet.Set { return cmp.Or(r.Config.Own, r.Config).MCP(r.Flags.AllowedMCP) }
	}
	r.MCP.Registry, r.MCP.Sink, r.MCP.Asker, r.MCP.Warn = r.Registry, r.sink, r.front.Asker, r.warn
	r.closers = append(r.closers, func() error { r.MCP.Close(); return nil })
	r.MCP.Open(ctx, r.front.HoldMCP)
	return nil
}

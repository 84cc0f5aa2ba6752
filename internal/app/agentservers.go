package app

import (
	"context"
	"slices"
	"strings"

	"minigem/agent/subagent"
	"minigem/docs"
	"minigem/internal/mcp/entry"
	"minigem/internal/mcp/fleet"
	"minigem/internal/subagents"
	"minigem/tools"
	"minigem/tools/builtin"
)

// agentServers returns the MCP servers that the agent a brings, including those that
// are not started. An entry that only names a server refers to the settings' server of
// that name and may only remove tools from it: what the settings send to a server must
// not go to another one.
func (c *Configuration) agentServers(a Agent, flagged []string) []fleet.Server {
	var out []fleet.Server
	set := c.MCP(flagged)
	for _, s := range a.Servers {
		e := s.Server
		if e.Trust = e.Trust && !strings.HasPrefix(a.Source, "extension "); s.OfSettings() {
			e = narrowed(set.Entries[s.Name], e)
		}
		out = append(out, set.Of(s.Name, e))
	}
	return out
}

func narrowed(of, by entry.Server) entry.Server {
	if by.IncludeTools != nil {
		of.IncludeTools = slices.DeleteFunc(slices.Clone(by.IncludeTools), func(t string) bool {
			return of.IncludeTools != nil && !slices.Contains(of.IncludeTools, t)
		})
	}
	of.ExcludeTools = slices.Concat(of.ExcludeTools, by.ExcludeTools)
	return of
}

// toolsOfAgent starts an agent's own MCP servers. It returns the tools that only this
// agent has, and a function that stops the servers.
func (r *Runtime) toolsOfAgent(ctx context.Context, t subagent.Task) ([]tools.Tool, func()) {
	all, _ := r.Config.AllAgents()
	i := slices.IndexFunc(all, func(a Agent) bool { return a.Name == t.Agent.Name && a.File == t.Agent.File })
	switch {
	case i >= 0 && all[i].Source == subagents.BuiltIn && t.Agent.Name == subagents.HelpName:
		return []tools.Tool{builtin.InternalDocs(docs.Files)}, func() {}
	case i < 0 || len(all[i].Servers) == 0:
		return nil, func() {}
	}
	return r.MCP.ToAgent(ctx, t.Agent.Name, r.Config.agentServers(all[i], r.Flags.AllowedMCP))
}

package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"minigem/agent/subagent"
	"minigem/docs"
	"minigem/internal/mcp"
	"minigem/internal/settings"
	"minigem/internal/subagents"
	"minigem/internal/text"
	"minigem/tools"
	"minigem/tools/builtin"
)

// agentServers are the MCP servers that the agent a brings, those that are not
// started too. One without a way of its own to reach it is that of the settings, of
// which it may leave out tools: what the settings send to a server goes to that
// server alone.
func (c *Configuration) agentServers(a Agent, allowed []string) []MCPServer {
	var out []MCPServer
	for _, s := range a.Servers {
		set := settings.MCPServer{
			Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL, HTTPURL: s.HTTPURL, Type: s.Type,
			Headers: s.Headers,
			Timeout: s.Timeout, Trust: s.Trust && !strings.HasPrefix(a.Source, "extension "), IncludeTools: s.Include,
			ExcludeTools: s.Exclude,
		}
		if s.Command == "" && s.URL == "" && s.HTTPURL == "" {
			set = narrowed(c.Settings.MCPServers[s.Name], s)
		}
		one := MCPServer{Server: c.mcpServer(s.Name, set)}
		c.whyOff(&one, allowed, nil)
		out = append(out, one)
	}
	return out
}

func narrowed(of settings.MCPServer, s subagents.Server) settings.MCPServer {
	if s.Include != nil {
		of.IncludeTools = slices.DeleteFunc(slices.Clone(s.Include), func(t string) bool {
			return of.IncludeTools != nil && !slices.Contains(of.IncludeTools, t)
		})
	}
	of.ExcludeTools = slices.Concat(of.ExcludeTools, s.Exclude)
	return of
}

// toolsOfAgent starts the MCP servers of an agent, and returns the tools that it
// alone has, and what ends them.
func (r *Runtime) toolsOfAgent(ctx context.Context, t subagent.Task) ([]tools.Tool, func()) {
	all, _ := r.Config.AllAgents()
	i := slices.IndexFunc(all, func(a Agent) bool { return a.Name == t.Agent.Name && a.File == t.Agent.File })
	switch {
	case i >= 0 && all[i].Source == subagents.BuiltIn && t.Agent.Name == subagents.HelpName:
		return []tools.Tool{builtin.InternalDocs(docs.Files)}, func() {}
	case i < 0 || len(all[i].Servers) == 0:
		return nil, func() {}
	}
	var wanted []mcp.Server
	for _, s := range r.Config.agentServers(all[i], r.Flags.AllowedMCP) {
		if s.Off != "" {
			r.mcp.warn(fmt.Sprintf("the MCP server %s of the agent %s is not started: %s", s.Name, t.Agent.Name, s.Off))
			continue
		}
		s.Elicit = r.mcp.elicit
		wanted = append(wanted, s.Server)
	}
	pool := mcp.Start(ctx, wanted)
	for _, err := range pool.Wait(ctx) {
		r.mcp.warn(fmt.Sprintf("the agent %s goes on without an MCP server: %s", t.Agent.Name, text.VisibleLine(err.Error())))
	}
	var out []tools.Tool
	for _, s := range pool.Sessions() {
		out = append(out, s.Tools()...)
	}
	return out, pool.Close
}

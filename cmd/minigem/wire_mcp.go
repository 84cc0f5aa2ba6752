package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"minigem/internal/discovered"
	"minigem/internal/mcp"
	"minigem/internal/prompt"
	"minigem/internal/redact"
	"minigem/internal/settings"
)

// wireDiscovered adds the tools that a command of the settings declares. What
// goes wrong there is told, and costs those tools alone.
func (r *rig) wireDiscovered(ctx context.Context, _ *system, w *wiring) error {
	s := r.settings.Tools
	found, problems, err := discovered.Discover(ctx, discovered.Commands{
		Discovery: s.DiscoveryCommand, Call: s.CallCommand, Dir: r.dir, Env: r.childEnv(),
	})
	if err != nil {
		problems = append(problems, err.Error())
	}
	for _, p := range problems {
		w.warn(p)
	}
	r.registry.Add(found...)
	return nil
}

// wireMCP starts the MCP servers of the settings and adds what they offer. It
// waits for them: the first request offers all tools. One that does not come up
// is told of and left out.
func (r *rig) wireMCP(ctx context.Context, _ *system, w *wiring) error {
	servers := r.mcpServers(w.warn)
	if len(servers) == 0 {
		return nil
	}
	sessions, errs := mcp.Open(ctx, servers)
	for _, err := range errs {
		w.warn(err.Error())
	}
	for _, s := range sessions {
		r.closers = append(r.closers, func() error { s.Close(); return nil })
		if text := s.Instructions(); text != "" {
			r.instructions = append(r.instructions, prompt.Entry{Name: s.Name(), Text: text})
		}
		for _, t := range s.Tools() {
			if name := t.Spec().Name; r.registry.Lookup(name) != nil {
				w.warn(fmt.Sprintf("the tool %q of the MCP server %s is left out: another one is called %s too", t.Info().MCP.Tool, t.Info().MCP.Server, name))
				continue
			}
			r.registry.Add(t)
		}
	}
	r.registry.Add(mcp.ResourceTools(sessions)...)
	return nil
}

// mcpServers are those to start, in alphabetical order. A folder that is not
// trusted could decide what their commands do, so that none is started there.
func (r *rig) mcpServers(warn func(string)) []mcp.Server {
	s := r.settings
	var servers []mcp.Server
	for _, name := range slices.Sorted(maps.Keys(s.MCPServers)) {
		c := s.MCPServers[name]
		switch {
		case slices.Contains(s.MCP.Excluded, name),
			s.MCP.Allowed != nil && !slices.Contains(s.MCP.Allowed, name),
			r.flags.allowedMCP != nil && !slices.Contains(r.flags.allowedMCP, name):
		case c.Command == "" && c.URL == "" && c.HTTPURL == "":
			warn(fmt.Sprintf("the MCP server %s is left out: it has no \"command\", \"url\" or \"httpUrl\"", name))
		case !r.trust.trusted:
			warn(fmt.Sprintf("the MCP server %s is not started: this folder is not trusted", name))
		default:
			servers = append(servers, r.mcpServer(name, c))
		}
	}
	return servers
}

func (r *rig) mcpServer(name string, c settings.MCPServer) mcp.Server {
	dir := cmp.Or(c.Cwd, r.dir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.dir, dir)
	}
	// Servers are other people's programs: they never see our secrets, only what
	// their own settings give them.
	red := r.settings.Security.EnvironmentVariableRedaction
	env := redact.Sanitize(r.env, redact.Config{Enabled: true, Allowed: red.Allowed, Blocked: red.Blocked, Strict: redact.Strict(r.env)})
	env = append(env, "GEMINI_CLI=1")
	for _, k := range slices.Sorted(maps.Keys(c.Env)) {
		env = append(env, k+"="+c.Env[k])
	}
	server := mcp.Server{
		Name: name, Headers: c.Headers, Trusted: c.Trust, Root: r.dir,
		Timeout: time.Duration(c.Timeout) * time.Millisecond, Include: c.IncludeTools, Exclude: c.ExcludeTools,
	}
	switch {
	case c.HTTPURL != "": // as Gemini CLI chooses (core/config/config.ts)
		server.URL, server.Transport = c.HTTPURL, mcp.TransportHTTP
	case c.URL != "":
		server.URL, server.Transport = c.URL, mcp.Transport(c.Type)
	default:
		server.Command, server.Args, server.Env, server.Dir = c.Command, c.Args, env, dir
	}
	return server
}

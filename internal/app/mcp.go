package app

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
func (r *Runtime) wireDiscovered(ctx context.Context, _ *System, w *Frontend) error {
	s := r.Config.Settings.Tools
	found, problems, err := discovered.Discover(ctx, discovered.Commands{
		Discovery: s.DiscoveryCommand, Call: s.CallCommand, Dir: r.Config.Dir, Env: r.Config.ChildEnv(),
	})
	if err != nil {
		problems = append(problems, err.Error())
	}
	for _, p := range problems {
		w.Warn(p)
	}
	r.Registry.Add(found...)
	return nil
}

// wireMCP starts the MCP servers of the settings and adds what they offer. It
// waits for them: the first request offers all tools. One that does not come up
// is told of and left out.
func (r *Runtime) wireMCP(ctx context.Context, _ *System, w *Frontend) error {
	servers := r.MCPServers(w.Warn)
	if len(servers) == 0 {
		return nil
	}
	sessions, errs := mcp.Open(ctx, servers)
	for _, err := range errs {
		w.Warn(err.Error())
	}
	for _, s := range sessions {
		r.closers = append(r.closers, func() error { s.Close(); return nil })
		if text := s.Instructions(); text != "" {
			r.instructions = append(r.instructions, prompt.Entry{Name: s.Name(), Text: text})
		}
		for _, t := range s.Tools() {
			if name := t.Spec().Name; r.Registry.Lookup(name) != nil {
				w.Warn(fmt.Sprintf("the tool %q of the MCP server %s is left out: another one is called %s too", t.Info().MCP.Tool, t.Info().MCP.Server, name))
				continue
			}
			r.Registry.Add(t)
		}
	}
	r.Registry.Add(mcp.ResourceTools(sessions)...)
	return nil
}

// MCPServers are those to start, in alphabetical order. A folder that is not
// trusted could decide what their commands do, so that none is started there.
func (r *Runtime) MCPServers(warn func(string)) []mcp.Server {
	s := r.Config.Settings
	var servers []mcp.Server
	for _, name := range slices.Sorted(maps.Keys(s.MCPServers)) {
		c := s.MCPServers[name]
		switch {
		case slices.Contains(s.MCP.Excluded, name),
			s.MCP.Allowed != nil && !slices.Contains(s.MCP.Allowed, name),
			r.Flags.AllowedMCP != nil && !slices.Contains(r.Flags.AllowedMCP, name):
		case c.Command == "" && c.URL == "" && c.HTTPURL == "":
			warn(fmt.Sprintf("the MCP server %s is left out: it has no \"command\", \"url\" or \"httpUrl\"", name))
		case !r.Config.Trust.Trusted:
			warn(fmt.Sprintf("the MCP server %s is not started: this folder is not trusted", name))
		default:
			servers = append(servers, r.mcpServer(name, c))
		}
	}
	return servers
}

func (r *Runtime) mcpServer(name string, c settings.MCPServer) mcp.Server {
	dir := cmp.Or(c.Cwd, r.Config.Dir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Config.Dir, dir)
	}
	// Servers are other people's programs: they never see our secrets, only what
	// their own settings give them.
	red := r.Config.Settings.Security.EnvironmentVariableRedaction
	env := redact.Sanitize(r.Config.Env, redact.Config{Enabled: true, Allowed: red.Allowed, Blocked: red.Blocked, Strict: redact.Strict(r.Config.Env)})
	env = append(env, "GEMINI_CLI=1")
	for _, k := range slices.Sorted(maps.Keys(c.Env)) {
		env = append(env, k+"="+c.Env[k])
	}
	server := mcp.Server{
		Name: name, Headers: c.Headers, Trusted: c.Trust, Root: r.Config.Dir,
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

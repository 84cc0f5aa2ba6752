package app

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"minigem/internal/discovered"
	"minigem/internal/exit"
	"minigem/internal/mcp"
	"minigem/internal/mcp/oauth"
	"minigem/internal/mcp/servers"
	"minigem/internal/redact"
	"minigem/internal/settings"
	"minigem/internal/text"
)

// wireDiscovered adds the tools that a command of the settings declares. Its
// failure is reported, and only these tools are missing.
func (r *Runtime) wireDiscovered(ctx context.Context, sys *System, w *Frontend) error {
	s := r.Config.Settings.Tools
	found, problems, err := discovered.Discover(ctx, discovered.Commands{
		Discovery: s.DiscoveryCommand, Call: s.CallCommand, Dir: r.Config.Dir, Env: r.Config.ChildEnv(),
		Within: sys.Within, NotRun: sys.NotRun,
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

// MCPServers are those to start, in alphabetical order. warn gets those
// that the user may miss.
func (r *Runtime) MCPServers(warn func(string)) []mcp.Server {
	var wanted []mcp.Server
	for _, s := range r.Config.AllMCPServers(r.Flags.AllowedMCP, warn) {
		switch {
		case s.Off == "":
			s.Elicit = r.mcp.elicit
			wanted = append(wanted, s.Server)
		case s.Missed:
			warn(fmt.Sprintf("the MCP server %s is not started: %s", s.Name, s.Off))
		}
	}
	return wanted
}

// An MCPServer is one that the settings name.
type MCPServer struct {
	mcp.Server
	Off     string // why it is not started; empty: it is
	Blocked bool   // by a list of the settings or the command line
	Missed  bool   // it is not off because somebody wants it so
}

// AllMCPServers are those of the settings, in alphabetical order. A folder that
// is not trusted could decide what their commands do, so that none is started
// there. allowed is the list of the command line; nil: all are.
func (c *Configuration) AllMCPServers(allowed []string, warn func(string)) []MCPServer {
	if slices.ContainsFunc(slices.Collect(maps.Values(c.Settings.MCPServers)), func(s settings.MCPServer) bool {
		return s.URL != "" || s.HTTPURL != ""
	}) {
		if err := c.mcpSignIns().Check(); err != nil {
			warn(c.ShortenIn(err.Error()))
		}
	}
	off, err := c.MCPSwitches().Off()
	s := c.Settings
	var all []MCPServer
	for _, name := range slices.Sorted(maps.Keys(s.MCPServers)) {
		one := MCPServer{Server: c.mcpServer(name, s.MCPServers[name])}
		if c.whyOff(&one, allowed, off); err != nil && one.Off == "" {
			one.Off, one.Missed = c.ShortenIn(err.Error())+": correct the file, or move it away: it says which servers are off",
				true
		}
		all = append(all, one)
	}
	return all
}

// whyOff says whether one is started; off are the names of those that the user has
// switched off.
func (c *Configuration) whyOff(one *MCPServer, allowed, off []string) {
	name, set := one.Name, c.Settings.MCP
	switch {
	case slices.Contains(set.Excluded, name):
		one.Off, one.Blocked = "mcp.excluded of the settings names it", true
	case set.Allowed != nil && !slices.Contains(set.Allowed, name):
		one.Off, one.Blocked = "mcp.allowed of the settings does not name it", true
	case allowed != nil && !slices.Contains(allowed, name):
		one.Off, one.Blocked = "--allowed-mcp-server-names does not name it", true
	case slices.Contains(off, strings.ToLower(name)):
		one.Off = "it is disabled; minigem mcp enable " + name + " changes that"
	case one.Command == "" && one.URL == "":
		one.Off, one.Missed = `it has no "command", "url" or "httpUrl"`, true
	case !c.Trust.Trusted:
		one.Off, one.Missed = "this folder is not trusted", true
	}
}

// MCPSwitches say which servers the user has switched off.
func (c *Configuration) MCPSwitches() servers.Switches {
	return servers.Switches{File: filepath.Join(c.DotGemini, "mcp-server-enablement.json")}
}

// noMCPServer: no server is called name.
func noMCPServer(name string, all []MCPServer) error {
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return exit.Errorf(exit.Input, "%s", text.None("MCP server", name, names, ": minigem mcp list shows those there are"))
}

// SwitchMCP enables or disables the server called name for all sessions to come,
// and says what it did.
func (c *Configuration) SwitchMCP(name string, on bool) (string, error) {
	all := c.AllMCPServers(nil, func(string) {})
	i := slices.IndexFunc(all, func(s MCPServer) bool { return strings.EqualFold(s.Name, name) })
	if i < 0 {
		return "", noMCPServer(name, all)
	}
	name = all[i].Name
	change, done, already := c.MCPSwitches().Disable, "MCP server %q disabled.", "MCP server %q is already disabled."
	if on {
		if all[i].Blocked {
			return "", exit.Errorf(exit.Input, "the MCP server %q stays off: %s", name, all[i].Off)
		}
		change, done, already = c.MCPSwitches().Enable, "MCP server %q enabled.", "MCP server %q is already enabled."
	}
	changed, err := change(name)
	if err == nil && !changed {
		done = already
	}
	return fmt.Sprintf(done, name), err
}

// An MCPStatus is a server and whether it answers.
type MCPStatus struct {
	MCPServer
	Err      error // nil where Off is empty: it is connected, or Starting
	Starting bool
}

// ProbeMCP connects to every server that a session would start, and ends them.
func (c *Configuration) ProbeMCP(ctx context.Context, warn func(string)) []MCPStatus {
	all := c.AllMCPServers(nil, warn)
	out := make([]MCPStatus, len(all))
	var probes sync.WaitGroup
	for i, s := range all {
		out[i].MCPServer = s
		if s.Off != "" {
			continue
		}
		probes.Go(func() {
			session, err := mcp.Connect(ctx, s.Server)
			if out[i].Err = err; err == nil {
				session.Close()
			}
		})
	}
	probes.Wait()
	return out
}

func (c *Configuration) mcpServer(name string, s settings.MCPServer) mcp.Server {
	dir := cmp.Or(s.Cwd, c.Dir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.Dir, dir)
	}
	// Servers are programs of others: they never see our secrets, only what
	// their own settings give them.
	red := c.Settings.Security.EnvironmentVariableRedaction
	env := redact.Sanitize(c.Env, redact.Config{Enabled: true, Allowed: red.Allowed, Blocked: red.Blocked,
		Strict: redact.Strict(c.Env)})
	env = append(env, "GEMINI_CLI=1")
	for _, k := range slices.Sorted(maps.Keys(s.Env)) {
		env = append(env, k+"="+s.Env[k])
	}
	server := mcp.Server{
		Name: name, Headers: s.Headers, Trusted: s.Trust, Root: c.Dir,
		Timeout: time.Duration(s.Timeout) * time.Millisecond, Include: s.IncludeTools, Exclude: s.ExcludeTools,
		Within: c.Within,
	}
	switch {
	case s.HTTPURL != "": // as Gemini CLI chooses (core/config/config.ts)
		server.URL, server.Transport = s.HTTPURL, mcp.TransportHTTP
	case s.URL != "":
		server.URL, server.Transport = s.URL, mcp.Transport(s.Type)
	default:
		server.Command, server.Args, server.Env, server.Dir = s.Command, s.Args, env, dir
	}
	if server.URL != "" {
		server.Tokens = c.mcpSignIns().Source(name, server.URL)
	}
	return server
}

func (c *Configuration) mcpSignIns() oauth.Store {
	return oauth.Store{Path: filepath.Join(c.DotGemini, oauth.FileName)}
}

// SignInMCP signs the user in at the server called name. say is called with what
// the user is to do, and with what was done.
func (c *Configuration) SignInMCP(ctx context.Context, sys *System, name string, say func(string)) error {
	all := c.AllMCPServers(nil, func(string) {})
	i := slices.IndexFunc(all, func(s MCPServer) bool { return s.Name == name })
	switch {
	case i < 0:
		return noMCPServer(name, all)
	case all[i].Off != "":
		return exit.Errorf(exit.Input, "the MCP server %q is not used: %s", name, all[i].Off)
	case all[i].URL == "":
		return exit.Errorf(
			exit.Input, "the MCP server %q is a program, and there is no sign-in: what it needs goes into its \"env\"", name)
	}
	set := c.Settings.MCPServers[name].OAuth
	server := oauth.Server{Name: name, URL: all[i].URL, ClientID: set.ClientID, ClientSecret: set.ClientSecret,
		Scopes: set.Scopes, RedirectURI: set.RedirectURI}
	err := c.mcpSignIns().SignIn(ctx, server, func(address string) {
		what := "To sign in, open this address in a browser of this machine:"
		if sys.openBrowser(address) {
			what = "Your browser opens for the sign-in. If it does not, open this address there:"
		}
		say(what + "\n\n  " + text.Clean(address) + "\n")
	})
	if err == nil {
		say(fmt.Sprintf("You are signed in at the MCP server %q.", name))
	}
	return err
}

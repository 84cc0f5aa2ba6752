// Package fleet manages the MCP servers of a run and what a session uses of them: which
// run, their tools, prompts and resources, and what they ask the user. Configuration
// files and the connection to a single server are handled elsewhere.
package fleet

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

	"minigem/internal/exit"
	"minigem/internal/mcp"
	"minigem/internal/mcp/entry"
	"minigem/internal/mcp/oauth"
	"minigem/internal/mcp/servers"
	"minigem/internal/place"
	"minigem/internal/redact"
	"minigem/internal/text"
)

// Set is the servers that a run may use, and the configuration that decides it.
type Set struct {
	place.Place
	Entries  map[string]entry.Server // by server name
	Allowed  []string                // by the settings; nil means all
	Excluded []string                // by the settings
	Flagged  []string                // allowed by the command line; nil means all
	Trusted  bool                    // the folder is trusted; it could influence what servers' commands do
	Env      []string                // the environment of the run, with its secrets
	Redact   redact.Config           // decides what servers get of Env
	Within   func(only []string, begin func() error) error
}

// Server is one server of a Set.
type Server struct {
	mcp.Server
	Off     string // why it is not started; empty if it is
	Blocked bool   // excluded by a list of the settings or the command line
	Missed  bool   // it is off, but not because the user wanted that
}

// All returns the servers in alphabetical order. It calls warn with other problems.
func (s Set) All(warn func(string)) []Server {
	if slices.ContainsFunc(slices.Collect(maps.Values(s.Entries)), func(e entry.Server) bool {
		return e.URL != "" || e.HTTPURL != ""
	}) {
		if err := s.signIns().Check(); err != nil {
			warn(s.ShortenIn(err.Error()))
		}
	}
	off, err := s.switches().Off()
	var all []Server
	for _, name := range slices.Sorted(maps.Keys(s.Entries)) {
		one := s.server(name, s.Entries[name], off)
		if err != nil && one.Off == "" {
			one.Off, one.Missed = s.ShortenIn(err.Error())+": correct the file, or move it away: it says which servers are off",
				true
		}
		all = append(all, one)
	}
	return all
}

// Wanted returns the servers to start. It calls warn with those that the user may miss.
func (s Set) Wanted(warn func(string)) []mcp.Server {
	var wanted []mcp.Server
	for _, one := range s.All(warn) {
		switch {
		case one.Off == "":
			wanted = append(wanted, one.Server)
		case one.Missed:
			warn(fmt.Sprintf("the MCP server %s is not started: %s", one.Name, one.Off))
		}
	}
	return wanted
}

// Of returns the server that e describes, ignoring the user's switches.
func (s Set) Of(name string, e entry.Server) Server { return s.server(name, e, nil) }

// server decides whether a server is started. off lists the names that the user has
// switched off.
func (s Set) server(name string, e entry.Server, off []string) Server {
	one := Server{Server: s.reached(name, e)}
	switch {
	case slices.Contains(s.Excluded, name):
		one.Off, one.Blocked = "mcp.excluded of the settings names it", true
	case s.Allowed != nil && !slices.Contains(s.Allowed, name):
		one.Off, one.Blocked = "mcp.allowed of the settings does not name it", true
	case s.Flagged != nil && !slices.Contains(s.Flagged, name):
		one.Off, one.Blocked = "--allowed-mcp-server-names does not name it", true
	case slices.Contains(off, strings.ToLower(name)):
		one.Off = "it is disabled; minigem mcp enable " + name + " changes that"
	case one.Command == "" && one.URL == "":
		one.Off, one.Missed = `it has no "command", "url" or "httpUrl"`, true
	case !s.Trusted:
		one.Off, one.Missed = "this folder is not trusted", true
	}
	return one
}

func (s Set) reached(name string, e entry.Server) mcp.Server {
	server := mcp.Server{
		Name: name, Headers: e.Headers, Trusted: e.Trust, Root: s.Dir,
		Timeout: time.Duration(e.Timeout) * time.Millisecond, Include: e.IncludeTools, Exclude: e.ExcludeTools,
		Within: s.Within,
	}
	switch {
	case e.HTTPURL != "": // same order as Gemini CLI (core/config/config.ts)
		server.URL, server.Transport = e.HTTPURL, mcp.TransportHTTP
	case e.URL != "":
		server.URL, server.Transport = e.URL, mcp.Transport(e.Type)
	default:
		server.Command, server.Args = e.Command, e.Args
		server.Dir = text.Abs(s.Dir, cmp.Or(e.Cwd, s.Dir))
		// Servers are third-party programs. They never see our secrets, only what their
		// own settings give them.
		server.Env = append(redact.Sanitize(s.Env, s.Redact), "GEMINI_CLI=1")
		for _, k := range slices.Sorted(maps.Keys(e.Env)) {
			server.Env = append(server.Env, k+"="+e.Env[k])
		}
	}
	if server.URL != "" {
		server.Tokens = s.signIns().Source(name, server.URL)
	}
	return server
}

// switches returns the file that records which servers the user has switched off.
func (s Set) switches() servers.Switches {
	return servers.Switches{File: filepath.Join(s.DotGemini, "mcp-server-enablement.json")}
}

func (s Set) signIns() oauth.Store {
	return oauth.Store{Path: filepath.Join(s.DotGemini, oauth.FileName)}
}

// named returns the server called name.
func (s Set) named(name string, same func(a, b string) bool) (Server, error) {
	var names []string
	for _, one := range s.All(func(string) {}) {
		if same(one.Name, name) {
			return one, nil
		}
		names = append(names, one.Name)
	}
	return Server{}, exit.Errorf(exit.Input, "%s",
		text.None("MCP server", name, names, ": minigem mcp list shows those there are"))
}

// Switch enables or disables the server called name for all later sessions, and returns
// a message about what it did.
func (s Set) Switch(name string, on bool) (string, error) {
	one, err := s.named(name, strings.EqualFold)
	if err != nil {
		return "", err
	}
	change, done, already := s.switches().Disable, "MCP server %q disabled.", "MCP server %q is already disabled."
	if on {
		if one.Blocked {
			return "", exit.Errorf(exit.Input, "the MCP server %q stays off: %s", one.Name, one.Off)
		}
		change, done, already = s.switches().Enable, "MCP server %q enabled.", "MCP server %q is already enabled."
	}
	changed, err := change(one.Name)
	if err == nil && !changed {
		done = already
	}
	return fmt.Sprintf(done, one.Name), err
}

// Status is a server and whether it is connected.
type Status struct {
	Server
	Err      error // if nil and Off is empty, the server is connected or Starting
	Starting bool
}

// Probe connects to every server that a session would start, then ends them.
func (s Set) Probe(ctx context.Context, warn func(string)) []Status {
	all := s.All(warn)
	out := make([]Status, len(all))
	var probes sync.WaitGroup
	for i, one := range all {
		out[i].Server = one
		if one.Off != "" {
			continue
		}
		probes.Go(func() {
			session, err := mcp.Connect(ctx, one.Server)
			if out[i].Err = err; err == nil {
				session.Close()
			}
		})
	}
	probes.Wait()
	return out
}

// SignIn signs the user in at the server called name. It calls say with what the user
// should do and what was done. browse opens an address if it can.
func (s Set) SignIn(ctx context.Context, name string, browse func(string) bool, say func(string)) error {
	one, err := s.named(name, func(a, b string) bool { return a == b })
	switch {
	case err != nil:
		return err
	case one.Off != "":
		return exit.Errorf(exit.Input, "the MCP server %q is not used: %s", name, one.Off)
	case one.URL == "":
		return exit.Errorf(
			exit.Input, "the MCP server %q is a local program, so there is nothing to sign in to: put the credentials that "+
				"it needs into its \"env\"", name)
	}
	set := s.Entries[name].OAuth
	server := oauth.Server{Name: name, URL: one.URL, ClientID: set.ClientID, ClientSecret: set.ClientSecret,
		Scopes: set.Scopes, RedirectURI: set.RedirectURI}
	err = s.signIns().SignIn(ctx, server, func(address string) {
		what := "To sign in, open this address in a browser of this machine:"
		if browse(address) {
			what = "Your browser opens for the sign-in. If it does not, open this address there:"
		}
		say(what + "\n\n  " + text.Clean(address) + "\n")
	})
	if err == nil {
		say(fmt.Sprintf("You are signed in at the MCP server %q.", name))
	}
	return err
}

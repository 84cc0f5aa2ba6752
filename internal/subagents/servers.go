package subagents

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"minigem/internal/mcp/entry"
	"minigem/internal/mcp/fleet"
	"minigem/internal/text"
)

// Server is an MCP server of one agent, as given in its front matter. A server with
// neither a command nor a URL refers to the settings' server of that name, and narrows
// it.
type Server struct {
	Name string
	entry.Server
}

// In returns the MCP servers that the agent brings, including those that are not
// started. An entry that only names a server refers to the server of that name in set
// and may only remove tools from it: what the settings send to a server must not go to
// another one.
func (a Agent) In(set fleet.Set) []fleet.Server {
	var out []fleet.Server
	for _, s := range a.Servers {
		e := s.Server
		e.Trust = e.Trust && !strings.HasPrefix(a.Source, "extension ")
		if s.Command == "" && s.URL == "" && s.HTTPURL == "" {
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

// Target returns the server's command line or URL, for display.
func (s Server) Target() string {
	if s.Command != "" {
		return strings.Join(append([]string{s.Command}, s.Args...), " ")
	}
	return cmp.Or(s.HTTPURL, s.URL, "the one in the settings")
}

// serverFields maps each field that a server may have to its place.
var serverFields = map[string]func(*Server) any{
	"command":       func(s *Server) any { return &s.Command },
	"args":          func(s *Server) any { return &s.Args },
	"env":           func(s *Server) any { return &s.Env },
	"cwd":           func(s *Server) any { return &s.Cwd },
	"url":           func(s *Server) any { return &s.URL },
	"http_url":      func(s *Server) any { return &s.HTTPURL },
	"headers":       func(s *Server) any { return &s.Headers },
	"type":          func(s *Server) any { return &s.Type },
	"timeout":       func(s *Server) any { return &s.Timeout },
	"trust":         func(s *Server) any { return &s.Trust },
	"description":   func(*Server) any { return new(string) },
	"include_tools": func(s *Server) any { return &s.IncludeTools },
	"exclude_tools": func(s *Server) any { return &s.ExcludeTools },
}

// servers parses mcp_servers.
func (p *parser) servers(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		p.fault(at(n), "mcp_servers: expected names with a server each")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		s := Server{Name: key.Value}
		switch {
		case s.Name == "" || text.VisibleLine(s.Name) != s.Name:
			p.fault(at(key), "%q is no name for an MCP server", text.VisibleLine(s.Name))
		case value.Kind != yaml.MappingNode:
			p.fault(at(value), "mcp_servers: %s: expected fields, such as command", s.Name)
		default:
			p.server(&s, value)
		}
		p.agent.Servers = append(p.agent.Servers, s)
	}
}

func (p *parser) server(s *Server, n *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		into, name := serverFields[key.Value], text.VisibleLine(key.Value)
		switch {
		case key.Value == "auth":
			p.fault(at(key), "%s: minigem has no auth for the server of one agent: put it into the settings (minigem mcp "+
				"add), and sign in by minigem mcp auth", s.Name)
		case into == nil:
			p.fault(at(key), "%s: there is no field %q%s", s.Name, name,
				text.DidYouMean(text.Nearest(key.Value, slices.Sorted(maps.Keys(serverFields)))))
		case value.Kind == yaml.AliasNode:
			p.fault(at(value), "%s: %s is an alias: write the value", s.Name, name)
		case value.Decode(into(s)) != nil:
			p.fault(at(value), "%s: %s has another type", s.Name, name)
		}
	}
}

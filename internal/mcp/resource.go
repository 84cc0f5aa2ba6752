package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"minigem/llm"
	"minigem/tools"
)

// resource is a server's description of a resource. Its texts are clean.
type resource struct{ uri, name, description string }

func (s *Session) listResources(ctx context.Context) ([]resource, error) {
	var out []resource
	for r, err := range s.connection().Resources(ctx, nil) {
		if err == nil && len(out) == maxOffered {
			err = fmt.Errorf("there are more than %d", maxOffered)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, resource{r.URI, cleanLine(cmp.Or(r.Title, r.Name)), cleanLine(r.Description)})
	}
	return out, nil
}

// Read returns the content of the resource uri, marked as untrusted text, or nil if the
// server does not offer it.
func (s *Session) Read(ctx context.Context, uri string) ([]llm.Part, error) {
	c := &readCall{[]*Session{s}, s.server.Name + ":" + uri}
	if of, _ := c.find(); of == nil {
		return nil, nil
	}
	res, err := c.Run(ctx)
	return res.Parts, err
}

// ResourceTools returns the tools that list and read the resources of all sessions, or
// none if there are no resources (core/tools/mcp-client.ts). Both only read.
func ResourceTools(sessions []*Session) []tools.Tool {
	if !slices.ContainsFunc(sessions, func(s *Session) bool { return len(s.now().resources) > 0 }) {
		return nil
	}
	return []tools.Tool{
		tools.New("list_mcp_resources",
			"Lists the resources that the connected MCP servers offer: server, URI, name and description of each.", listSchema,
			tools.Info{DisplayName: "List MCP Resources", Kind: tools.KindSearch}, listCall{sessions: sessions}),
		tools.New("read_mcp_resource", "Reads one resource that a connected MCP server offers, by its URI.", readSchema,
			tools.Info{DisplayName: "Read MCP Resource", Kind: tools.KindRead}, readCall{sessions: sessions}),
	}
}

var (
	listSchema = tools.MustSchema(`{
  "type": "object",
  "properties": {"serverName": {"type": "string", "description": "Only the resources of this MCP server."}}
}`)
	readSchema = tools.MustSchema(`{
  "type": "object",
  "properties": {"uri": {"type": "string",
    "description": "The URI, as list_mcp_resources gives it, with or without the server's name and a colon."}},
  "required": ["uri"]
}`)
)

type listCall struct {
	sessions []*Session
	Server   string `json:"serverName"` // empty means all
}

// Intent implements tools.Invocation.
func (c *listCall) Intent() tools.Intent {
	return tools.Intent{Description: "Lists the resources of " + cmp.Or(c.Server, "all MCP servers") + "."}
}

// Run implements tools.Invocation.
func (c *listCall) Run(ctx context.Context) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	var rows []string
	for _, s := range c.sessions {
		if c.Server != "" && s.server.Name != c.Server {
			continue
		}
		for _, r := range s.now().resources {
			row := "- " + s.server.Name + ":" + cleanLine(r.uri) + " | " + r.name
			if r.description != "" {
				row += " | " + r.description
			}
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return tools.TextResult("No MCP resources found.", nil), nil
	}
	text := fmt.Sprintf("Available MCP resources (%d):\n%s", len(rows), strings.Join(rows, "\n"))
	res := tools.TextResult(untrusted(text), fmt.Sprintf("Found %d resource(s)", len(rows)))
	res.Truncatable = true
	return res, nil
}

type readCall struct {
	sessions []*Session
	URI      string `json:"uri"`
}

// Intent implements tools.Invocation.
func (c *readCall) Intent() tools.Intent {
	return tools.Intent{Description: "Reads the resource " + cleanLine(c.URI) + "."}
}

// Run implements tools.Invocation. It only reads resources that a server has listed, so
// a URI made up by the model goes nowhere.
func (c *readCall) Run(ctx context.Context) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	s, uri := c.find()
	if s == nil {
		return tools.Result{}, tools.Errorf(tools.ErrMCPResource, "MCP resource not found: %s", cleanLine(c.URI))
	}
	limit := cmp.Or(s.server.Timeout, DefaultTimeout)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	res, err := ask(limited, s, func(client *mcp.ClientSession) (*mcp.ReadResourceResult, error) {
		return client.ReadResource(limited, &mcp.ReadResourceParams{URI: uri})
	})
	switch {
	case ctx.Err() != nil:
		return tools.Result{}, context.Cause(ctx)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return tools.Result{}, tools.Errorf(tools.ErrMCP, "the MCP server '%s' did not give the resource %s within %v",
			s.server.Name, cleanLine(uri), limit)
	case err != nil:
		return tools.Result{}, tools.Errorf(tools.ErrMCP, "the MCP server '%s' did not give the resource %s: %s",
			s.server.Name, cleanLine(uri), worded(err))
	}
	var content []mcp.Content
	for _, r := range res.Contents {
		content = append(content, &mcp.EmbeddedResource{Resource: r})
	}
	return result(content), nil
}

// find accepts "uri" and "server:uri".
func (c *readCall) find() (*Session, string) {
	for _, s := range c.sessions {
		for _, r := range s.now().resources {
			if c.URI == r.uri || c.URI == s.server.Name+":"+r.uri {
				return s, r.uri
			}
		}
	}
	return nil, ""
}

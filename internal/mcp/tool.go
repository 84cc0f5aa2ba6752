package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"minigem/internal/text"
	"minigem/llm"
	"minigem/tools"
)

// tool is one tool of a server.
type tool struct {
	session *Session
	spec    llm.ToolSpec
	info    tools.Info
	schema  *tools.Schema // nil: only the server can check arguments
}

func newTool(s *Session, t *mcp.Tool) *tool {
	raw, err := json.Marshal(t.InputSchema)
	raw = []byte(text.Clean(string(raw)))
	if err != nil || t.InputSchema == nil || len(raw) > maxSchema {
		raw = []byte(`{"type":"object"}`)
	}
	schema, err := tools.ParseSchema(raw)
	if err != nil {
		schema = nil // a dialect that we do not know
	}
	origin := &tools.MCPOrigin{
		Server: s.server.Name, Tool: t.Name, Command: s.server.Command, Args: s.server.Args, Cwd: s.server.Dir,
		URL: s.server.URL, Trusted: s.server.Trusted,
	}
	return &tool{
		session: s, schema: schema,
		spec: llm.ToolSpec{Name: Name(s.server.Name, t.Name), Description: clip(text.Clean(t.Description), maxDescription),
			Parameters: raw},
		info: tools.Info{
			DisplayName: fmt.Sprintf("%s (%s MCP Server)", cleanLine(t.Name), s.server.Name), Kind: tools.KindOther,
			Markdown: true,
			MCP:      origin, Annotations: annotations(t.Annotations),
		},
	}
}

// annotations are the hints that the server gave, as policies compare them.
func annotations(a *mcp.ToolAnnotations) map[string]any {
	if a == nil {
		return nil
	}
	hints := map[string]any{"readOnlyHint": a.ReadOnlyHint, "idempotentHint": a.IdempotentHint}
	if a.DestructiveHint != nil {
		hints["destructiveHint"] = *a.DestructiveHint
	}
	if a.OpenWorldHint != nil {
		hints["openWorldHint"] = *a.OpenWorldHint
	}
	return hints
}

// Name is what a tool of a server is called here: mcp_<server>_<tool>, with
// other characters than names may have replaced, and the middle of a name left
// out that is too long (core/tools/mcp-tool.ts).
func Name(server, tool string) string {
	const longest, end = 63, 30
	name := tools.MCPName("mcp_" + server + "_" + tool)
	if len(name) <= longest {
		return name
	}
	return name[:end] + "..." + name[len(name)-end:]
}

// Spec implements tools.Tool.
func (t *tool) Spec() llm.ToolSpec { return t.spec }

// Info implements tools.Tool.
func (t *tool) Info() tools.Info { return t.info }

// Prepare implements tools.Tool.
func (t *tool) Prepare(args map[string]any) (tools.Invocation, error) {
	if args == nil {
		args = map[string]any{}
	}
	if t.schema != nil {
		if err := t.schema.Check(args); err != nil {
			return nil, err
		}
	}
	return &call{t, args}, nil
}

type call struct {
	tool *tool
	args map[string]any
}

// Intent implements tools.Invocation.
func (c *call) Intent() tools.Intent {
	return tools.Intent{Description: inJSON(c.args), MCP: c.tool.info.MCP}
}

// Run implements tools.Invocation.
func (c *call) Run(ctx context.Context) (tools.Result, error) {
	res, err := c.ask(ctx)
	if err != nil {
		return tools.Result{}, err
	}
	return result(res.Content), nil
}

// Answer makes the call and returns all that the server says, uncut, for those
// who read it as an answer: texts, an error's too, and what it says in structured
// content where it does not say that in a text.
func (c *call) Answer(ctx context.Context) (string, error) {
	res, err := c.ask(ctx)
	if res == nil {
		return "", err
	}
	return answer(res), err
}

func answer(res *mcp.CallToolResult) string {
	var said []string
	for _, content := range res.Content {
		switch content := content.(type) {
		case *mcp.TextContent:
			said = append(said, content.Text)
		case *mcp.EmbeddedResource:
			if content.Resource != nil {
				said = append(said, cmp.Or(content.Resource.Text, string(content.Resource.Blob)))
			}
		case *mcp.ResourceLink:
			said = append(said, content.Description)
		}
	}
	text := strings.Join(said, "\n")
	if structured, ok := res.StructuredContent.(map[string]any); ok && !saysJSON(text, structured) {
		text = strings.TrimSpace(text + "\n" + inJSON(structured))
	}
	return text
}

// saysJSON reports whether text is the object v.
func saysJSON(text string, v map[string]any) bool {
	var said map[string]any
	return json.Unmarshal([]byte(text), &said) == nil && reflect.DeepEqual(said, v)
}

// ask makes the call. An error that the server reports comes with its answer.
func (c *call) ask(ctx context.Context) (*mcp.CallToolResult, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	limit := cmp.Or(c.tool.session.server.Timeout, DefaultTimeout)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer c.tool.session.during(limited)()
	params := &mcp.CallToolParams{Name: c.tool.info.MCP.Tool, Arguments: c.args}
	params.SetProgressToken(c.tool.session.calls.Add(1)) // small: JavaScript knows no greater integers than 2^53
	res, err := ask(limited, c.tool.session, func(client *mcp.ClientSession) (*mcp.CallToolResult, error) {
		return client.CallTool(limited, params)
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return nil, c.failed("did not answer within "+limit.String(), nil)
	case err != nil:
		return nil, c.failed("could not be called: "+err.Error(), err)
	case res.IsError:
		return res, c.failed("reported an error: "+inJSON(res), nil)
	}
	return res, nil
}

// failed tells the model what was asked of the server, too.
func (c *call) failed(what string, err error) *tools.Error {
	m := c.tool.info.MCP
	name := cleanLine(m.Tool)
	return &tools.Error{
		Type: tools.ErrMCP, Err: err,
		Message: fmt.Sprintf("MCP tool '%s' of the server '%s' %s\nThe call: %s", name, m.Server,
			clip(text.Clean(what), maxText), inJSON(map[string]any{"name": m.Tool, "args": c.args})),
		Display: fmt.Sprintf("Error: MCP tool '%s' reported an error.", name),
	}
}

// result turns what a server answers into what models and people read
// (core/tools/mcp-tool.ts).
func result(content []mcp.Content) tools.Result {
	var r tools.Result
	var shown []string
	left := maxText
	if len(content) == 1 {
		left = maxMessage // a single text is cut later, and kept in a file
	}
	text := func(s string) {
		s = clip(s, left)
		left -= len(s)
		r.Parts, shown = append(r.Parts, llm.Text{Text: untrusted(s)}), append(shown, s)
	}
	blob := func(mime string, data []byte) {
		r.Parts, shown = append(r.Parts, llm.Blob{MIMEType: mime, Data: data}), append(shown, "["+mime+"]")
	}
	for _, c := range content {
		switch c := c.(type) {
		case *mcp.TextContent:
			text(c.Text)
		case *mcp.ImageContent:
			blob(cmp.Or(c.MIMEType, "image/png"), c.Data)
		case *mcp.AudioContent:
			blob(cmp.Or(c.MIMEType, "audio/wav"), c.Data)
		case *mcp.ResourceLink:
			text(fmt.Sprintf("Resource %s: %s", cmp.Or(c.Title, c.Name), c.URI))
		case *mcp.EmbeddedResource:
			switch {
			case c.Resource == nil:
			case c.Resource.Blob != nil:
				blob(cmp.Or(c.Resource.MIMEType, "application/octet-stream"), c.Resource.Blob)
			default:
				text(c.Resource.Text)
			}
		}
	}
	if len(r.Parts) == 0 {
		text("")
	}
	r.Display = strings.Join(shown, "\n")
	_, single := r.Parts[0].(llm.Text)
	r.Truncatable = single && len(r.Parts) == 1
	return r
}

// untrusted marks text that the model must not take for instructions; it
// cannot end its own block.
func untrusted(text string) string {
	text = strings.ReplaceAll(text, "</untrusted_context>", "<\\/untrusted_context>")
	return "<untrusted_context>\n" + text + "\n</untrusted_context>"
}

func inJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

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
	schema  *tools.Schema // nil if only the server can check arguments
}

func newTool(s *Session, t *mcp.Tool) *tool {
	raw, err := json.Marshal(t.InputSchema)
	raw = []byte(text.Clean(string(raw)))
	if err != nil || t.InputSchema == nil || len(raw) > maxSchema {
		raw = []byte(`{"type":"object"}`)
	}
	schema, err := tools.ParseSchema(raw)
	if err != nil {
		schema = nil // an unknown schema dialect
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

// annotations returns the hints of the server in the form that policies compare.
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

// Name returns our name for a server's tool: mcp_<server>_<tool>. Characters that names
// cannot have are replaced, and the middle of a name that is too long is left out
// (core/tools/mcp-tool.ts).
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

// Answer makes the call and returns everything the server says, uncut, for those who
// read it as an answer: its texts, even those of an error, and structured content that
// is not repeated in a text.
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

// saysJSON reports whether text is the JSON object v.
func saysJSON(text string, v map[string]any) bool {
	var said map[string]any
	return json.Unmarshal([]byte(text), &said) == nil && reflect.DeepEqual(said, v)
}

// ask makes the call. If the server reports an error, it returns the error together
// with the answer.
func (c *call) ask(ctx context.Context) (*mcp.CallToolResult, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	limit := cmp.Or(c.tool.session.server.Timeout, DefaultTimeout)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer c.tool.session.during(limited)()
	params := &mcp.CallToolParams{Name: c.tool.info.MCP.Tool, Arguments: c.args}
	params.SetProgressToken(c.tool.session.calls.Add(1)) // small, because JavaScript has no exact integers beyond 2^53
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

// failed returns an error that also tells the model what was requested of the server.
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

// result converts a server's answer for models and people (core/tools/mcp-tool.ts).
func result(content []mcp.Content) tools.Result {
	var r tools.Result
	var shown []string
	left := maxText
	if len(content) == 1 {
		left = maxMessage // a single text is cut later and saved to a file
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

// untrusted marks text that the model must not take as instructions. The text cannot
// end its own block.
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

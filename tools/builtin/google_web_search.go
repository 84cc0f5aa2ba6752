package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"minigem/llm"
	"minigem/tools"
)

//go:embed google_web_search.md
var googleWebSearchDescription string

var googleWebSearchSchema = tools.MustSchema(`{
  "type": "object",
  "properties": {"query": {"type": "string", "description": "What to search for, in words."}},
  "required": ["query"]
}`)

// roleUtility is the role of the web tools' requests in statistics.
const roleUtility = "utility_tool"

// googleWebSearch is the tool.
type googleWebSearch struct {
	declared
	WebOptions
}

// GoogleWebSearch returns the tool google_web_search (core/tools/web-search.ts). The
// provider searches, within one request to WebOptions.SearchModel. Errors:
// [tools.ErrWebSearch].
func GoogleWebSearch(o WebOptions) tools.Tool {
	return &googleWebSearch{
		declared: declared{"google_web_search", googleWebSearchDescription, googleWebSearchSchema,
			tools.Info{DisplayName: "GoogleSearch", Kind: tools.KindSearch, Markdown: true}},
		WebOptions: o,
	}
}

// googleWebSearchCall is one search, which costs one request to a model.
type googleWebSearchCall struct {
	tool *googleWebSearch

	Query string `json:"query"`
}

// Prepare implements tools.Tool. It refuses a blank query.
func (t *googleWebSearch) Prepare(args map[string]any) (tools.Invocation, error) {
	c := &googleWebSearchCall{tool: t}
	if err := t.schema.Decode(args, c); err != nil {
		return nil, err
	}
	if strings.TrimSpace(c.Query) == "" {
		return nil, tools.Errorf(tools.ErrInvalidParams, "The 'query' parameter cannot be empty.")
	}
	return c, nil
}

// Intent implements tools.Invocation. People read the query. There is nothing to
// approve but that.
func (c *googleWebSearchCall) Intent() tools.Intent {
	return tools.Intent{Description: fmt.Sprintf(`Searching the web for: "%s"`, c.Query)}
}

// Run implements tools.Invocation. An answer without text is no error. The model gets
// the answer with [n] after each claim that rests on a source, and the list of sources.
func (c *googleWebSearchCall) Run(ctx context.Context) (tools.Result, error) {
	answer, err := c.tool.Generator.Generate(ctx, llm.Request{
		Model: c.tool.SearchModel, Role: roleUtility, Messages: []llm.Message{llm.UserText(c.Query)},
		Builtins: llm.Builtins{GoogleSearch: true},
	})
	switch {
	case ctx.Err() != nil:
		return tools.Result{}, context.Cause(ctx)
	case err != nil:
		return tools.Result{}, &tools.Error{Type: tools.ErrWebSearch, Err: err, Display: "Error performing web search.",
			Message: fmt.Sprintf("Error during web search for query \"%s\": %v", c.Query, err)}
	case strings.TrimSpace(answer.Text()) == "":
		return tools.TextResult(fmt.Sprintf(`No search results or information found for query: "%s"`, c.Query),
			"No information found."), nil
	}
	text := fmt.Sprintf("Web search results for \"%s\":\n\n%s", c.Query, cited(answer))
	return tools.TextResult(text, fmt.Sprintf(`Search results for "%s" returned.`, c.Query)), nil
}

package builtin

import (
	"context"
	"fmt"
	"strings"

	"minigem/llm"
	"minigem/tools"
)

const googleWebSearchSchema = `{
  "type": "object",
  "properties": {"query": {"type": "string", "description": "What to search for, in words."}},
  "required": ["query"]
}`

// roleUtility is the role of the web tools' requests in statistics.
const roleUtility = "utility_tool"

// GoogleWebSearch returns the tool google_web_search (core/tools/web-search.ts). The
// provider searches, within one request to WebOptions.SearchModel. Errors:
// [tools.ErrWebSearch].
func GoogleWebSearch(o WebOptions) tools.Tool {
	return tool("google_web_search", googleWebSearchSchema,
		tools.Info{DisplayName: "GoogleSearch", Kind: tools.KindSearch, Markdown: true}, googleWebSearchCall{web: o})
}

// googleWebSearchCall is one search, which costs one request to a model.
type googleWebSearchCall struct {
	web WebOptions

	Query string `json:"query"`
}

// Complete implements tools.Completer. It refuses a blank query.
func (c *googleWebSearchCall) Complete(map[string]any) error {
	if strings.TrimSpace(c.Query) == "" {
		return invalid("The 'query' parameter cannot be empty.")
	}
	return nil
}

// Intent implements tools.Invocation. People read the query. There is nothing to
// approve but that.
func (c *googleWebSearchCall) Intent() tools.Intent {
	return tools.Intent{Description: fmt.Sprintf(`Searching the web for: "%s"`, c.Query)}
}

// Run implements tools.Invocation. An answer without text is no error. The model gets
// the answer with [n] after each claim that rests on a source, and the list of sources.
func (c *googleWebSearchCall) Run(ctx context.Context) (tools.Result, error) {
	answer, err := c.web.Generator.Generate(ctx, llm.Request{
		Model: c.web.SearchModel, Role: roleUtility, Messages: []llm.Message{llm.UserText(c.Query)},
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

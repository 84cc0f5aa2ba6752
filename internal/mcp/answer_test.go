package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// addSayer adds a tool that answers with the result it is given.
func addSayer(s *mcp.Server) {
	s.AddTool(&mcp.Tool{Name: "say", InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var res mcp.CallToolResult
		return &res, json.Unmarshal(r.Params.Arguments, &res)
	})
}

// TestAnswer checks that a server's answer reaches those who read it as an answer, in
// each of its forms, after any amount of text, and with an error.
func TestAnswer(t *testing.T) {
	t.Parallel()
	const deny = `{"decision":"deny"}`
	content := func(items ...string) string { return `"content": [` + strings.Join(items, ",") + `]` }
	text := func(s string) string { return fmt.Sprintf(`{"type": "text", "text": %q}`, s) }
	long := text(strings.Repeat("well ", maxText/4))
	session := connect(t, server(t, "good"))
	for name, c := range map[string]struct{ says, want string }{
		"text":                        {content(text(deny)), deny},
		"an error":                    {`"isError": true, ` + content(text(deny)), deny},
		"behind a long text":          {content(long, text(deny)), deny},
		"behind much of one text":     {content(text(strings.Repeat("well ", maxText) + "\n" + deny)), deny},
		"behind an image":             {content(`{"type": "image", "mimeType": "image/png", "data": "UE5H"}`, text(deny)), deny},
		"resource":                    {content(fmt.Sprintf(`{"type": "resource", "resource": {"uri": "x:1", "text": %q}}`, deny)), deny},
		"bytes of a resource":         {content(`{"type": "resource", "resource": {"uri": "x:1", "blob": "eyJkZWNpc2lvbiI6ImRlbnkifQ=="}}`), deny},
		"link":                        {content(fmt.Sprintf(`{"type": "resource_link", "uri": "x:1", "name": "x", "description": %q}`, deny)), deny},
		"structured":                  {`"content": [], "structuredContent": ` + deny, deny},
		"structured, and a text":      {content(text("No.")) + `, "structuredContent": ` + deny, "No.\n" + deny},
		"structured, and the same":    {content(text(`{ "decision": "deny" }`)) + `, "structuredContent": ` + deny, `{ "decision": "deny" }`},
		"structured, and another one": {content(text(`{"decision": "allow"}`)) + `, "structuredContent": ` + deny, `{"decision": "allow"}` + "\n" + deny},
		"nothing":                     {content(), ""},
	} {
		var args map[string]any
		require.NoError(t, json.Unmarshal([]byte("{"+c.says+"}"), &args), name)
		inv, err := named(session, "say").Prepare(args)
		require.NoError(t, err, name)
		said, err := inv.(*call).Answer(t.Context())
		assert.Equal(t, strings.Contains(c.says, "isError"), err != nil, name)
		assert.True(t, strings.HasSuffix(said, c.want), "%s: %.200q", name, said)
		assert.True(t, c.want == "" || len(said) == len(c.want) || strings.HasPrefix(name, "behind"), "%s: %.200q", name, said)
	}
}

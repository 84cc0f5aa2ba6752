package mcp

import (
	"context"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/tools"
	"minigem/tools/toolstest"
)

func addResources(s *mcp.Server) {
	s.AddResource(&mcp.Resource{URI: "note://1", Name: "first", Description: "The first\nnote.", MIMEType: "text/plain"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "note://1", Text: "one"}, {URI: "note://1", Text: "more"}}}, nil
		})
	s.AddResource(&mcp.Resource{URI: "note://gone", Name: "gone"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, mcp.ResourceNotFoundError("note://gone")
	})
	s.AddResource(&mcp.Resource{URI: "note://slow", Name: "slow"}, func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
}

// TestResources checks that a server may offer only resources, and that both tools know
// them.
func TestResources(t *testing.T) {
	t.Parallel()
	notes := Server{Name: "notes", URL: serveHTTP(t, streamable(sdkServer(addResources))).URL}
	session := connect(t, notes)
	without := connect(t, Server{Name: "srv", URL: serveHTTP(t, streamable(sdkServer(addTools))).URL})
	assert.Empty(t, ResourceTools([]*Session{without}))
	both := ResourceTools([]*Session{without, session})
	require.Len(t, both, 2)
	list, read := both[0], both[1]

	rows := "- notes:note://1 | first | The first note.\n- notes:note://gone | gone\n- notes:note://slow | slow"
	for _, tt := range []struct {
		tool tools.Tool
		args map[string]any
		want []string // the text parts for the model; one that begins with ! is an error
	}{
		{list, nil, []string{"Available MCP resources (3):\n" + rows}},
		{list, map[string]any{"serverName": "notes"}, []string{"Available MCP resources (3):\n" + rows}},
		{list, map[string]any{"serverName": "srv"}, nil},
		{read, map[string]any{"uri": "note://1"}, []string{"one", "more"}},
		{read, map[string]any{"uri": "notes:note://1"}, []string{"one", "more"}},
	} {
		got, err := run(t, t.Context(), tt.tool, tt.args)
		require.NoError(t, err)
		want := []llm.Part{llm.Text{Text: "No MCP resources found."}}
		if tt.want != nil {
			want = nil
		}
		for _, text := range tt.want {
			want = append(want, llm.Text{Text: untrusted(text)})
		}
		assert.Equal(t, want, got.Parts)
	}
	for uri, want := range map[string]tools.Error{
		"file:///etc/passwd": {Type: tools.ErrMCPResource, Message: "MCP resource not found: file:///etc/passwd"},
		"note://slow":        {Type: tools.ErrMCP, Message: "the MCP server 'notes' did not give the resource note://slow within 10ms"},
		"note://gone":        {Type: tools.ErrMCP, Message: `the MCP server 'notes' did not give the resource note://gone: `},
	} {
		asked := read
		if uri == "note://slow" { // never arrives
			notes.Timeout = 10 * time.Millisecond
			asked = ResourceTools([]*Session{connect(t, notes)})[1]
		}
		_, err := run(t, t.Context(), asked, map[string]any{"uri": uri})
		var e *tools.Error
		require.ErrorAs(t, err, &e, uri)
		assert.Equal(t, want.Type, e.Type)
		assert.Contains(t, e.Message, want.Message)
	}
	toolstest.Run(t, toolstest.Case{Tool: read, Args: map[string]any{"uri": "note://1"}, Dir: t.TempDir()})
}

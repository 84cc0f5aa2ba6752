package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/app"
	ours "minigem/internal/mcp"
)

// mcpSite is an MCP server with a URL. It answers only requests with the token.
func mcpSite(t *testing.T) string {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "site", Version: "1"}, nil)
	say := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "said"}}}, nil
	}
	for _, name := range []string{"say", "shout"} {
		s.AddTool(&mcp.Tool{Name: name, Description: "d", InputSchema: json.RawMessage(`{"type": "object"}`)}, say)
	}
	s.AddResource(&mcp.Resource{URI: "note://1", Name: "note"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "note://1", Text: "remember"}}}, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t0ken" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return web.URL
}

// TestMCPSite checks a server with a URL from the settings, from its headers to which of
// its tools run without asking.
func TestMCPSite(t *testing.T) {
	t.Parallel()
	url := mcpSite(t)
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json": `{"mcpServers": {
			"site": {"httpUrl": "` + url + `", "headers": {"Authorization": "Bearer ${SITE_TOKEN:-t0ken}"}, "trust": true, "excludeTools": ["shout"]},
			"other": {"url": "` + url + `", "headers": {"Authorization": "Bearer t0ken"}, "includeTools": ["say"]},
			"closed": {"url": "` + url + `"},
			"nowhere": {"trust": true}
		}}`,
	})
	for interactive, want := range map[bool]map[string]string{
		false: {"mcp_site_say": "run", "mcp_site_shout": "none", "mcp_other_say": "none", "list_mcp_resources": "run"},
		true:  {"mcp_site_say": "run", "mcp_site_shout": "none", "mcp_other_say": "ask", "mcp_other_shout": "none", "list_mcp_resources": "run"},
	} {
		s := w.wire(&app.Options{SkipTrust: true}, interactive)
		for tool, outcome := range want {
			assert.Equal(t, outcome, s.outcome(t, tool, `{}`), tool)
		}
		assert.Equal(t, "output: <untrusted_context>\nsaid\n</untrusted_context>", s.do(t.Context(), "mcp_site_say", `{}`))
		assert.Equal(t, "output: <untrusted_context>\nremember\n</untrusted_context>", s.do(t.Context(), "read_mcp_resource", `{"uri": "other:note://1"}`))
	}
}

// TestMCPServers checks that settings of servers are passed on to internal/mcp, and
// that unwanted servers are left out.
func TestMCPServers(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json": `{"mcp": {"excluded": ["no"]}, "mcpServers": {
			"a": {"httpUrl": "https://a.example/mcp", "url": "https://other.example", "timeout": 1500, "headers": {"K": "v"}},
			"b": {"url": "https://b.example/sse", "type": "sse", "trust": true, "includeTools": ["x"], "excludeTools": ["y"]},
			"c": {"url": "https://c.example/mcp"},
			"no": {"url": "https://no.example/mcp"},
			"nothing": {}
		}}`,
	})
	sys, _, _ := w.sys()
	f := &app.Options{SkipTrust: true}
	c, err := app.Configure(sys, f)
	require.NoError(t, err)
	var warned []string
	got := c.MCP(f.AllowedMCP).Wanted(func(s string) { warned = append(warned, s) })
	for i := range got {
		assert.NotNil(t, got[i].Tokens, "each may want a sign-in")
		got[i].Tokens = nil
	}
	assert.Equal(t, []ours.Server{
		{Name: "a", URL: "https://a.example/mcp", Transport: ours.TransportHTTP, Headers: map[string]string{"K": "v"}, Timeout: 1500 * time.Millisecond, Root: w.project},
		{Name: "b", URL: "https://b.example/sse", Transport: ours.TransportSSE, Trusted: true, Include: []string{"x"}, Exclude: []string{"y"}, Root: w.project},
		{Name: "c", URL: "https://c.example/mcp", Root: w.project},
	}, got)
	assert.Equal(t, []string{`the MCP server nothing is not started: it has no "command", "url" or "httpUrl"`}, warned)
}

// TestDiscoveredTools checks that discovered tools need approval like commands, and
// that failures of the discovery are reported.
func TestDiscoveredTools(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json": `{"tools": {"discoveryCommand": "cat tools.json", "callCommand": "cat; echo "}}`,
		"tools.json":            `[{"name": "greet", "description": "Greets."}]`,
	})
	for mode, want := range map[string]string{"default": "none", "yolo": "run"} {
		s := w.wire(&app.Options{SkipTrust: true, ApprovalMode: mode}, false)
		assert.Equal(t, want, s.outcome(t, "discovered_tool_greet", `{"a": 1}`), mode)
	}
	s := w.wire(&app.Options{SkipTrust: true}, true)
	assert.Equal(t, "ask", s.outcome(t, "discovered_tool_greet", `{}`))
	assert.Equal(t, "output: {\"a\":1}greet\n", s.do(t.Context(), "discovered_tool_greet", `{"a": 1}`))
}

package fleet

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/internal/mcp"
)

type saying struct {
	Say string `json:"say"`
}

// speaker is an MCP server whose tools say what they are asked to. The tool say
// answers, and the tool fail reports an error.
func speaker(t *testing.T) *mcp.Session {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "speaker", Version: "1"}, nil)
	answer := func(failed bool) sdk.ToolHandlerFor[saying, any] {
		return func(_ context.Context, _ *sdk.CallToolRequest, in saying) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{IsError: failed, Content: []sdk.Content{&sdk.TextContent{Text: in.Say}}}, nil, nil
		}
	}
	sdk.AddTool(s, &sdk.Tool{Name: "say"}, answer(false))
	sdk.AddTool(s, &sdk.Tool{Name: "fail"}, answer(true))
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	session, err := mcp.Connect(context.WithoutCancel(t.Context()), mcp.Server{Name: "srv", URL: web.URL})
	require.NoError(t, err)
	t.Cleanup(session.Close)
	return session
}

// TestMCPHooksAtEveryEvent tries every answer and failure of a server's tool. A denial
// blocks wherever something can be blocked, and a failure set to block never lets
// anything pass.
func TestMCPHooksAtEveryEvent(t *testing.T) {
	t.Parallel()
	session := speaker(t)
	runner := hooks.ByKind{"mcp_tool": mcpHooks{func(_ context.Context, h hooks.Hook) (*mcp.Session, error) {
		if server := h.Server; server != "srv" {
			return nil, fmt.Errorf("no MCP server is called %q", server)
		}
		return session, nil
	}}}
	const deny = `{"decision": "deny", "reason": "not that"}`
	for _, c := range []struct {
		name, server, tool, say string
		no, failed              bool
	}{
		{"yes", "srv", "say", `{"decision": "allow"}`, false, false},
		{"nothing", "srv", "say", "", false, false},
		{"no", "srv", "say", deny, true, false},
		{"no after words", "srv", "say", "Well:\n" + deny, true, false},
		{"a broken no", "srv", "say", `{"decision": "deny", "reason": "not that`, true, false},
		{"no as an error", "srv", "fail", deny, true, true},
		{"an error", "srv", "fail", "out of paper", false, true},
		{"huge", "srv", "say", strings.Repeat("x", 1<<18), false, false},
		{"no tool", "srv", "none", "", false, true},
		{"no server", "other", "say", "", false, true},
	} {
		for _, ev := range protocol.Events {
			for _, onError := range []string{"", "block"} {
				t.Run(fmt.Sprintf("%s/%s/%s", c.name, ev, onError), func(t *testing.T) {
					t.Parallel()
					var reports []hooks.Report
					h := hooks.Hook{Event: ev, Name: "h", OnError: onError, Handler: hooks.Handler{Type: "mcp_tool", Server: c.server,
						Tool: c.tool, Input: map[string]any{"say": c.say}}}
					e := &hooks.Engine{Origin: hookstest.Origin, Runner: runner, Patience: time.Hour,
						Config: hooks.Config{Hooks: []hooks.Hook{h}},
						Report: func(r hooks.Report) { reports = append(reports, r) }}
					hookstest.Stimulus{Event: ev}.Fire(e)
					require.Len(t, reports, 1)
					run := reports[0].Runs[0]
					garbled := run.Reading.Garbled
					want := hooks.Proceed
					if ev.CanBlock() && (c.no || (c.failed || garbled) && onError == "block") {
						want = hooks.Deny
					}
					assert.Equal(t, want, reports[0].Verdict.Decision)
					if c.no && want == hooks.Deny {
						assert.Contains(t, reports[0].Verdict.Reason, "not that")
					}
					assert.Equal(t, c.failed, run.Failed != "", run.Failed)
				})
			}
		}
	}
}

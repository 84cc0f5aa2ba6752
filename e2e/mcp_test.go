package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/e2e/testbed"
	"minigem/llm/script"
)

// mcpServerMode makes the test binary an MCP server on standard input and output.
const mcpServerMode = "MINIGEM_E2E_MCP_SERVER"

func init() {
	if os.Getenv(mcpServerMode) != "" {
		serveMCP()
		os.Exit(0)
	}
}

func serveMCP() {
	s := mcp.NewServer(&mcp.Implementation{Name: "e2e", Version: "1"}, &mcp.ServerOptions{Instructions: "Look up before you guess.\x1b[2J"})
	mcp.AddTool(s, &mcp.Tool{Name: "lookup", Description: "Looks a variable up."},
		func(_ context.Context, _ *mcp.CallToolRequest, in struct {
			Name string `json:"name" jsonschema:"Of the variable."`
		}) (*mcp.CallToolResult, any, error) {
			value, ok := os.LookupEnv(in.Name)
			if !ok {
				return nil, nil, fmt.Errorf("there is no %s", in.Name)
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Name + " is " + value}}}, nil, nil
		})
	if os.Getenv(mcpServerMode) == "judge" {
		addJudge(s)
	}
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// addJudge adds a tool for hooks of type mcp_tool.
func addJudge(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "judge", Description: "Answers as a hook."},
		func(_ context.Context, _ *mcp.CallToolRequest, in struct {
			Of  string `json:"of"`
			Say string `json:"say"`
		}) (*mcp.CallToolResult, any, error) {
			answer, _ := json.Marshal(map[string]string{"decision": in.Say, "reason": "no " + in.Of})
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(answer)}}}, nil, nil
		})
}

// TestMCP runs the program with a real server. Its tools are offered and called according
// to the policy, and hooks see their origin.
func TestMCP(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	server := func(more string) string {
		command, _ := json.Marshal(exe)
		return fmt.Sprintf(`{"command": %s, "args": ["-x"], "env": {%q: "1", "GIVEN": "${VALUE}"}%s}`, command, mcpServerMode, more)
	}
	const lookup = `call mcp_my-srv_lookup {"name": "GIVEN"}
call mcp_my-srv_lookup {"name": "SERVICE_API_KEY"}
call mcp_my-srv_lookup {}

say Done.`
	for _, tt := range []struct {
		name, servers string // name of the test, and the value of mcpServers
		more          string // additional settings
		args          []string
		offered       bool
		stderr        string // part of it; empty: stderr is empty
	}{
		{"yolo", `"my-srv": ` + server(""), "", []string{"--yolo"}, true, ""},
		{"headless, not trusted", `"my-srv": ` + server(""), "", nil, false, ""},
		{"headless, trusted", `"my-srv": ` + server(`, "trust": true`), "", nil, true, ""},
		{"allowed by name", `"my-srv": ` + server(""), "", []string{"--allowed-mcp-server-names", "my-srv"}, true, ""},
		{"another one allowed", `"my-srv": ` + server(""), "", []string{"--yolo", "--allowed-mcp-server-names", "x"}, false, ""},
		{"excluded", `"my-srv": ` + server(""), `, "mcp": {"excluded": ["my-srv"]}`, []string{"--yolo"}, false, ""},
		{"its tool excluded", `"my-srv": ` + server(`, "excludeTools": ["lookup"]`), "", []string{"--yolo"}, false, "my-srv"},
		{"beside a broken one", `"bad": {"command": "/no/such/program"}, "far": {"url": "http://127.0.0.1:1/"}, "my-srv": ` + server(""), "", []string{"--yolo"}, true, "connecting to the MCP server bad: starting /no/such/program"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, nil)
			recorded := filepath.Join(h.dir, "recorded")
			require.NoError(t, os.Mkdir(recorded, 0o700))
			hooks, err := recorderSettings(recorded, nil)
			require.NoError(t, err)
			h.write(t, "../.gemini/settings.json", strings.TrimSuffix(string(hooks), "}")+`, "mcpServers": {`+tt.servers+`}`+tt.more+`}`)
			entries, err := parseAnswers("answers", lookup)
			require.NoError(t, err)
			api := fakemodel.New(fakemodel.Options{Entries: entries, Strict: true})
			url, stop, err := api.Start("127.0.0.1:0")
			require.NoError(t, err)
			defer stop()
			o := h.run(t, run{Args: append([]string{"-m", "gemini-2.5-flash", "-p", "go"}, tt.args...), Env: []string{
				"GEMINI_API_KEY=test-key-of-the-fake-api", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true",
				"VALUE=open", "SERVICE_API_KEY=hidden-from-servers",
			}})
			require.Equal(t, 0, o.Code, o.Stderr)
			h.assertTidy(t, o)
			assert.Contains(t, o.Stderr, tt.stderr)
			log := api.Log()
			require.Len(t, log, 2)
			ok, shown := judgeRequest(log[0].Parsed, "offers", []string{"mcp_my-srv_lookup"})
			assert.Equal(t, tt.offered, ok, shown)
			assert.Equal(t, tt.offered, strings.Contains(log[0].Parsed.System, "my-srv ---\nLook up before you guess.\n---"), log[0].Parsed.System)
			results := testbed.RenderMessages(log[1].Parsed.Messages)
			assert.NotContains(t, results, "hidden-from-servers")
			payloads, err := recordedIn(recorded)
			require.NoError(t, err)
			contexts := strings.Count(strings.Join(payloads, ""), `"mcp_context":{"server_name":"my-srv","tool_name":"lookup","command":`)
			if !tt.offered {
				assert.Regexp(t, `mcp_my-srv_lookup(\\" not found\.| is not available: )`, results)
				assert.Zero(t, contexts)
				return
			}
			assert.Contains(t, results, `{"output":"<untrusted_context>\nGIVEN is open\n</untrusted_context>"}`)
			assert.Contains(t, results, `there is no SERVICE_API_KEY`)
			assert.Contains(t, results, `params must have required property 'name'`)
			assert.Equal(t, 4, contexts, "BeforeTool and AfterTool of the two valid calls")
		})
	}
}

// TestMCPGuards: a matcher matches an MCP tool by both forms of its name.
func TestMCPGuards(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	command, err := json.Marshal(exe)
	require.NoError(t, err)
	for _, matcher := range []string{"^mcp_my-srv_lookup$", "mcp__my-srv__.*", "mcp__.*__lookup"} {
		t.Run(matcher, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{"../.gemini/settings.json": fmt.Sprintf(
				`{"mcpServers": {"my-srv": {"command": %s, "args": ["-x"], "env": {%q: "1"}}},
				  "hooks": {"BeforeTool": [{"matcher": %q, "hooks": [{"type": "command", "command": "echo guarded >&2; exit 2"}]}]}}`, command, mcpServerMode, matcher)})
			api := startFakeAPI(t, answersOf(t, "call mcp_my-srv_lookup {\"name\": \"HOME\"}\n\nsay Done."))
			o := h.run(t, run{Args: []string{"--yolo", "-m", "gemini-2.5-flash", "-p", "go"}, Env: api.env()})
			require.Equal(t, 0, o.Code, o.Stderr)
			require.Len(t, api.Log(), 2)
			assert.Contains(t, testbed.RenderMessages(api.Log()[1].Parsed.Messages), `{"error":"Tool execution blocked: guarded"}`)
		})
	}
}

func answersOf(t *testing.T, text string) []script.Entry {
	t.Helper()
	entries, err := parseAnswers("answers", text)
	require.NoError(t, err)
	return entries
}

// TestMCPCommands: a server added by mcp add is used until it is disabled or removed.
func TestMCPCommands(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	h := newHome(t, nil)
	trusted := "GEMINI_CLI_TRUST_WORKSPACE=true"
	minigem := func(code int, says string, args ...string) {
		t.Helper()
		o := h.run(t, run{Args: args, Env: []string{trusted}})
		require.Equal(t, code, o.Code, o.Stderr)
		assert.Contains(t, o.Stdout+o.Stderr, says)
	}
	offered := func() bool {
		t.Helper()
		api := startFakeAPI(t, answersOf(t, "say Done."))
		o := h.run(t, run{Args: []string{"--yolo", "-m", "gemini-2.5-flash", "-p", "go"}, Env: append(api.env(), "GEMINI_CLI_TRUST_WORKSPACE=true")})
		require.Equal(t, 0, o.Code, o.Stderr)
		require.Len(t, api.Log(), 1)
		ok, _ := judgeRequest(api.Log()[0].Parsed, "offers", []string{"mcp_my-srv_lookup"})
		return ok
	}
	minigem(0, `MCP server "my-srv" added to project settings. (stdio)`, "mcp", "add", "-e", mcpServerMode+"=1", "my-srv", exe, "-x")
	minigem(0, "✓ my-srv: "+exe+" -x (stdio) - Connected\n", "mcp", "list")
	assert.True(t, offered())
	minigem(0, `MCP server "my-srv" disabled.`, "mcp", "disable", "MY-SRV")
	minigem(0, " - Disabled\n    it is disabled; minigem mcp enable my-srv changes that\n", "mcp", "list")
	assert.False(t, offered())
	minigem(0, `MCP server "my-srv" enabled.`, "mcp", "enable", "my-srv")
	assert.True(t, offered())
	minigem(42, `Server "my-srv" not found in user settings`, "mcp", "remove", "-s", "user", "my-srv")
	minigem(0, `Server "my-srv" removed from project settings.`, "mcp", "remove", "my-srv")
	assert.False(t, offered())
	minigem(0, "No MCP servers configured.\n", "mcp", "list")

	minigem(42, "-e follows the command, where it may be meant for the server", "mcp", "add", "gh", "docker", "run", "-e", "TOKEN", "image")
	minigem(42, `"a\nb" cannot be the name of a server`, "mcp", "add", "a\nb", "ls")
	minigem(0, "added to user settings", "mcp", "add", "-s", "user", "gh", "/no/such/program", "run", "--", "-e", "TOKEN")
	minigem(0, "Disconnected\n    connecting to the MCP server gh", "mcp", "list")
	minigem(0, "updated in user settings. (sse)", "mcp", "add", "gh", "http://127.0.0.1:1/", "-s", "user", "-t", "sse", "-H", "A: b")
	minigem(42, "there is no MCP server \"nothing\"", "mcp", "disable", "nothing")
	minigem(42, `has no subcommand "lst"; did you mean "list"?`, "mcp", "lst")

	trusted = "GEMINI_CLI_TRUST_WORKSPACE=false"
	minigem(0, "this folder is not trusted: its settings are not read", "mcp", "list")
	h.write(t, ".gemini/settings.json", "{\n[}")
	minigem(52, ".gemini/settings.json:2:2: ", "mcp", "add", "x", "ls")
	minigem(52, ": correct the file, or move it away", "mcp", "remove", "x")
	minigem(42, "there is no folder ", "skills", "install", "nosuch")
}

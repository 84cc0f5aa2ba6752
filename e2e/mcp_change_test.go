package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
)

// growingServerMode makes the test binary an MCP server that offers another tool, a prompt
// and a resource once its first tool was called. The value "silent" makes it one that
// never answers.
const growingServerMode = "MINIGEM_E2E_MCP_GROWING"

func init() {
	switch os.Getenv(growingServerMode) {
	case "":
	case "silent":
		select {}
	default:
		serveGrowing()
		os.Exit(0)
	}
}

func serveGrowing() {
	tool := func(name string) string { return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name) }
	offered := tool("grow")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Arguments map[string]string
				URI       string
			}
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := ""
		switch m.Method {
		case "initialize":
			answer = `{"protocolVersion":"2025-06-18","serverInfo":{"name":"g","version":"1"},"capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{}}}`
		case "tools/list":
			answer = `{"tools":[` + offered + `]}`
		case "tools/call":
			offered += "," + tool("grown")
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			answer = `{"content":[{"type":"text","text":"it grew"}]}`
		case "prompts/list":
			answer = `{"prompts":[{"name":"review it","description":"Reviews.","arguments":[{"name":"what","required":true}]}]}`
		case "prompts/get":
			answer = fmt.Sprintf(`{"messages":[{"role":"user","content":{"type":"text","text":%q}}]}`, "Review "+m.Params.Arguments["what"]+" with care.")
		case "resources/list":
			answer = `{"resources":[{"uri":"note://1","name":"note"}]}`
		case "resources/read":
			answer = fmt.Sprintf(`{"contents":[{"uri":%q,"text":"remember the milk"}]}`, m.Params.URI)
		default:
			answer = `{}`
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, answer)
	}
}

func growingHome(t *testing.T, mode string) home {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	command, err := json.Marshal(exe)
	require.NoError(t, err)
	return newHome(t, map[string]string{"../.gemini/settings.json": fmt.Sprintf(
		`{"mcpServers": {"srv": {"command": %s, "args": ["-x"], "env": {%q: %q}}}}`, command, growingServerMode, mode)})
}

// TestMCPListChanged: a tool that a server adds during a call is declared to the model
// together with the result of that call.
func TestMCPListChanged(t *testing.T) {
	t.Parallel()
	h := growingHome(t, "yes")
	api := startFakeAPI(t, answersOf(t, "call mcp_srv_grow {}\n\ncall mcp_srv_grown {}\n\nsay Done."))
	o := h.run(t, run{Args: []string{"--yolo", "-m", "gemini-2.5-flash", "-p", "go"}, Env: append(api.env(), "GEMINI_CLI_TRUST_WORKSPACE=true")})
	require.Equal(t, 0, o.Code, o.Stderr)
	log := api.Log()
	require.Len(t, log, 3)
	for i, want := range []bool{false, true, true} {
		ok, shown := judgeRequest(log[i].Parsed, "offers", []string{"mcp_srv_grown"})
		assert.Equal(t, want, ok, shown)
	}
	assert.NotContains(t, testbed.RenderMessages(log[2].Parsed.Messages), "not found")
}

// TestMCPPromptsAndResources: a server's prompt is a command, and its resource is included
// in a prompt that names it.
func TestMCPPromptsAndResources(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		prompt string
		code   int
		want   []string // in the request, or on stderr if there is none
	}{
		{"/review-it the loop", 0, []string{"Review the loop with care."}},
		{`/review-it --what="a \"b\""`, 0, []string{`Review a "b" with care.`}},
		{"/review-it", 42, []string{`missing: --what; it is --what="..."`}},
		{"/review", 42, []string{`/review works only in the chat, or is not a command; did you mean "/review-it"?`}},
		{"What is in @srv:note://1 ?", 0, []string{"What is in @srv:note://1 ?\n", "\n--- Content from referenced files ---", "\nContent from @note://1:\n",
			"<untrusted_context>\nremember the milk\n</untrusted_context>", "\n--- End of content ---"}},
		{"Mail me @srv:note://2", 0, []string{"Mail me @srv:note://2"}},
	} {
		t.Run(tt.prompt, func(t *testing.T) {
			t.Parallel()
			h := growingHome(t, "yes")
			api := startFakeAPI(t, answersOf(t, "say Done."))
			o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-p", tt.prompt}, Env: append(api.env(), "GEMINI_CLI_TRUST_WORKSPACE=true")})
			require.Equal(t, tt.code, o.Code, o.Stderr)
			shown := o.Stderr
			if tt.code == 0 {
				require.Len(t, api.Log(), 1)
				shown = testbed.RenderMessages(api.Log()[0].Parsed.Messages)
			}
			for _, want := range tt.want {
				assert.Contains(t, shown, want)
			}
			if tt.prompt == "Mail me @srv:note://2" {
				assert.Contains(t, o.Stderr, "@srv:note://2 is not included: the MCP server srv offers no resource note://2")
			}
		})
	}
}

// TestSilentMCPServerCostsTheStartNothing: without a request minigem does not wait for a
// server that never answers, and the server is gone afterwards.
func TestSilentMCPServerCostsTheStartNothing(t *testing.T) {
	t.Parallel()
	h := growingHome(t, "silent")
	h.write(t, "../.gemini/settings.json", `{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]},`+h.read(t, "../.gemini/settings.json")[1:])
	api := startFakeAPI(t, nil)
	o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-p", "go"}, Env: append(api.env(), "GEMINI_CLI_TRUST_WORKSPACE=true")})
	assert.NotContains(t, o.Stderr, "no answer within")
	assert.Contains(t, o.Stdout+o.Stderr, "no")
	assert.Empty(t, api.Log())
	h.assertTidy(t, o)
}

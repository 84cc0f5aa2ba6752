package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/e2e/testbed"
)

// referenceServer returns the executable of the protocol's reference server.
func referenceServer(t *testing.T) string {
	t.Helper()
	server := os.Getenv("MINIGEM_MCP_SERVER")
	if server == "" {
		t.Skip("MINIGEM_MCP_SERVER does not name a server of others")
	}
	needs(t, "node")
	return server
}

// TestMCPReference runs the program with the protocol's reference server, if
// MINIGEM_MCP_SERVER names its executable (mcp-server-everything of the npm package
// @modelcontextprotocol/server-everything). It was written by others in another language,
// and it sends its client requests of its own.
func TestMCPReference(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	command, err := json.Marshal(referenceServer(t))
	require.NoError(t, err)
	h.write(t, "../.gemini/settings.json", fmt.Sprintf(`{"mcpServers": {"every": {"command": %s, "args": ["stdio"]}}}`, command))
	entries, err := parseAnswers("answers", `call mcp_every_echo {"message": "hello"}
call mcp_every_get-sum {"a": 19, "b": 23}
call mcp_every_get-sum {"a": "many"}
call mcp_every_trigger-long-running-operation {"duration": 0.2, "steps": 2}

say Done.`)
	require.NoError(t, err)
	api := fakemodel.New(fakemodel.Options{Entries: entries, Strict: true})
	url, stop, err := api.Start("127.0.0.1:0")
	require.NoError(t, err)
	defer stop()
	o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "--yolo", "-p", "go"}, Env: []string{
		"GEMINI_API_KEY=test-key-of-the-fake-api", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true",
	}})
	require.Equal(t, 0, o.Code, o.Stderr)
	h.assertTidy(t, o)
	assert.Equal(t, "Done.\n", o.Stdout)
	log := api.Log()
	require.Len(t, log, 2)
	results := testbed.RenderMessages(log[1].Parsed.Messages)
	assert.Contains(t, results, "Echo: hello")
	assert.Contains(t, results, "The sum of 19 and 23 is 42.")
	assert.Contains(t, results, `"error"`, "what the schema does not allow is not sent")
	assert.Contains(t, results, "Long running operation completed.")
}

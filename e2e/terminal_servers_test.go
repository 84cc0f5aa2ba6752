//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

// BenchmarkChatStart measures the time until the prompt appears, without MCP servers for
// comparison and with five: four that answer and one that never does.
func BenchmarkChatStart(b *testing.B) {
	for name, modes := range map[string][]string{"yardstick-no-servers": nil, "five-mcp-servers": {"yes", "yes", "yes", "yes", "silent"}} {
		b.Run(name, func(b *testing.B) {
			h := serversHome(b, modes)
			args := trusted(h.answersFile(b, "say Hi."))
			for b.Loop() {
				c := h.startChat(b, nil, args...)
				c.waitReady()
				b.StopTimer()
				_ = c.cmd.Process.Kill()
				<-c.exited
				b.StartTimer()
			}
		})
	}
}

// TestThePromptWaitsForNoMCPServer: with five servers that never answer, the prompt
// appears, commands work, and nothing waits for the servers.
func TestThePromptWaitsForNoMCPServer(t *testing.T) {
	t.Parallel()
	h := serversHome(t, []string{"silent", "silent", "silent", "silent", "silent"})
	c := h.startChat(t, nil, trusted(h.answersFile(t))...)
	c.take([]step{{"/about", "sign-in  ", ""}, {"/mcp list", "srv4 (stdio) - Starting", ""}})
	assert.Equal(t, 5, strings.Count(c.text(), " (stdio) - Starting"))
	c.quit()
}

// TestServersStartWithoutARequest: servers start once the prompt is drawn, without waiting
// for a request.
func TestServersStartWithoutARequest(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"../.gemini/settings.json": `{"mcpServers": {"a": {"command": "sh", "args": ["-c", "touch ~/started; exec cat"]}}}`})
	c := h.startChat(t, nil, trusted(h.answersFile(t))...)
	waittest.Until(t, func() bool { _, err := os.Stat(filepath.Join(h.dir, "started")); return err == nil }, "the server is started")
	c.waitReady()
	c.quit()
}

// serversHome returns a home with an MCP server for each of modes.
func serversHome(t testing.TB, modes []string) home {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	servers := map[string]any{}
	for i, mode := range modes {
		servers[fmt.Sprintf("srv%d", i)] = map[string]any{"command": exe, "args": []string{"-x"}, "env": map[string]string{growingServerMode: mode}}
	}
	data, err := json.Marshal(map[string]any{"mcpServers": servers})
	require.NoError(t, err)
	return newHome(t, map[string]string{"../.gemini/settings.json": string(data)})
}

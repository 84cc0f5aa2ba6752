package mcp

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
	"minigem/tools"
)

// everything returns the protocol authors' reference server. MINIGEM_MCP_EVERYTHING
// must name the folder of the npm package @modelcontextprotocol/server-everything.
func everything(t *testing.T) (node, script string) {
	t.Helper()
	dir := os.Getenv("MINIGEM_MCP_EVERYTHING")
	if dir == "" {
		t.Skip("MINIGEM_MCP_EVERYTHING does not name the folder of @modelcontextprotocol/server-everything")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	return node, filepath.Join(dir, "dist", "index.js")
}

// serveEverything starts it on a free port.
func serveEverything(t *testing.T, mode string) (address string) {
	t.Helper()
	node, script := everything(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())
	cmd := exec.Command(node, script, mode)
	cmd.Env = append(os.Environ(), fmt.Sprint("PORT=", port))
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	address = fmt.Sprint("localhost:", port)
	waittest.Until(t, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return "http://" + address
}

// TestEverything tests a server that does not use our library, over each transport.
func TestEverything(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"stdio", "streamableHttp", "sse"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var s Server
			switch mode {
			case "stdio":
				node, script := everything(t)
				s = Server{Command: node, Args: []string{script}, Env: os.Environ(), Dir: t.TempDir()}
			case "sse":
				s = Server{URL: serveEverything(t, mode) + "/sse", Transport: TransportSSE}
			default:
				s = Server{URL: serveEverything(t, mode) + "/mcp"}
			}
			s.Name = "srv"
			session := connect(t, s)
			got, err := run(t, t.Context(), named(session, "echo"), map[string]any{"message": "hi"})
			require.NoError(t, err)
			assert.Equal(t, "Echo: hi", got.Display)
			_, err = named(session, "echo").Prepare(map[string]any{})
			require.ErrorContains(t, err, "params must have required property 'message'")
			both := ResourceTools([]*Session{session})
			require.Len(t, both, 2)
			require.NotEmpty(t, session.Resources())
			for _, tool := range []tools.Tool{both[0], both[1]} {
				res, err := run(t, t.Context(), tool, map[string]any{"uri": session.Resources()[0]})
				require.NoError(t, err)
				assert.NotEmpty(t, res.Parts)
			}
		})
	}
}

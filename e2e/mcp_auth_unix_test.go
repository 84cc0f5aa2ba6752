//go:build unix

package e2e

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/mcp/oauth/oauthtest"
)

// forTheBrowser matches the address of a sign-in, which a screen may have broken into
// lines.
var forTheBrowser = regexp.MustCompile(`http://127\.0\.0\.1:\d+/authorize\?\S*state=[A-Z2-7]{26}`)

func signInHome(t *testing.T) (home, *oauthtest.Server) {
	s := oauthtest.New(t)
	return newHome(t, map[string]string{"../.gemini/settings.json": fmt.Sprintf(`{"mcpServers": {"docs": {"httpUrl": %q}}}`, s.MCP())}), s
}

func browse(t *testing.T, address string) {
	t.Helper()
	res, err := http.Get(address)
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, http.StatusOK, res.StatusCode)
}

// begin runs minigem mcp auth docs until it waits for the browser.
func (h home) begin(t *testing.T) (address string, end func(signal os.Signal) outcome) {
	t.Helper()
	cmd, _, stderr := h.command(t, run{Args: []string{"mcp", "auth", "docs"}})
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for address == "" && lines.Scan() {
		address = forTheBrowser.FindString(lines.Text())
	}
	require.NotEmpty(t, address, "no address was shown")
	return address, func(signal os.Signal) outcome {
		if signal != nil {
			require.NoError(t, cmd.Process.Signal(signal))
		}
		var more strings.Builder
		for lines.Scan() {
			more.WriteString(lines.Text() + "\n")
		}
		_ = cmd.Wait() // the exit code is checked
		return outcome{Stdout: more.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
	}
}

// TestMCPSignIn: if a server requires a sign-in, minigem says how. After minigem mcp auth
// its tools are available in a separate run, and its tokens are shown nowhere.
func TestMCPSignIn(t *testing.T) {
	t.Parallel()
	h, s := signInHome(t)
	args := trusted(h.answersFile(t, `call mcp_docs_hello {}`, "say Done."))
	before := h.run(t, run{Args: append(args, "-p", "hi")})
	assert.Contains(t, before.Stderr, "Unauthorized: sign in by minigem mcp auth docs")
	address, end := h.begin(t)
	browse(t, address)
	o := end(nil)
	require.Equal(t, 0, o.Code, o.Stderr)
	assert.Contains(t, o.Stdout, `You are signed in at the MCP server "docs".`)
	list := h.run(t, run{Args: []string{"mcp", "list"}, Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}})
	assert.Contains(t, list.Stdout, "docs: "+s.MCP()+" (http) - Connected", list.Stderr)
	after := h.run(t, run{Args: append(args, "--yolo", "--output-format", "stream-json", "-p", "hi")})
	assert.Contains(t, after.Stdout, "Hello.", after.Stderr)
	for _, text := range []string{o.Stdout, o.Stderr, list.Stdout, list.Stderr, after.Stdout, after.Stderr} {
		assert.NotContains(t, text, "access-")
		assert.NotContains(t, text, "renew-")
	}
}

// TestMCPSignInEnds: a signal ends the wait for the browser.
func TestMCPSignInEnds(t *testing.T) {
	t.Parallel()
	for signal, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		h, _ := signInHome(t)
		_, end := h.begin(t)
		assert.Equal(t, code, end(signal).Code)
		assert.NoFileExists(t, h.dir+"/.gemini/mcp-oauth-tokens.json")
	}
}

// TestMCPSignInInTheChat: /mcp auth waits for the browser too, ^C cancels it, and after a
// sign-in the tools are available.
func TestMCPSignInInTheChat(t *testing.T) {
	t.Parallel()
	h, _ := signInHome(t)
	c := h.startChat(t, nil, trusted(h.answersFile(t))...)
	found := func() (address string) {
		c.waitUntil("the address", func(text string) bool {
			address = forTheBrowser.FindString(strings.ReplaceAll(text, "\n", ""))
			return address != ""
		})
		return address
	}
	c.take([]step{{"/mcp auth docs", "waiting until you have signed in", ""}})
	found()
	c.keys(keyCtrlC)
	c.waitReady()
	c.take([]step{{"/mcp auth docs", "waiting until you have signed in", ""}})
	browse(t, found())
	c.waitFor(`You are signed in at the MCP server "docs".`)
	c.take([]step{{"/mcp", "tool      mcp_docs_hello", ""}})
	c.quit()
}

//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	"minigem/internal/mcp/oauth/oauthtest"
	"minigem/internal/waittest"
)

// TestMCPThroughTheChat: in a terminal the browser opens for a sign-in. After that the
// server's prompt is a command, its resource can be included with "@", and the user
// answers, declines or cancels what the server asks during a call.
func TestMCPThroughTheChat(t *testing.T) {
	t.Parallel()
	h, _ := signInHome(t)
	opened := filepath.Join(h.dir, "opened")
	for _, name := range []string{"xdg-open", "open"} {
		h.write(t, "../bin/"+name, "#!/bin/sh\necho \"$1\" > "+opened+"\n")
		require.NoError(t, os.Chmod(filepath.Join(h.dir, "bin", name), 0o700))
	}
	api := startFakeAPI(t, answersOf(t, "say Greeted.\n\nsay Noted.\n\ncall mcp_docs_ask {}\n\nsay Brewed.\n\ncall mcp_docs_ask {}\n\nsay None.\n\ncall mcp_docs_ask {}\n\nsay Never."))
	env := append(api.env(), "DISPLAY=:0", "CI=", "PATH="+filepath.Join(h.dir, "bin")+":"+os.Getenv("PATH"))
	c := h.startChat(t, env, "--skip-trust", "--yolo", "-m", "gemini-2.5-flash")
	c.take([]step{{"/mcp auth docs", "Your browser opens for the sign-in.", ""}})
	var address string
	waittest.Until(t, func() bool {
		data, err := os.ReadFile(opened)
		address = strings.TrimSpace(string(data))
		return err == nil && address != ""
	})
	require.Regexp(t, forTheBrowser, address)
	browse(t, address)
	c.waitFor(`You are signed in at the MCP server "docs".`)
	c.say(`/greet --who="the cook"`)
	c.waitFor("Greeted.")
	c.say("What is in @docs:note://1 ?")
	c.waitFor("Noted.")

	c.say("Make tea")
	c.waitFor("The MCP server docs asks", "Tea for whom?", "name, Cups", "Your answer [1]")
	c.keys("1\r")
	c.waitFor("  Whom to bring it to\nYour answer:")
	c.keys("\r") // it must be answered
	c.waitFor("It needs an answer. Whom to bring it to\nYour answer:")
	c.keys("Ann\r")
	c.waitFor("? docs: Cups\n  Cups\nYour answer (may stay empty):")
	c.keys("two\r")
	c.waitFor("It takes a whole number. Cups\nYour answer (may stay empty):")
	c.keys("2\r")
	c.waitFor("Brewed.")
	c.waitReady()
	c.wipe()
	c.keys("Again\r")
	c.waitFor("The MCP server docs asks", "Your answer [1]")
	c.keys("2\r")
	c.waitFor("None.")
	c.waitReady()
	c.wipe()
	c.keys("Again\r")
	c.waitFor("The MCP server docs asks", "Your answer [1]")
	c.keys(keyEscape)
	c.waitFor("Never.")
	c.quit()

	log := api.Log()
	require.Len(t, log, 8)
	for i, want := range map[int]string{
		0: "Greet the cook kindly.", 1: "<untrusted_context>\nremember the milk\n</untrusted_context>",
		3: `the user: accept {"cups":2,"name":"Ann"}`, 5: "the user: decline null", 7: "the user: cancel null",
	} {
		assert.Contains(t, strings.ReplaceAll(testbed.RenderMessages(log[i].Parsed.Messages), `\"`, `"`), want)
	}
}

// TestMCPQuestionsWithoutAUser: without a user, a server's questions are declined, and minigem says
// so. An unreadable file of sign-ins is reported, but disables no server.
func TestMCPQuestionsWithoutAUser(t *testing.T) {
	t.Parallel()
	h := growingHome(t, "yes")
	settings := strings.Replace(h.read(t, "../.gemini/settings.json"), `{"mcpServers": {`, `{"mcpServers": {"far": {"httpUrl": "`+oauthtest.Open(t)+`"}, `, 1)
	h.write(t, "../.gemini/settings.json", settings)
	h.write(t, "../.gemini/mcp-oauth-tokens.json", `{"broken": `)
	api := startFakeAPI(t, answersOf(t, "call mcp_far_ask {}\n\nsay Done."))
	o := h.run(t, run{Args: []string{"--yolo", "-m", "gemini-2.5-flash", "-p", "go"}, Env: append(api.env(), "GEMINI_CLI_TRUST_WORKSPACE=true")})
	require.Equal(t, 0, o.Code, o.Stderr)
	assert.Contains(t, o.Stderr, "[WARNING] the MCP server far asks for an answer, and there is nobody to give one, so it was declined: Tea for whom?")
	assert.Equal(t, 1, strings.Count(o.Stderr, "reading the sign-ins at MCP servers in ~/.gemini/mcp-oauth-tokens.json"), o.Stderr)
	assert.Contains(t, testbed.RenderMessages(api.Log()[1].Parsed.Messages), "the user: decline null")
}

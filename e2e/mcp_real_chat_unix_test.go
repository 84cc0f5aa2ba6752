//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
)

// TestMCPReferenceInTheChat: with the protocol's reference server, prompts are commands
// with arguments, resources can be included with "@", tools are called, and its form,
// which has a field of each kind, is filled in, declined and cancelled.
func TestMCPReferenceInTheChat(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	command, err := json.Marshal(referenceServer(t))
	require.NoError(t, err)
	h.write(t, "../.gemini/settings.json", fmt.Sprintf(`{"mcpServers": {"every": {"command": %s, "args": ["stdio"]}}}`, command))
	const ask = "call mcp_every_trigger-elicitation-request {}"
	api := startFakeAPI(t, answersOf(t, "say Hello.\n\nsay It rains.\n\nsay Promoted.\n\nsay Two documents.\n\nsay Read it.\n\ncall mcp_every_get-sum {\"a\": 19, \"b\": 23}\n\nsay Added.\n\n"+
		ask+"\n\nsay Filled in.\n\n"+ask+"\n\nsay Not given.\n\n"+ask+"\n\nsay Gone."))
	c := h.startChat(t, append(api.env(), "CI="), "--skip-trust", "--yolo", "-m", "gemini-2.5-flash")
	c.say("Good morning") // a request waits for the server
	c.waitFor("Hello.")
	c.take([]step{{"/mcp", "tool      mcp_every_get-sum", ""}})
	c.say(`/args-prompt --city=Paris --state="Ile de France"`)
	c.waitFor("It rains.")
	c.say(`/completable-prompt Sales Eve`)
	c.waitFor("Promoted.")
	c.say(`/resource-prompt --resourceType=Text --resourceId=2`)
	c.waitFor("Two documents.")
	c.say("What says @every:demo://resource/static/document/features.md ?")
	c.waitFor("Read it.")
	c.say("Add them")
	c.waitFor("Added.")

	c.say("Ask me")
	c.waitFor("The MCP server every asks", "Please provide inputs for the following fields:", "Your answer [1]")
	c.keys("1\r")
	for _, step := range []struct{ shows, keys string }{
		{"? every: String\n  Your full, legal name\nYour answer:", "Ann Lee\r"},
		{"? every: String with date format", "2001-02-03\r"},
		{"? every: Boolean", "n\r"},
		{"? every: String with email format", "\r"},
		{"(It was a dark and stormy night.)", "\r"},
		{"? every: String with uri format", "https://example.com/ann\r"},
		{"? every: Integer", "7\r"},
		{"? every: Legacy Titled Single Select Enum", "3\r"},
		{"? every: Number in range 1-1000", "2.5\r"},
		{"3. fish-3  Trout\nYour answers, as numbers", "3 1\r"},
		{"2. hero-2  Green Lantern", "2\r"},
		{"Choose none for Guitar.\n  1. Guitar\n  2. Piano", "1,2,3,4\r"},
		{"It takes 3 at most", "\r"},
		{"Choose your favorite friend", "6\r"},
	} {
		c.waitFor(step.shows)
		c.keys(step.keys)
	}
	c.waitFor("Filled in.")
	c.waitReady()
	c.wipe()
	c.keys("Again\r")
	c.waitFor("Your answer [1]")
	c.keys("2\r")
	c.waitFor("Not given.")
	c.waitReady()
	c.wipe()
	c.keys("Again\r")
	c.waitFor("Your answer [1]")
	c.keys(keyEscape)
	c.waitFor("Gone.")
	c.quit()

	said := strings.NewReplacer(`\": `, `":`, `\"`, `"`, `\n      `, "", `\n    `, "", `\n  `, "")
	log := api.Log()
	require.Len(t, log, 13)
	for i, want := range map[int]string{
		1: "What's weather in Paris, Ile de France?", 2: "Please promote Eve to the head of the Sales team.",
		3: "demo://resource/dynamic/text/2\n<untrusted_context>\nResource 2:", 4: "Everything Server - Features", 6: "The sum of 19 and 23 is 42.",
		8: `"check":false,"firstLine":"It was a dark and stormy night.","homepage":"https://example.com/ann","integer":7,"legacyTitledEnum":"pet-3","name":"Ann Lee","number":2.5,` +
			`"titledMultipleSelectEnum":["fish-3","fish-1"],"titledSingleSelectEnum":"hero-2","untitledMultipleSelectEnum":["Guitar"],"untitledSingleSelectEnum":"Phoebe"`,
		10: "User declined to provide the requested information.", 12: "User cancelled the elicitation dialog.",
	} {
		assert.Contains(t, said.Replace(testbed.RenderMessages(log[i].Parsed.Messages)), want)
	}
}

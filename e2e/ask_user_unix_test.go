//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
)

// TestTheModelAsksTheUser: questions of each type are answered in the chat, even if
// everything is allowed. The model gets the answers by number, or learns that the user
// dismissed the questions. Without a user the tool is not offered.
func TestTheModelAsksTheUser(t *testing.T) {
	t.Parallel()
	const questions = `call ask_user {"questions": [` +
		`{"question": "Which colours?", "header": "Colours", "type": "choice", "multiSelect": true, "options": [{"label": "red", "description": "warm"}, {"label": "blue", "description": "cold"}, {"label": "grey", "description": "dull"}]}, ` +
		`{"question": "Shall it shine?", "header": "Shine", "type": "yesno"}, ` +
		`{"question": "What is its name?\\nIt is on the sign.", "header": "Name", "type": "text", "placeholder": "bob"}]}`
	h := newHome(t, nil)
	api := startFakeAPI(t, answersOf(t, questions+"\n\nsay Painted.\n\n"+questions+"\n\nsay Left."))
	c := h.startChat(t, api.env(), "--skip-trust", "--yolo", "-m", "gemini-2.5-flash")
	c.say("Paint it")
	c.waitFor("Which colours?", "Your answers, as numbers (Enter: none):")
	c.keys("1, 2\r")
	c.waitFor("Shall it shine?", "Your answer [1]")
	c.keys("y\r")
	c.waitFor("What is its name?\n", "It is on the sign.", "Your answer (bob):")
	c.keys("the red house\r")
	c.waitFor("Painted.")
	c.waitReady()
	c.wipe()
	c.keys("Again\r")
	c.waitFor("Which colours?", "Your answers, as numbers (Enter: none):")
	c.keys(keyEscape)
	c.waitFor("Left.")
	c.quit()
	log := api.Log()
	require.Len(t, log, 4)
	said := func(i int) string {
		return strings.ReplaceAll(testbed.RenderMessages(log[i].Parsed.Messages), `\"`, `"`)
	}
	assert.Contains(t, said(1), `{"answers":{"0":"red, blue","1":"Yes","2":"the red house"}}`)
	assert.Contains(t, said(3), "User dismissed the questions without answering.")

	alone := startFakeAPI(t, answersOf(t, questions+"\n\nsay Done."))
	o := h.run(t, run{Args: []string{"--yolo", "-m", "gemini-2.5-flash", "-p", "go"}, Env: append(alone.env(), "GEMINI_CLI_TRUST_WORKSPACE=true")})
	require.Equal(t, 0, o.Code, o.Stderr)
	assert.Contains(t, testbed.RenderMessages(alone.Log()[1].Parsed.Messages), "not found")
}

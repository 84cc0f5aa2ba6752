//go:build unix

package e2e

import (
	"testing"
)

// TestAgentsInTheChat: the hook lane shows the agent in which an event fired, /stats
// counts the agent's requests and calls, and the "@" menu offers agents.
func TestAgentsInTheChat(t *testing.T) {
	t.Parallel()
	h := agentAtWork(t)
	h.write(t, "../.gemini/settings.json", `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "watch", "command": "case $(cat) in *agent_id*read_file*) echo no >&2; exit 2; esac"}]}]}}`)
	c := h.startChat(t, nil, "--skip-trust", "--yolo", "-m", "gemini-2.5-pro", "--fake-responses", "answers.jsonl")
	c.waitReady()
	c.keys("@sco")
	c.waitFor("an agent: Looks around.")
	c.keys("\t")
	c.waitFor("> @scout")
	c.keys("look\r")
	c.waitFor("BeforeTool  read_file  in scout  watch", "Done.")
	c.say("/stats")
	c.waitFor("gemini-2.5-pro  4 ", "read_file      1 ", "complete_task  1 ")
	c.quit()
}

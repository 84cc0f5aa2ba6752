//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlanInTheChat: the user reads the plan, sends it back, approves it, and can read it
// again.
func TestPlanInTheChat(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	args := append([]string{"--skip-trust"}, h.answersFile(t, `call write_file {"file_path": "plan.md", "content": "# The way\n\n1. work \u001b[2Jhard\n"}`,
		`call exit_plan_mode {"plan_filename": "plan.md"}`, `call exit_plan_mode {"plan_filename": "plan.md"}`, "say Off I go.")...)
	c := h.startChat(t, nil, args...)
	c.say("/plan find a way")
	screen := c.waitFor("Allow the model to carry out this plan?", "3. No, keep planning")
	assert.Contains(t, screen, "1. work <U+001B>[2Jhard")
	assert.Contains(t, screen, "1. Yes, and allow edits without asking")
	c.keys("n add a test" + keyEnter)
	c.waitFor("add a test", "Allow the model to carry out this plan?", "3. No, keep planning")
	c.keys("2")
	c.waitFor("Off I go.")
	c.say("/mode")
	c.waitFor("The approval mode is default.")
	c.say("/plan")
	c.waitFor("The approval mode is plan.", "work hard", "plan.md")
	c.say("/plan copy")
	c.waitFor("The plan was sent to the clipboard")
	c.quit()
	kept, err := filepath.Glob(h.dir + "/.gemini/tmp/*/chats/*.jsonl")
	require.NoError(t, err)
	require.Len(t, kept, 1)
	said, err := os.ReadFile(kept[0])
	require.NoError(t, err)
	assert.Contains(t, string(said), "Plan rejected. User feedback: add a test")
}

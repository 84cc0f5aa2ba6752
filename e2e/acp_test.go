package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

// TestACPClient: an editor built on the official TypeScript SDK, which validates what it
// receives, requests changes, allows one, refuses one, meets a hook that refuses in yolo
// mode, and finds and loads the session in another process.
func TestACPClient(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("MINIGEM_ACP_CLIENT")
	if folder == "" {
		t.Skip("MINIGEM_ACP_CLIENT does not name a folder with the npm package @agentclientprotocol/sdk")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	script, err := os.ReadFile("testdata/acp/client.mjs")
	require.NoError(t, err)
	h := newHome(t, map[string]string{"a.txt": "one\n", "../.gemini/settings.json": `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "guard",
		"command": "case $(cat) in *c.txt*) echo 'not c.txt' >&2; exit 2 ;; esac"}]}]}}`, "../client.mjs": string(script)})
	args := append([]string{h.dir + "/client.mjs", folder, h.workspace, binary, "--acp"}, h.answersFile(t,
		`call replace {"file_path": "a.txt", "instruction": "i", "old_string": "one", "new_string": "two"}`,
		`call write_file {"file_path": "b.txt", "content": "x"}`, "say Half of it.",
		`call write_file {"file_path": "c.txt", "content": "x"}`, "say It is refused.")...)
	cmd := exec.CommandContext(waittest.Lifetime(t), node, args...)
	cmd.Env = []string{"HOME=" + h.dir, "PATH=" + os.Getenv("PATH")}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", out, stderr.String())

	type said struct {
		What  string
		Value json.RawMessage
	}
	count := map[string]int{}
	var updates strings.Builder
	for line := range strings.Lines(string(out)) {
		var s said
		require.NoError(t, json.Unmarshal([]byte(line), &s), line)
		count[s.What]++
		updates.WriteString(line)
	}
	all := updates.String()
	assert.Equal(t, map[string]int{"initialized": 1, "made": 1, "asked": 2, "prompted": 2, "listed": 1, "loaded": 1, "exit": 2, "update": count["update"]}, count)
	assert.Equal(t, 2, strings.Count(all, `{"what":"exit","value":0}`))
	assert.Equal(t, 2, strings.Count(all, `"stopReason":"end_turn"`))
	for _, want := range []string{
		`"agentInfo":{"name":"minigem"`, `"currentModeId":"default"`, `"type":"diff"`, `"oldText":"one\n"`, `"newText":"two\n"`, `"sessionUpdate":"agent_message_chunk"`,
		`Tool execution blocked: not c.txt`, `[Operation Cancelled]`, `"sessionUpdate":"user_message_chunk"`, `"sessionUpdate":"available_commands_update"`,
		`"title":"Change the files"`,
	} {
		assert.Contains(t, all, want)
	}
	assert.Equal(t, "two\n", h.read(t, "a.txt"))
	assert.NoFileExists(t, h.workspace+"/b.txt")
	assert.NoFileExists(t, h.workspace+"/c.txt")
	assert.NotContains(t, stderr.String(), "rror", "the SDK takes all that minigem sends")
}

package skills

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/transcript"
)

// TestActivated checks which skills a session's file says were active. Gemini CLI
// records only the calls.
func TestActivated(t *testing.T) {
	t.Parallel()
	call := func(name, skill, status string) transcript.Message {
		return transcript.Message{
			ToolCalls: []transcript.ToolCall{{Name: name, Args: map[string]any{"name": skill}, Status: status}}}
	}
	assert.Equal(t, []string{"noted", "called"}, activated(&transcript.File{
		Activity: []transcript.Raw{`{"event":"BeforeTool"}`, `{"activated":"noted"}`, `[]`, `{"activated":""}`},
		Messages: []transcript.Message{
			{}, call("activate_skill", "called", "success"), call("activate_skill", "noted", "success"),
			call("activate_skill", "refused", "error"), call("read_file", "other", "success"),
			{ToolCalls: []transcript.ToolCall{{Name: "activate_skill", Args: map[string]any{"name": 7}, Status: "success"}}},
		},
	}))
}

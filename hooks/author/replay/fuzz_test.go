package replay_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/hooks/author/replay"
)

// FuzzRead checks that any file yields steps of known kinds, no more than it has room
// for, or an error that names the file.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{"type":"user","sessionId":"s","message":{"content":"hello"}}` + "\n" + `{"type":"assistant","message":{"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"Bash","input":{"command":"ls"}}]}}` + "\n" +
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":"hook error: no"}]}}` + "\n",
		user("1", "hello") + "\n" + model("2", "hi", "") + "\n", `{"type":"user","message":null}`, `{"type":"assistant","message":{"content":[null,{"type":"tool_use"}]}}`, `null`, `{"sessionId":"s","type":"user","message":{"content":"a"},"hook_event_name":"BeforeModel","llm_request":5}`, `{"sessionId":"x","messages":[null]}`, "",
	} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "session.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		s, err := replay.Read(path)
		if err != nil {
			require.ErrorContains(t, err, path)
			return
		}
		require.LessOrEqual(t, len(s.Steps), len(data))
		text := 0
		for _, step := range s.Steps {
			require.Contains(t, []replay.Kind{replay.KindPrompt, replay.KindCall, replay.KindAnswer}, step.Kind)
			text += len(step.Text)
		}
		require.LessOrEqual(t, text, 4*len(data)) // an invalid byte becomes three
		for _, event := range []string{"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel"} {
			payload, err := s.Payload([]byte(`{"hook_event_name":"`+event+`"}`), "")
			require.True(t, err != nil || json.Valid(payload), "%q", payload)
		}
		_, _ = s.Payload(data, "") // it must not panic
	})
}

package transcript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/redact"
	"minigem/llm"
)

// saidIn returns the content of a copy, one line of words for each of its lines.
func saidIn(t *testing.T, path string) (out []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	ids := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		var l struct {
			Type, UUID, ParentUUID string
			Message                struct{ Content any }
		}
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		assert.True(t, l.ParentUUID == "" || ids[l.ParentUUID], "the parent of %s is in the file", line)
		assert.False(t, ids[l.UUID], "%s is there twice", line)
		ids[l.UUID] = true
		what, err := json.Marshal(l.Message.Content)
		require.NoError(t, err)
		out = append(out, l.Type+" "+string(what))
	}
	return out
}

// The copy follows the session: calls are in it before they have a result, nothing is
// written twice, and nothing is removed.
func TestClaudeCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := Create(filepath.Join(dir, "session-1.jsonl"), Meta{SessionID: "s"}, redact.NewMask([]string{"a-secret-of-mine"}).Bytes)
	require.NoError(t, err)
	defer func() { _ = w.Close() }()
	c := ClaudeCopy{From: w.Path(), To: filepath.Join(dir, "s", "s.jsonl"), Session: "s", Cwd: "/w", Tool: func(_ string, args map[string]any) (string, map[string]any) { return "Bash", args }}
	user := func(id, text string) Message {
		return Message{ID: id, Type: TypeUser, Content: Content{Parts: []llm.Part{llm.Text{Text: text}}}}
	}
	model := Message{ID: "m1", Type: TypeGemini, Content: Content{Parts: []llm.Part{llm.Text{Text: "I look"}}}, Thoughts: []Thought{{Subject: "Plan", Description: "look"}}}
	call := llm.ToolCall{ID: "run_shell_command__1", Name: "run_shell_command", Args: map[string]any{"command": "ls"}}
	require.NoError(t, w.Append(Set{Messages: []Message{user(PreambleID, "surroundings")}}, user("u1", "hello a-secret-of-mine"), model, Exact{ID: "m1", Parts: []llm.Part{call}}))
	require.NoError(t, c.Make())
	want := []string{
		`user "hello [REDACTED]"`, `assistant [{"signature":"","thinking":"Plan\nlook","type":"thinking"}]`, `assistant [{"text":"I look","type":"text"}]`,
		`assistant [{"id":"1","input":{"command":"ls"},"name":"Bash","type":"tool_use"}]`,
	}
	got := saidIn(t, c.To)
	require.NotEmpty(t, got)
	assert.NotContains(t, got[0], "a-secret-of-mine")
	want[0] = got[0]
	assert.Equal(t, want, got)

	answered := model
	answered.ToolCalls = []ToolCall{{ID: call.ID, Name: call.Name, Args: call.Args, Status: "success", Result: MakeParts(llm.ToolResult{ID: call.ID, Name: call.Name, Response: map[string]any{"output": "a.txt"}})}}
	require.NoError(t, w.Append(Finished{ID: "m1", Call: answered.ToolCalls[0]}))
	require.NoError(t, c.Make())
	result := `user [{"content":"a.txt","is_error":false,"tool_use_id":"1","type":"tool_result"}]`
	want = append(want, result)
	assert.Equal(t, want, saidIn(t, c.To))

	require.NoError(t, w.Append(answered, user("u2", "no"), Rewind{To: "u2"}, user("u3", "yes")))
	require.NoError(t, c.Make())
	want = append(want, `user "no"`, `user "yes"`)
	assert.Equal(t, want, saidIn(t, c.To))

	require.NoError(t, w.Append(Set{Messages: []Message{user("s1", "what was said")}}))
	require.NoError(t, c.Make())
	want = append(want, `system null`, `user "what was said"`)
	assert.Equal(t, want, saidIn(t, c.To))

	again := ClaudeCopy{From: c.From, To: c.To, Session: "s", Cwd: "/w", Tool: c.Tool}
	before, err := os.ReadFile(c.To)
	require.NoError(t, err)
	require.NoError(t, again.Make())
	after, err := os.ReadFile(c.To)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after), "a copy that is made again is the same")
}

// FuzzClaudeCopy checks that, for any file, the copy is lines of JSON without
// duplicates, and that each line's parent comes before it.
func FuzzClaudeCopy(f *testing.F) {
	f.Add(`{"id":"a","type":"user","content":"hi"}` + "\n" + `{"$rewindTo":"a"}` + "\n" + `{"$set":{"messages":[{"id":"b","type":"user","content":"x"}]}}` + "\n")
	f.Add(`{"minigem":{"message":{"id":"m","parts":[{"functionCall":{"id":"c","name":"f","args":{}}}]}}}` + "\n")
	f.Add(`{"minigem":{"toolCall":{"call":{"id":"c","name":"f","status":"error"}}}}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
		require.NoError(t, os.WriteFile(from, []byte(text), 0o600))
		require.NoError(t, ClaudeCopy{From: from, To: to, Session: "s"}.Make())
		saidIn(t, to)
	})
}

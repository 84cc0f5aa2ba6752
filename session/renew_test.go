package session

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/llm"
	"minigem/transcript"
)

// TestRenew checks that the first message is replaced, in the file too, and that slices
// that were handed out before do not change.
func TestRenew(t *testing.T) {
	t.Parallel()
	o := options(t)
	text := "old"
	o.Preamble = func() string { return text }
	s := begin(t, o)
	s.Append(llm.UserText("hi"))
	before := s.Messages()
	text = "new"
	s.Renew()
	want := []llm.Message{llm.UserText("new"), llm.UserText("hi")}
	assert.Equal(t, want, s.Messages())
	assert.Equal(t, 1, s.Preamble())
	assert.Equal(t, "old", llm.PartsText(before[0].Parts))
	f, err := transcript.Read(s.Path())
	require.NoError(t, err)
	require.Len(t, f.Messages, 2)
	assert.Equal(t, transcript.PreambleID, f.Messages[0].ID)
	assert.Equal(t, "new", llm.PartsText(f.Messages[0].Content.Parts))

	text = ""
	s.Renew()
	assert.Equal(t, want, s.Messages(), "nothing to say is no reason to forget")
	s.Rollback(0)
	text = "newer"
	s.Renew()
	assert.Empty(t, s.Messages())
}

// TestReplaceKeepsWhatToolsShowed checks that the file keeps what the history does not
// know about a call when the history is replaced.
func TestReplaceKeepsWhatToolsShowed(t *testing.T) {
	t.Parallel()
	s := begin(t, options(t))
	call := llm.ToolCall{ID: "c", Name: "replace", Args: map[string]any{"a": "b"}}
	result := llm.ToolResult{ID: "c", Name: "replace", Response: map[string]any{"output": "done"}}
	s.Append(llm.UserText("go"))
	s.Append(llm.Message{Role: llm.RoleModel, Parts: []llm.Part{call}})
	s.Emit(event.ToolFinished{Record: event.ToolRecord{Call: call, Args: call.Args, Result: result, Status: event.ToolSuccess,
		Display: map[string]any{"filePath": "/x"}, DisplayName: "Edit"}})
	s.Append(llm.Message{Role: llm.RoleUser, Parts: []llm.Part{result}})
	s.Replace(s.Messages()[1:])
	f, err := s.Transcript()
	require.NoError(t, err)
	require.Len(t, f.Messages, 3)
	require.Len(t, f.Messages[1].ToolCalls, 1)
	kept := f.Messages[1].ToolCalls[0]
	assert.Equal(t, transcript.Raw(`{"filePath":"/x"}`), kept.ResultDisplay)
	assert.Equal(t, "Edit", kept.DisplayName)

	assert.False(t, s.RollbackTo("nope"))
	assert.False(t, s.RollbackTo(""))
	require.True(t, s.RollbackTo(f.Messages[1].ID))
	assert.Equal(t, []llm.Message{llm.UserText("go")}, s.Messages())
}

// TestTranscriptWithoutAFile checks that it is made from the history.
func TestTranscriptWithoutAFile(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Warn = nil
	require.NoError(t, os.RemoveAll(o.Project.Temp))
	require.NoError(t, os.WriteFile(o.Project.Temp, nil, 0o600))
	s := begin(t, o)
	require.Empty(t, s.Path())
	s.Append(llm.UserText("go"))
	f, err := s.Transcript()
	require.NoError(t, err)
	require.Len(t, f.Messages, 2)
	assert.Equal(t, "go", llm.PartsText(f.Messages[1].Content.Parts))
	assert.True(t, s.RollbackTo(f.Messages[1].ID))
	assert.Len(t, s.Messages(), 1)
}

// TestADeletedFileKeepsTheAnswersOfABatch checks that, while calls of a batch are still
// running, a rewritten file has the results so far.
func TestADeletedFileKeepsTheAnswersOfABatch(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Warn = func(error) {}
	s := begin(t, o)
	s.Append(llm.UserText("go"))
	var calls []llm.Part
	for _, id := range []string{"a", "b", "c"} {
		calls = append(calls, llm.ToolCall{ID: id, Name: "glob", Args: map[string]any{}})
	}
	s.Append(llm.Message{Role: llm.RoleModel, Parts: calls})
	finish := func(i int) {
		call := calls[i].(llm.ToolCall)
		result := llm.ToolResult{ID: call.ID, Name: call.Name, Response: map[string]any{"output": "found " + call.ID}}
		s.Emit(event.ToolFinished{Record: event.ToolRecord{Call: call, Args: call.Args, Result: result, Status: event.ToolSuccess}})
	}
	finish(0)
	require.NoError(t, os.Remove(s.Path()))
	finish(1)
	f, err := transcript.Read(s.Path())
	require.NoError(t, err)
	var answered []string
	for _, c := range f.Messages[len(f.Messages)-1].ToolCalls {
		answered = append(answered, c.ID)
	}
	assert.Equal(t, []string{"a", "b"}, answered)
}

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/transcript"
)

// TestFirstPromptOfALargeSession: a prompt that resumes a session of 193 MB takes at most
// twice the file's size in memory, for the whole process.
func TestFirstPromptOfALargeSession(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 193 MB")
	}
	t.Parallel()
	h := newHome(t, nil)
	size := writeLargeSession(t, filepath.Join(h.project(t).Chats(), "session-2026-01-01T10-00-11111111.jsonl"))
	cmd, out, errOut := h.command(t, run{
		Args: append(h.answersFile(t, "say Hi."), "-r", "latest", "-p", "go on"),
		Env:  []string{"GOMEMLIMIT=off"}, // as for a user
	})
	peak := measured(t, cmd)
	require.NoError(t, cmd.Run(), "%s%s", out, errOut)
	require.Contains(t, out.String(), "Hi.")
	require.NotContains(t, errOut.String(), "a new one begins")
	ratio := float64(peak()<<20) / float64(size)
	t.Logf("%.2f of the size of the file", ratio)
	assert.Less(t, ratio, 2.0)
}

// writeLargeSession writes rounds of a prompt, a call and 8 KB of output, which the file
// contains twice, and returns the size of the file.
func writeLargeSession(t *testing.T, path string) (size int64) {
	t.Helper()
	at := transcript.At(time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC))
	w, err := transcript.Create(path, transcript.Meta{SessionID: "11111111-aaaa", StartTime: at, LastUpdated: at, Kind: transcript.KindMain}, nil)
	require.NoError(t, err)
	output := strings.Repeat("a line of \"source code\" as a tool finds it\n", 180)
	result := llm.ToolResult{ID: "c1", Name: "read_file", Response: map[string]any{"output": output}}
	said := func(kind transcript.Type, parts ...llm.Part) transcript.Message {
		return transcript.Message{ID: uuid.NewString(), Timestamp: at, Type: kind, Content: transcript.Content{Parts: parts}}
	}
	for size < 193_000_000 {
		var records []transcript.Record
		for range 500 {
			answer := said(transcript.TypeGemini, llm.Text{Text: "I read it."})
			answer.ToolCalls = []transcript.ToolCall{{
				ID: "c1", Name: "read_file", Args: map[string]any{"file_path": "a.go"}, Result: transcript.MakeParts(result), Status: "success",
			}}
			records = append(records, said(transcript.TypeUser, llm.Text{Text: "go on"}), answer, said(transcript.TypeUser, result))
		}
		require.NoError(t, w.Append(records...))
		stat, err := os.Stat(path)
		require.NoError(t, err)
		size = stat.Size()
	}
	require.NoError(t, w.Close())
	return size
}

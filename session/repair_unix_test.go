//go:build unix

package session

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/thorough"
	"minigem/llm"
	"minigem/transcript"
)

// damaged are first lines that are no longer a header.
var damaged = map[string]func(header string) string{
	"cut":     func(h string) string { return h[:len(h)/2] },
	"zeros":   func(h string) string { return strings.Repeat("\x00", len(h)) },
	"gone":    func(string) string { return "" },
	"another": func(string) string { return `{"sessionId": 7}` },
	"quote":   func(h string) string { return strings.Replace(h, `"`, "", 1) },
}

// TestDamagedHeader checks that a session with a damaged first line is listed, found by
// its id and resumed, each with a warning. No new session replaces it, retention keeps
// it, and the next program finds a whole header.
func TestDamagedHeader(t *testing.T) {
	t.Parallel()
	for name, damage := range damaged {
		for _, outputs := range []bool{false, true} { // of tools, whose folder has the whole id
			o := options(t)
			o.NewID = uuid.NewString
			s, err := Start(o)
			require.NoError(t, err)
			id, path := s.ID(), s.Path()
			s.Append(llm.UserText("remember this"))
			s.Append(llm.Message{Role: llm.RoleModel, Parts: []llm.Part{llm.Text{Text: "I do."}}})
			s.End(context.Background(), "exit")
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			header, rest, _ := strings.Cut(string(data), "\n")
			require.NoError(t, os.WriteFile(path, []byte(damage(header)+"\n"+rest), 0o600))
			want := id
			if outputs {
				require.NoError(t, os.MkdirAll(ToolOutputs(o.Project, id), 0o700))
			} else {
				want = id[:min(8, len(id))]
			}

			infos, err := List(o.Project)
			assert.ErrorContains(t, err, "the first line of this session is damaged", name)
			require.Len(t, infos, 1, name)
			assert.Equal(t, want, infos[0].ID, name)
			assert.Equal(t, "remember this", infos[0].Title)
			assert.False(t, infos[0].Started.IsZero())
			_, err = Find(o.Project, want)
			require.NoError(t, err, name)
			removed, err := Clean(context.Background(), o.Project, Retention{MinRetention: "1h"}, "",
				infos[0].Updated.Add(100*60*60*1e9))
			require.NoError(t, err)
			assert.Empty(t, removed, name)

			var warnings []string
			o.Warn = func(err error) { warnings = append(warnings, err.Error()) }
			resumed, err := Continue(o)
			require.NoError(t, err)
			assert.Equal(t, want, resumed.ID(), name)
			assert.Equal(t, path, resumed.Path(), name)
			assert.Contains(t, strings.Join(warnings, "\n"), "the first line of this session is damaged", name)
			assert.Contains(t, texts(resumed.Messages()), "remember this", name)
			resumed.End(context.Background(), "exit")

			infos, err = List(o.Project)
			require.NoError(t, err, "the header is whole again")
			require.Len(t, infos, 1)
			assert.Equal(t, want, infos[0].ID)
		}
	}
}

func texts(ms []llm.Message) (all string) {
	for _, m := range ms {
		all += m.Text() + "\n"
	}
	return all
}

// TestContinueNamesWhatItCannotRead checks that a new session begins with a warning.
func TestContinueNamesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	o := options(t)
	require.NoError(t, os.MkdirAll(o.Project.Chats(), 0o700))
	path := filepath.Join(o.Project.Chats(), "session-2026-01-01T10-00-11111111.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("nothing of a session\n"), 0o600))
	var warnings []string
	o.Warn = func(err error) { warnings = append(warnings, err.Error()) }
	s, err := Continue(o)
	require.NoError(t, err)
	defer s.End(context.Background(), "exit")
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "a new session begins")
	assert.Contains(t, warnings[0], path)
}

var largeAt = time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)

const memoryChild = "SESSION_TEST_MEMORY"

// TestMemoryOfLargeSessions checks, for a whole process, that listing a session of 193
// MB takes at most 64 MB, and resuming it at most twice its size.
func TestMemoryOfLargeSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 193 MB")
	}
	if thorough.Race {
		t.Skip("the race detector takes more memory than the session: .ci/run runs this without it")
	}
	if runtime.GOOS != "linux" {
		t.Skip("peaks are in other units here")
	}
	const size = 193_000_000
	if dir := os.Getenv(memoryChild); dir != "" {
		p, err := OpenProject(filepath.Join(dir, ".gemini"), dir)
		require.NoError(t, err)
		if os.Getenv(memoryChild+"_DO") == "list" {
			infos, err := List(p)
			require.NoError(t, err)
			require.Len(t, infos, 1)
			return
		}
		s, err := Resume(Options{Project: p}, Latest)
		require.NoError(t, err)
		require.Greater(t, len(s.Messages()), 1000)
		return
	}
	dir := t.TempDir()
	p, err := OpenProject(filepath.Join(dir, ".gemini"), dir)
	require.NoError(t, err)
	writeLarge(t, filepath.Join(p.Chats(), "session-2026-01-01T10-00-11111111.jsonl"), size)
	for do, most := range map[string]int64{"list": 64_000_000, "resume": 2 * size} {
		child := exec.Command(os.Args[0], "-test.run=^TestMemoryOfLargeSessions$")
		child.Env = append(os.Environ(), memoryChild+"="+dir, memoryChild+"_DO="+do)
		out, err := child.CombinedOutput()
		require.NoError(t, err, string(out))
		usage, ok := child.ProcessState.SysUsage().(*syscall.Rusage)
		require.True(t, ok)
		peak := usage.Maxrss << 10
		t.Logf("%s: %d MB at the peak, %d MB allowed", do, peak/1_000_000, most/1_000_000)
		assert.LessOrEqual(t, peak, most, do)
	}
}

// writeLarge writes rounds of a prompt, a call and 8 KB of output, which is in the file
// twice.
func writeLarge(t *testing.T, path string, size int64) {
	t.Helper()
	meta := transcript.Meta{SessionID: "11111111-aaaa", StartTime: transcript.At(largeAt),
		LastUpdated: transcript.At(largeAt), Kind: transcript.KindMain}
	w, err := transcript.Create(path, meta, nil)
	require.NoError(t, err)
	output := strings.Repeat("a line of \"source code\" as a tool finds it\n", 180)
	for {
		result := llm.ToolResult{ID: "c1", Name: "read_file", Response: map[string]any{"output": output}}
		stat, err := os.Stat(path)
		require.NoError(t, err)
		if stat.Size() > size {
			break
		}
		var records []transcript.Record
		for range 500 {
			g := transcript.Message{ID: uuid.NewString(), Timestamp: transcript.At(largeAt), Type: transcript.TypeGemini,
				Content: transcript.Content{Plain: true, Parts: []llm.Part{llm.Text{Text: "I read it."}}}}
			g.ToolCalls = []transcript.ToolCall{
				{ID: "c1", Name: "read_file", Args: map[string]any{"file_path": "a.go"}, Result: transcript.MakeParts(result),
					Status: "success"}}
			records = append(records,
				transcript.Message{ID: uuid.NewString(), Timestamp: transcript.At(largeAt), Type: transcript.TypeUser,
					Content: transcript.Content{Parts: []llm.Part{llm.Text{Text: "go on"}}}}, g,
				transcript.Message{ID: uuid.NewString(), Timestamp: transcript.At(largeAt), Type: transcript.TypeUser,
					Content: transcript.Content{Parts: []llm.Part{result}}})
		}
		require.NoError(t, w.Append(records...))
	}
	require.NoError(t, w.Close())
}

package transcript

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/llm"
)

// writeLong writes a session of about the given size: rounds with one call and 8 KB of
// output, which is in the file twice.
func writeLong(tb testing.TB, size int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "long.jsonl")
	w, err := Create(path, meta("s"), nil)
	require.NoError(tb, err)
	output := strings.Repeat("a line of \"source code\" as a tool finds it\n", 180)
	for i, written := 0, 0; written < size; i++ {
		id := fmt.Sprintf("read_file__%d", i)
		result := llm.ToolResult{ID: id, Name: "read_file", Response: map[string]any{"output": output}}
		g := modelMessage(fmt.Sprintf("g%d", i), "I will read it.")
		require.NoError(tb, w.Append(g, Set{LastUpdated: t0}))
		g.ToolCalls = []ToolCall{
			{ID: id, Name: "read_file", Args: map[string]any{"file_path": "a.go"}, Result: MakeParts(result), Status: "success",
				Timestamp: t0, ResultDisplay: ""}}
		u := Message{ID: fmt.Sprintf("u%d", i), Timestamp: t0, Type: TypeUser, Content: Content{Parts: []llm.Part{result}}}
		require.NoError(tb, w.Append(g, u, Set{LastUpdated: t0}))
		written += len(w.buf)
	}
	require.NoError(tb, w.Close())
	return path
}

func BenchmarkRead50MB(b *testing.B) {
	path := writeLong(b, 50<<20)
	b.SetBytes(50 << 20)
	for b.Loop() {
		f, err := Read(path)
		require.NoError(b, err)
		require.Greater(b, len(f.Messages), 1000)
	}
}

// Reading allocates less than three and a half times the file's size, a third of which
// is garbage at once.
func TestReadMemory(t *testing.T) {
	const size = 10 << 20
	path := writeLong(t, size)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f, err := Read(path)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.NotEmpty(t, f.Messages)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(7*size/2))
}

// Appending costs the same for the first record and for the ten thousandth.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 10_000} {
		b.Run(fmt.Sprintf("record %d", n), func(b *testing.B) {
			w, err := Create(filepath.Join(b.TempDir(), "s.jsonl"), meta("s"), nil)
			require.NoError(b, err)
			for range n {
				require.NoError(b, w.Append(userMessage("u", "a prompt of some length"), Set{LastUpdated: t0}))
			}
			for b.Loop() {
				require.NoError(b, w.Append(userMessage("u", "a prompt of some length"), Set{LastUpdated: t0}))
			}
			require.NoError(b, w.Close())
		})
	}
}

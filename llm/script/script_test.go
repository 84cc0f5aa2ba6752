package script_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/llm/script"
)

func text(s string) llm.Chunk {
	return llm.Chunk{Parts: []llm.Part{llm.Text{Text: s}}, FinishReason: "STOP"}
}

func ask(s string) llm.Request { return llm.Request{Messages: []llm.Message{llm.UserText(s)}} }

func collect(seq iter.Seq2[llm.Chunk, error]) ([]llm.Chunk, error) {
	var chunks []llm.Chunk
	for c, err := range seq {
		if err != nil {
			return chunks, err
		}
		chunks = append(chunks, c)
	}
	return chunks, nil
}

func TestParse(t *testing.T) {
	t.Parallel()
	in := `{"method":"generateContentStream","response":[{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}]}

{"method":"generateContent","response":{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}}
  {"method":"countTokens","response":{"totalTokens":7}}
{"method":"generateContentStream","response":[]}
{"method":"embedContent","response":{"embeddings":[]}}
{"method":"generateContentStream","fault":{"status":503}}`
	entries, err := script.Parse("x.jsonl", strings.NewReader(in))
	require.NoError(t, err)
	assert.Equal(t, []script.Entry{
		{Method: script.Stream, Chunks: []llm.Chunk{text("a")}, File: "x.jsonl", Line: 1},
		{Method: script.Whole, Chunks: []llm.Chunk{text("b")}, File: "x.jsonl", Line: 3},
		{Method: script.Count, Tokens: 7, File: "x.jsonl", Line: 4},
		{Method: script.Stream, Chunks: []llm.Chunk{}, File: "x.jsonl", Line: 5},
		{Method: script.Embed, File: "x.jsonl", Line: 6},
		{Method: script.Stream, Chunks: []llm.Chunk{}, Fault: []byte(`{"status":503}`), File: "x.jsonl", Line: 7},
	}, entries)
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	const good = `{"method":"countTokens","response":{"totalTokens":7}}` + "\n"
	tests := []struct{ name, in, want string }{
		{"not JSON", good + "\n{oops}\n", "reading scripted answers: f:3: invalid character 'o'"},
		{"cut off", good + `{"method":"generateContent`, "f:2: unexpected end of JSON input"},
		{"no method", `{"response":{}}`, `f:1: "method" is ""; known are generateContentStream, `},
		{"unknown method", `{"method":"generate","response":{}}`, `f:1: "method" is "generate"`},
		{"no response", `{"method":"generateContent"}`, `f:1: "response" is missing`},
		{"a stream that is not an array", `{"method":"generateContentStream","response":{}}`, `f:1: "response" of generateContentStream must be an array`},
		{"a broken part", `{"method":"generateContent","response":{"candidates":[{"content":{"parts":[{"text":1}]}}]}}`, "f:1: reading response: "},
		{"a broken count", `{"method":"countTokens","response":{"totalTokens":"many"}}`, "f:1: reading count: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := script.Parse("f", strings.NewReader(tt.in))
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, err := script.Open(filepath.Join(t.TempDir(), "none"), false)
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "opening scripted answers: ")
}

func TestWriteIsReadBack(t *testing.T) {
	t.Parallel()
	entries := []script.Entry{script.Streamed(text("a <b>"), text("c")), script.Streamed(), script.Answered(text("d")), script.Counted(3)}
	var b bytes.Buffer
	require.NoError(t, script.Write(&b, entries))
	got, err := script.Parse("", &b)
	require.NoError(t, err)
	for i := range got {
		got[i].Line = 0
	}
	entries[1].Chunks = []llm.Chunk{}
	assert.Equal(t, entries, got)
}

func TestAnEmptyScriptIsValid(t *testing.T) {
	t.Parallel()
	entries, err := script.Parse("f", strings.NewReader("\n \n"))
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestStrict(t *testing.T) {
	t.Parallel()
	entries, err := script.Parse("f", strings.NewReader(`{"method":"generateContentStream","response":[{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}]}
{"method":"generateContent","response":{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}}
{"method":"countTokens","response":{"totalTokens":7}}
`))
	require.NoError(t, err)
	m := script.New(entries, false)
	ctx := t.Context()

	_, err = m.Generate(ctx, ask("too early"))
	assert.Equal(t, &llm.Error{
		Kind:    llm.ErrScript,
		Message: "request 1 is a generateContent, but the next answer (f:1) is for generateContentStream",
		Hint:    `add a generateContent line before it, or use --fake-responses-non-strict; the request ends with {"parts":[{"text":"too early"}],"role":"user"}`,
	}, err)

	chunks, err := collect(m.Stream(ctx, ask("x")))
	require.NoError(t, err, "the entry that did not fit is still there")
	assert.Equal(t, []llm.Chunk{text("a")}, chunks)
	c, err := m.Generate(ctx, ask("x"))
	require.NoError(t, err)
	assert.Equal(t, text("b"), c)
	n, err := m.CountTokens(ctx, ask("x"))
	require.NoError(t, err)
	assert.Equal(t, 7, n)
	assert.Zero(t, m.Left())

	_, err = collect(m.Stream(ctx, ask(strings.Repeat("é", 400))))
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "request 5 (generateContentStream) has no answer left in f (answers used: 3)", e.Message)
	assert.Regexp(t, `^add an answer \(in JSON, a generateContentStream line\); the request ends with \{"parts":\[\{"text":"é+\.\.\. \(\d+ bytes more\)$`, e.Hint)
}

func TestNonStrictTakesTheFirstThatFits(t *testing.T) {
	t.Parallel()
	m := script.New([]script.Entry{script.Streamed(text("1")), script.Answered(text("2")), script.Streamed(text("3"))}, true)
	c, err := m.Generate(t.Context(), ask("x"))
	require.NoError(t, err)
	assert.Equal(t, text("2"), c)
	for _, want := range []string{"1", "3"} {
		chunks, err := collect(m.Stream(t.Context(), ask("x")))
		require.NoError(t, err)
		assert.Equal(t, []llm.Chunk{text(want)}, chunks)
	}
	_, err = m.CountTokens(t.Context(), llm.Request{})
	assert.EqualError(t, err, "request 4 (countTokens) has no answer left in the script (answers used: 3): add an answer (in JSON, a countTokens line); the request ends with no message")
}

func TestModelObeysCancellation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := script.New([]script.Entry{script.Streamed(text("1"), text("2"))}, false)
	var got []llm.Chunk
	var last error
	for c, err := range m.Stream(ctx, ask("x")) {
		if err != nil {
			last = err
			break
		}
		got = append(got, c)
		cancel()
	}
	assert.Equal(t, []llm.Chunk{text("1")}, got)
	assert.ErrorIs(t, last, context.Canceled)

	m = script.New([]script.Entry{script.Counted(1)}, false)
	_, err := m.CountTokens(ctx, ask("x"))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, m.Left(), "a cancelled call uses no answer up")
}

func TestModelRefusesFaults(t *testing.T) {
	t.Parallel()
	m := script.New([]script.Entry{{Method: script.Stream, Fault: []byte(`{"status":503}`)}}, false)
	_, err := collect(m.Stream(t.Context(), ask("x")))
	assert.ErrorContains(t, err, `answer 1 has a fault: {"status":503}`)
}

func TestModelIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	const n = 50
	var entries []script.Entry
	for i := range n {
		entries = append(entries, script.Counted(i), script.Answered(text(fmt.Sprint(i))))
	}
	m := script.New(entries, true)
	seen := make([]bool, n)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			i, err := m.CountTokens(t.Context(), ask("x"))
			assert.NoError(t, err)
			_, err = m.Generate(t.Context(), ask("x"))
			assert.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			assert.False(t, seen[i], "answer %d was given twice", i)
			seen[i] = true
		})
	}
	wg.Wait()
	assert.Zero(t, m.Left())
}

// broken fails after its first chunk.
type broken struct{ llm.Provider }

func (broken) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if yield(text("partial"), nil) {
			yield(llm.Chunk{}, errors.New("cut"))
		}
	}
}

func (broken) Generate(context.Context, llm.Request) (llm.Chunk, error) {
	return llm.Chunk{}, errors.New("no")
}

func record(t *testing.T, model llm.Provider, mask func(string) string, calls func(*script.Recorder)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rec.jsonl")
	r, err := script.Record(model, path, mask)
	require.NoError(t, err)
	calls(r)
	require.NoError(t, r.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	if info, err := os.Stat(path); runtime.GOOS != "windows" && assert.NoError(t, err) {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	return string(data)
}

func TestRecorderWritesWhatCanBeReplayed(t *testing.T) {
	t.Parallel()
	full := llm.Chunk{Parts: []llm.Part{llm.ToolCall{Name: "x", Args: map[string]any{"a": "b"}, Signature: []byte("s")}}, FinishReason: "STOP",
		Usage: &llm.Usage{Prompt: 1, Total: 1}, ModelVersion: "m", ResponseID: "r"}
	entries := []script.Entry{script.Streamed(text("a"), full), script.Answered(text("b")), script.Counted(4)}
	got := record(t, script.New(entries, false), nil, func(r *script.Recorder) {
		chunks, err := collect(r.Stream(t.Context(), ask("x")))
		require.NoError(t, err)
		assert.Equal(t, entries[0].Chunks, chunks, "the recorder changes nothing on the way")
		_, err = r.Generate(t.Context(), ask("x"))
		require.NoError(t, err)
		_, err = r.CountTokens(t.Context(), ask("x"))
		require.NoError(t, err)
	})
	replay, err := script.Parse("", strings.NewReader(got))
	require.NoError(t, err)
	full.ModelVersion, full.ResponseID = "", ""
	want := []script.Entry{script.Streamed(text("a"), full), script.Answered(text("b")), script.Counted(4)}
	for i := range want {
		want[i].Line = i + 1
	}
	assert.Equal(t, want, replay)
}

func TestRecorderLeavesFailuresOut(t *testing.T) {
	t.Parallel()
	got := record(t, broken{}, nil, func(r *script.Recorder) {
		chunks, err := collect(r.Stream(t.Context(), ask("x")))
		assert.EqualError(t, err, "cut")
		assert.Equal(t, []llm.Chunk{text("partial")}, chunks)
		_, err = r.Generate(t.Context(), ask("x"))
		assert.EqualError(t, err, "no")
	})
	assert.Empty(t, got)
}

func TestRecorderKeepsWhatAnEarlyStopHadRead(t *testing.T) {
	t.Parallel()
	m := script.New([]script.Entry{script.Streamed(text("a"), text("b"))}, false)
	got := record(t, m, nil, func(r *script.Recorder) {
		for range r.Stream(t.Context(), ask("x")) {
			break
		}
	})
	assert.Contains(t, got, `"a"`)
	assert.NotContains(t, got, `"b"`)
}

func TestRecorderMasksSecrets(t *testing.T) {
	t.Parallel()
	mask := strings.NewReplacer("hunter2", "***").Replace
	args := llm.Chunk{Parts: []llm.Part{llm.ToolCall{Name: "x", Args: map[string]any{"a": "hunter2"}}}}
	entries := []script.Entry{
		script.Answered(text("number 2, plain hunter2")), script.Streamed(text("whole hunter2, "), text("no secret")),
		script.Streamed(text("hun"), text("ter"), text("2, split")), script.Streamed(args),
	}
	got := record(t, script.New(entries, false), mask, func(r *script.Recorder) {
		c, err := r.Generate(t.Context(), ask("x"))
		require.NoError(t, err)
		assert.Equal(t, "number 2, plain hunter2", c.Text(), "the consumer sees the answer as it is")
		for _, e := range entries[1:] {
			chunks, err := collect(r.Stream(t.Context(), ask("x")))
			require.NoError(t, err)
			assert.Equal(t, e.Chunks, chunks)
		}
	})
	replay, err := script.Parse("", strings.NewReader(got))
	require.NoError(t, err)
	var texts []string
	for _, e := range replay[:3] {
		for _, c := range e.Chunks {
			texts = append(texts, c.Text())
		}
	}
	assert.Equal(t, []string{"number 2, plain ***", "whole ***, ", "no secret", "***, split", "", ""}, texts)
	assert.NotContains(t, got, "hunter2")
}

func TestRecorderAppends(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rec.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("\n"), 0o600))
	r, err := script.Record(script.New([]script.Entry{script.Counted(1)}, false), path, nil)
	require.NoError(t, err)
	_, err = r.CountTokens(t.Context(), ask("x"))
	require.NoError(t, err)
	require.NoError(t, r.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "\n"+`{"method":"countTokens","response":{"totalTokens":1}}`+"\n", string(data))

	_, err = script.Record(nil, filepath.Join(path, "x"), nil)
	assert.ErrorContains(t, err, "opening recording: ")
}

package transcript

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/redact"
	"minigem/llm"
)

var t0 = At(time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC))

func userMessage(id, text string) Message {
	return Message{ID: id, Timestamp: t0, Type: TypeUser, Content: Content{Parts: []llm.Part{llm.Text{Text: text}}}}
}

func modelMessage(id, text string) Message {
	return Message{ID: id, Timestamp: t0, Type: TypeGemini, Content: Content{Parts: []llm.Part{llm.Text{Text: text}},
		Plain: true},
		Thoughts: []Thought{}, Tokens: &Tokens{Input: 1, Output: 2, Total: 3}, Model: "m"}
}

func meta(id string) Meta {
	return Meta{SessionID: id, ProjectHash: "h", StartTime: t0, LastUpdated: t0, Kind: KindMain}
}

func writeFile(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600))
	return path
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
}

// A message read from a recording of Gemini CLI is written again byte for byte.
func TestShapeOfRecords(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/one-call.jsonl")
	require.NoError(t, err)
	messages := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, `{"id"`) {
			continue
		}
		messages++
		got, err := appendLine(nil, decodeMessage(line), nil)
		require.NoError(t, err)
		assert.Equal(t, line+"\n", string(got))
	}
	assert.Equal(t, 5, messages)
}

func TestEncode(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		record Record
		want   string
	}{
		{"metadata", meta("s"),
			`{"sessionId":"s","projectHash":"h","startTime":"2026-01-02T03:04:05.006Z","lastUpdated":"2026-01-02T03:04:05.006Z","kind":"main"}`},
		{"user", userMessage("u", "<a> & b"),
			`{"id":"u","timestamp":"2026-01-02T03:04:05.006Z","type":"user","content":[{"text":"<a> & b"}]}`},
		{"model", modelMessage("g", "hi"),
			`{"id":"g","timestamp":"2026-01-02T03:04:05.006Z","type":"gemini","content":"hi","thoughts":[],"tokens":{"input":1,"output":2,"cached":0,"thoughts":0,"tool":0,"total":3},"model":"m"}`},
		{"time", Set{LastUpdated: t0}, `{"$set":{"lastUpdated":"2026-01-02T03:04:05.006Z"}}`},
		{"all messages", Set{Messages: []Message{userMessage("u", "x")}, LastUpdated: t0},
			`{"$set":{"messages":[{"id":"u","timestamp":"2026-01-02T03:04:05.006Z","type":"user","content":[{"text":"x"}]}],"lastUpdated":"2026-01-02T03:04:05.006Z"}}`},
		{"no messages left", Set{Messages: []Message{}}, `{"$set":{"messages":[]}}`},
		{"rewind", Rewind{To: "u"}, `{"$rewindTo":"u"}`},
		{"exact", Exact{"g", []llm.Part{llm.ToolCall{ID: "c", Name: "n", Signature: []byte("s")}}},
			`{"minigem":{"message":{"id":"g","parts":[{"functionCall":{"id":"c","name":"n"},"thoughtSignature":"cw=="}]}}}`},
		{"activity", Activity{map[string]any{"event": "BeforeTool"}}, `{"minigem":{"hook":{"event":"BeforeTool"}}}`},
		{"an escaped backslash before u003c stays", userMessage("u", `\u003c`),
			`{"id":"u","timestamp":"2026-01-02T03:04:05.006Z","type":"user","content":[{"text":"\\u003c"}]}`},
	}
	for _, c := range cases {
		got, err := appendLine(nil, c.record, nil)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want+"\n", string(got), c.name)
		assert.True(t, json.Valid(got), c.name)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, secret, text, want string }{
		{"plain", "sk-12345678", "key sk-12345678!", "key [REDACTED]!"},
		{"twice", "sk-12345678", "sk-12345678sk-12345678", "[REDACTED][REDACTED]"},
		{"with quotes and angles", `a"b<c>d\e`, `x a"b<c>d\e y`, "x [REDACTED] y"},
		{"too short to be one", "user", "a user", "a user"},
		{"a word of the format", "timestamp", "the timestamp", "the [REDACTED]"},
	}
	for _, c := range cases {
		line, err := appendLine(nil, userMessage("u", c.text), redact.NewMask([]string{c.secret}).Bytes)
		require.NoError(t, err, c.name)
		assert.Equal(t, userMessage("u", c.want), decodeMessage(string(line)), c.name)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	const (
		head = `{"sessionId":"s","projectHash":"h","startTime":"2026-01-02T03:04:05.006Z","lastUpdated":"2026-01-02T03:04:05.006Z","kind":"main"}` + "\n"
		u1   = `{"id":"u1","timestamp":"2026-01-02T03:04:05.006Z","type":"user","content":[{"text":"one"}]}` + "\n"
		u2   = `{"id":"u2","timestamp":"2026-01-02T03:04:05.006Z","type":"user","content":[{"text":"two"}]}` + "\n"
		u3   = `{"id":"u3","timestamp":"2026-01-02T03:04:05.006Z","type":"user","content":[{"text":"three"}]}` + "\n"
		u2b  = `{"id":"u2","timestamp":"2026-01-02T03:04:05.006Z","type":"user","content":[{"text":"zwei"}]}` + "\n"
	)
	cases := []struct {
		name     string
		file     string
		lines    []string
		want     string // the texts
		warnings []string
	}{
		{"in order", "a.jsonl", []string{head, u1, u2}, "one two", nil},
		{"the last of an id wins, in the first one's place", "a.jsonl", []string{head, u1, u2, u3, u2b}, "one zwei three",
			nil},
		{"rewind", "a.jsonl", []string{head, u1, u2, u3, `{"$rewindTo":"u2"}` + "\n"}, "one", nil},
		{"said again after a rewind", "a.jsonl", []string{head, u1, u2, u3, `{"$rewindTo":"u1"}` + "\n", u3, u2}, "three two",
			nil},
		{"a new list", "a.jsonl", []string{head, u1, `{"$set":{"messages":[` + strings.TrimSpace(u3) + `]}}` + "\n", u2},
			"three two", nil},
		{"an empty list", "a.jsonl", []string{head, u1, `{"$set":{"messages":[]}}` + "\n"}, "", nil},
		{"CRLF and empty lines", "a.jsonl", []string{strings.ReplaceAll(head+u1+"\n"+u2, "\n", "\r\n")}, "one two", nil},
		{"no newline at the end", "a.jsonl", []string{head, u1, strings.TrimSpace(u2)}, "one two", nil},
		{"a string for content", "a.jsonl", []string{head, `{"id":"x","type":"user","content":"plain"}` + "\n"}, "plain",
			nil},
		{"ours", "a.jsonl", []string{head, u1, `{"minigem":{"hook":{}}}` + "\n"}, "one", nil},
		{"the older form", "a.json", []string{`{"sessionId":"s","startTime":"2026-01-02T03:04:05.006Z","messages":[` +
			strings.TrimSpace(u1) + "," + strings.TrimSpace(u2) + `]}`}, "one two", nil},
		{"the older form on many lines", "a.json",
			[]string{"{\n \"sessionId\":\"s\",\n \"messages\":[\n" + strings.TrimSpace(u1) + "]\n}\n"}, "one", nil},
		// faults
		{"torn", "a.jsonl", []string{head, u1, u2[:30]}, "one", []string{"3: the last record was cut short, skipped"}},
		{"broken in the middle", "a.jsonl", []string{head, u1[:30] + "\n", u2}, "two", []string{"2: broken record, skipped"}},
		{"torn, then continued", "a.jsonl", []string{head, u1[:30] + u2, u3}, "three", []string{"2: broken record, skipped"}},
		{"unknown", "a.jsonl", []string{head, `{"future":1}` + "\n", u1}, "one", []string{"2: unknown record, skipped"}},
		{"not an object", "a.jsonl", []string{head, "[1]\n", u1}, "one", []string{"2: not a JSON object, skipped"}},
		{"without a type", "a.jsonl", []string{head, `{"id":"x"}` + "\n"}, "",
			[]string{"2: message without a type, skipped"}},
		{"rewind to nowhere", "a.jsonl", []string{head, u1, `{"$rewindTo":"u9"}` + "\n"}, "one",
			[]string{"3: rewinds to a message that is not there, skipped"}},
		{"without metadata", "a.jsonl", []string{u1}, "one", []string{"1: the session's id is missing"}},
	}
	for _, c := range cases {
		path := writeFile(t, c.file, c.lines...)
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		f, err := Read(path)
		require.NoError(t, err, c.name)
		var texts, warnings []string
		for _, m := range f.Messages {
			texts = append(texts, llm.PartsText(m.Content.Parts))
		}
		for _, w := range f.Warnings {
			warnings = append(warnings, strings.TrimPrefix(w.String(), path+":"))
		}
		assert.Equal(t, c.want, strings.Join(texts, " "), c.name)
		assert.Equal(t, c.warnings, warnings, c.name)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, before, after, "%s: the file is not touched", c.name)
	}
}

func TestReadOfAFileThatIsNotASession(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "garbage", `{"a":1}`, "\x00\x01"} {
		_, err := Read(writeFile(t, "a.jsonl", text))
		assert.ErrorIs(t, err, ErrNotSession, "%q", text)
	}
	_, err := Read(filepath.Join(t.TempDir(), "none.jsonl"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chats", "s.jsonl")
	w, err := Create(path, meta("s"), nil)
	require.NoError(t, err)
	call := llm.ToolCall{ID: "n__1", Name: "n", Args: map[string]any{"a": 1.5, "b": []any{"x", nil, true}},
		Signature: []byte("sig")}
	result := llm.ToolResult{ID: "n__1", Name: "n", Response: map[string]any{"output": "o\n\"q\" ü"}}
	g := modelMessage("g", "")
	g.Content.Parts, g.Exact = nil, []llm.Part{call}
	finished := ToolCall{ID: "n__1", Name: "n", Args: call.Args, Result: MakeParts(result), Status: "success",
		Timestamp: t0, ResultDisplay: map[string]any{"summary": "s"}}
	require.NoError(t, w.Append(userMessage("u", "go"), g, Exact{"g", g.Exact}))
	require.NoError(
		t, w.Append(Finished{"g", finished}, Activity{"x"}, Set{Summary: "about", LastUpdated: At(t0.Add(time.Second))}))
	g.ToolCalls = []ToolCall{finished}
	require.NoError(t, w.Append(g))
	require.NoError(t, w.Close())

	f, err := Read(path)
	require.NoError(t, err)
	assert.Equal(t, []llm.Part{result}, f.Messages[1].ToolCalls[0].Result.Decode())
	assert.Equal(t, []llm.Part{result}, f.Finished[0].Call.Result.Decode())
	assert.Equal(t, Raw(`{"summary":"s"}`), f.Messages[1].ToolCalls[0].ResultDisplay)
	g.ToolCalls[0].ResultDisplay, g.ToolCalls[0].Result = f.Messages[1].ToolCalls[0].ResultDisplay,
		f.Messages[1].ToolCalls[0].Result
	m := meta("s")
	m.Summary, m.LastUpdated = "about", At(t0.Add(time.Second))
	f.Finished, f.Size = nil, 0
	assert.Equal(t, &File{Meta: m, Messages: []Message{userMessage("u", "go"), g}, Activity: []Raw{`"x"`}}, f)
}

func TestOpenContinues(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "s.jsonl", `{"sessionId":"s"}`+"\n", `{"id":"torn","ty`)
	w, err := Open(path, nil)
	require.NoError(t, err)
	require.NoError(t, w.Append(userMessage("u", "after")))
	require.NoError(t, w.Close())
	f, err := Read(path)
	require.NoError(t, err)
	assert.Equal(t, []Message{userMessage("u", "after")}, f.Messages)
	assert.Equal(t, []Warning{{path, 2, "broken record, skipped"}}, f.Warnings)
}

func TestOneWriterAtATime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	w, err := Create(path, meta("s"), nil)
	require.NoError(t, err)
	_, err = Open(path, nil)
	assert.ErrorIs(t, err, ErrInUse)
	assert.True(t, InUse(path))
	_, err = Create(path, meta("s"), nil)
	assert.ErrorIs(t, err, os.ErrExist)
	require.NoError(t, w.Close())
	assert.False(t, InUse(path))
	again, err := Open(path, nil)
	require.NoError(t, err)
	require.NoError(t, again.Remove())
	assert.NoFileExists(t, path)
}

// TestRemoveAfterClose checks that only the file that was written is deleted.
func TestRemoveAfterClose(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(path string) error{
		"":        func(string) error { return nil },
		"deleted": os.Remove,
		"another": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("mine"), 0o600))
		},
		"goes on": func(path string) error {
			w, err := Open(path, nil)
			if err != nil {
				return err
			}
			return errors.Join(w.Append(userMessage("u", "after")), w.Close())
		},
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		w, err := Create(path, meta("s"), nil)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, change(path))
		require.NoError(t, w.Remove())
		_, err = os.Stat(path)
		assert.Equal(t, name == "" || name == "deleted", os.IsNotExist(err), name)
	}
}

func TestFailedWriteEndsTheRecording(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	w, err := Create(path, meta("s"), nil)
	require.NoError(t, err)
	require.NoError(t, w.file.Close())
	first := w.Append(userMessage("u", "x"))
	require.ErrorIs(t, first, os.ErrClosed)
	assert.Equal(t, first, w.Append(userMessage("v", "y")), "the first error stays")
	assert.Len(t, lines(t, path), 1)
}

// The file is synced when nothing was written for a second, and not again before
// something was.
func TestFlushWhenQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, err := Create(filepath.Join(t.TempDir(), "s.jsonl"), meta("s"), nil)
		require.NoError(t, err)
		var flushes atomic.Int64
		w.flush = func(*os.File) error { flushes.Add(1); return nil }
		for range 5 {
			time.Sleep(flushDelay - time.Millisecond)
			require.NoError(t, w.Append(userMessage("u", "x")))
		}
		assert.Zero(t, flushes.Load())
		time.Sleep(flushDelay + time.Millisecond)
		synctest.Wait()
		assert.EqualValues(t, 1, flushes.Load())
		time.Sleep(time.Minute)
		assert.EqualValues(t, 1, flushes.Load())
		require.NoError(t, w.Append(userMessage("u", "x")))
		require.NoError(t, w.Close())
		time.Sleep(time.Minute)
		assert.EqualValues(t, 1, flushes.Load(), "closing waits for nothing and leaves nothing running")
	})
}

func TestCreateWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	blocked := writeFile(t, "file")
	_, err := Create(filepath.Join(blocked, "chats", "s.jsonl"), meta("s"), nil)
	assert.ErrorContains(t, err, "creating session file")
}

// If the process is killed, everything for which Append returned is in the file.
func TestSurvivesKill(t *testing.T) {
	if path := os.Getenv("TRANSCRIPT_TEST_CHILD"); path != "" {
		w, err := Create(path, meta("s"), nil)
		require.NoError(t, err)
		require.NoError(t, w.Append(userMessage("u", "kept"), Set{LastUpdated: t0}))
		self, err := os.FindProcess(os.Getpid())
		require.NoError(t, err)
		require.NoError(t, self.Kill())
		select {}
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	cmd := exec.Command(os.Args[0], "-test.run=^TestSurvivesKill$")
	cmd.Env = append(os.Environ(), "TRANSCRIPT_TEST_CHILD="+path)
	require.Error(t, cmd.Run(), "the child kills itself")
	f, err := Read(path)
	require.NoError(t, err)
	f.Size = 0
	assert.Equal(t, &File{Meta: meta("s"), Messages: []Message{userMessage("u", "kept")}}, f)
}

func FuzzRead(f *testing.F) {
	recording, err := os.ReadFile("testdata/one-call.jsonl")
	require.NoError(f, err)
	f.Add(recording)
	f.Add(recording[:len(recording)-40])
	f.Add([]byte(`{"sessionId":"s"}` + "\r\n" +
		`{"$set":{"messages":[{"id":"a","type":"user","content":[1,"x",{"text":3}]}]}}` + "\n" + `{"$rewindTo":"a"}`))
	f.Add([]byte(
		`{"messages":[{"id":"a","type":"gemini","content":{"text":"x"},"toolCalls":[{"result":[{"functionResponse":{"response":[]}}]}]}]}`))
	f.Add([]byte(`{"minigem":{"message":{"id":"a","parts":[{"inlineData":{"mimeType":"x","data":"!"}}]}}}`))
	f.Add([]byte(`{"id":"a","type":"gemini","content":""}` + "\n" + `{"minigem":{"message":{"id":"a"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := readText(string(data))
		seen := map[string]bool{}
		for _, m := range file.Messages {
			assert.False(t, seen[m.ID], "the id %q twice", m.ID)
			seen[m.ID] = true
		}
		line, err := appendLine(nil, Set{SessionID: "s", Messages: append([]Message{}, file.Messages...)}, nil)
		require.NoError(t, err, "what was read can be written")
		assert.Len(t, readText(string(line)).Messages, len(file.Messages))
	})
}

func readText(text string) *File {
	l := loader{path: "f.jsonl", source: strings.NewReader(text)}
	_ = l.load(int64(len(text))) // it is in memory
	return l.file()
}

package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/redact"
	"minigem/llm"
	"minigem/transcript"
)

func TestLife(t *testing.T) {
	t.Parallel()
	o := options(t)
	hooks := &trace{}
	var changes []string
	o.Hooks, o.Changed = hooks, func(id, path string) { changes = append(changes, id+" "+filepath.Base(path)) }
	ctx := t.Context()
	s := begin(t, o)
	assert.Equal(t, "context of startup", s.Begin(ctx))
	assert.Empty(t, s.Begin(ctx), "once")
	s.Append(llm.UserText("a"))
	first := s.Path()
	assert.Equal(t, "context of clear", s.Clear(ctx))
	assert.Equal(t, []llm.Message{llm.UserText(o.Preamble())}, s.Messages())
	second := s.Path()
	s.End(ctx, "exit")
	s.End(ctx, "other")
	assert.Equal(t, []string{"start startup", "end clear", "start clear", "end exit"}, hooks.heard)
	assert.Equal(t, []string{"id-3 " + filepath.Base(second)}, changes)
	assert.FileExists(t, first)
	assert.NoFileExists(t, second, "nothing was said in it")

	hooks.heard = nil
	s, err := Resume(o, "1")
	require.NoError(t, err)
	s.Begin(ctx)
	s.End(ctx, "prompt_input_exit")
	assert.Equal(t, []string{"start resume", "end prompt_input_exit"}, hooks.heard)
	assert.FileExists(t, first)
}

func TestEmptySessionsLeaveNoFile(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"", "<hook_context>only hooks spoke</hook_context>"} {
		s := begin(t, options(t))
		if said != "" {
			s.Append(llm.UserText(said))
		}
		path := s.Path()
		assert.FileExists(t, path)
		s.End(t.Context(), "exit")
		assert.NoFileExists(t, path)
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.ID = "my_idid-1"
	s := begin(t, o)
	assert.Equal(t, "my_idid-1", s.ID())
	s.Append(llm.UserText("a"))
	_, err := Start(o)
	assert.ErrorIs(t, err, ErrIDTaken)
	o.ID = "my_idid-2" // the same beginning: the file names differ only in a number
	other := begin(t, o)
	assert.Equal(t, "session-2026-01-02T03-04-my_idid--2.jsonl", filepath.Base(other.Path()))
	for _, bad := range []string{"a/b", "..", "ü", "a b"} {
		o.ID = bad
		_, err = Start(o)
		assert.ErrorIs(t, err, ErrBadID, bad)
	}
	s.End(t.Context(), "exit")
	other.End(t.Context(), "exit")
}

func TestSubagent(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Parent = "parent"
	s := begin(t, o)
	s.Append(llm.UserText("a"))
	assert.Equal(t, filepath.Join(o.Project.Chats(), "parent", "id-1.jsonl"), s.Path())
	assert.Contains(t, fileLines(t, s.Path())[0], `"kind":"subagent"`)
	s.End(t.Context(), "exit")
	_, err := Find(o.Project, Latest)
	assert.ErrorIs(t, err, ErrNoSessions)
}

func TestUnwritableHome(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	p, err := OpenProject(filepath.Join(file, ".gemini"), "/work/p")
	require.ErrorContains(t, err, "registering project /work/p")
	assert.Equal(t, "p", p.Slug)
	var warnings []error
	hooks := &trace{}
	s, err := Start(Options{Project: p, Hooks: hooks, Warn: func(err error) { warnings = append(warnings, err) }})
	require.NoError(t, err)
	s.Begin(t.Context())
	s.Append(llm.UserText("a"))
	round(s, llm.ModelText("b"))
	s.End(t.Context(), "exit")
	assert.Equal(t, []llm.Message{llm.UserText("a"), llm.ModelText("b")}, s.Messages())
	assert.Empty(t, s.Path())
	require.Len(t, warnings, 1)
	assert.ErrorContains(t, warnings[0], "the session will not be saved")
	assert.Equal(t, []string{"start startup", "end exit"}, hooks.heard)
}

// /dev/full behaves like a full disk.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	o := options(t)
	var warnings []string
	var s *Session
	o.Warn = func(err error) { // it may call the session
		warnings = append(warnings, fmt.Sprintf("%d messages: %v", len(s.Messages()), err))
	}
	s = begin(t, o)
	require.NoError(t, s.w.Remove())
	require.NoError(t, os.Symlink("/dev/full", s.w.Path()))
	var err error
	s.w, err = transcript.Open(s.w.Path(), nil)
	require.NoError(t, err)
	s.Append(llm.UserText("a"))
	s.Append(llm.UserText("b"))
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "2 messages: the session is not saved any more: writing session file")
	assert.Contains(t, warnings[0], "no space left")
	assert.Len(t, s.Messages(), 3)
	assert.Empty(t, s.Path())
	s.End(t.Context(), "exit")
}

func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Mask = redact.NewMask([]string{"AIza-secret-key"}).Bytes
	s := begin(t, o)
	s.Append(llm.UserText("my key is AIza-secret-key"))
	round(s, modelCalls("", call("AIza-secret-key")))
	s.Note(map[string]string{"stdin": "AIza-secret-key"})
	data, err := os.ReadFile(s.Path())
	require.NoError(t, err)
	assert.NotContains(t, string(data), "AIza")
	assert.Equal(t, "my key is AIza-secret-key", s.Messages()[1].Text(), "the model still sees it")
	s.End(t.Context(), "exit")
}

// Calls of a batch may finish at the same time.
func TestConcurrentResults(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := begin(t, o)
	s.Append(llm.UserText("go"))
	var calls []llm.ToolCall
	var rs []llm.ToolResult
	for i := range 20 {
		calls = append(calls, call(fmt.Sprint(i)))
		rs = append(rs, result(fmt.Sprint(i), "x"))
	}
	round(s, modelCalls("", calls...))
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() { s.Emit(finished(calls[i], rs[i])); s.Note("hook") })
	}
	wg.Wait()
	s.Append(results(rs...))
	want := s.Messages()
	path := s.Path()
	s.End(t.Context(), "exit")
	f, err := transcript.Read(path)
	require.NoError(t, err)
	assert.Len(t, f.Finished, 19, "the last one is written with all")
	assert.Len(t, f.Messages[2].ToolCalls, 20)
	assert.Len(t, f.Activity, 20)
	s, err = Resume(o, "")
	require.NoError(t, err)
	assert.Equal(t, want, s.Messages())
	s.End(t.Context(), "exit")
}

func TestOneProcessASession(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := begin(t, o)
	s.Append(llm.UserText("a"))
	_, err := Resume(o, s.ID())
	assert.ErrorIs(t, err, transcript.ErrInUse)
	s.End(t.Context(), "exit")
}

func TestErrorsForPeople(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	here, err := OpenProject(home, "/work/here")
	require.NoError(t, err)
	there, err := OpenProject(home, "/work/there")
	require.NoError(t, err)
	_, err = Resume(Options{Project: here}, "latest")
	assert.ErrorIs(t, err, ErrNoSessions)
	s := begin(t, Options{Project: there, ID: "0b1c2d3e-4f50"})
	s.Append(llm.UserText("a"))
	s.End(t.Context(), "exit")
	s = begin(t, Options{Project: here})
	s.Append(llm.UserText("a"))
	s.End(t.Context(), "exit")
	cases := []struct{ which, want string }{
		{"nonsense", `no session has the id "nonsense": use --list-sessions to see them, then --resume with an index, an id or "latest"`},
		{"7", "session index 7 is out of range: there is 1 session"},
		{"0", "session index 0 is out of range: there is 1 session"},
		{"0b1c2d3e-4f50", "session 0b1c2d3e-4f50 belongs to the project /work/there: resume it there, or import its file with --session-file"},
	}
	for _, c := range cases {
		_, err := Resume(Options{Project: here}, c.which)
		var nf *NotFoundError
		require.ErrorAs(t, err, &nf, c.which)
		assert.EqualError(t, err, c.want)
	}
	_, err = Import(Options{Project: here}, filepath.Join(home, "none.json"))
	assert.True(t, errors.Is(err, os.ErrNotExist))
}

// TestResumeChecksTheID checks ids because folders are named after them.
func TestResumeChecksTheID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"../../..", "a/b", `a\\b`, ".", "a b", "ä"} {
		o := Options{Project: Project{Root: t.TempDir(), Temp: t.TempDir()}}
		require.NoError(t, os.MkdirAll(o.Project.Chats(), 0o700))
		path := filepath.Join(o.Project.Chats(), "session-2026-01-02T03-04-abc.jsonl")
		stamp := `"startTime":"2026-01-02T03:04:05.000Z","lastUpdated":"2026-01-02T03:04:05.000Z"`
		require.NoError(t, os.WriteFile(path, []byte(`{"sessionId":"`+id+`","projectHash":"`+o.Project.Hash()+`",`+stamp+`,"kind":"main"}
{"id":"1","timestamp":"2026-01-02T03:04:05.000Z","type":"user","content":"hello"}
`), 0o600))
		_, err := Resume(o, Latest)
		assert.ErrorContains(t, err, "is not the id of a session", id)
	}
}

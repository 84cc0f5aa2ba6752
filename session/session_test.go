package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/llm"
	"minigem/transcript"
)

var (
	_ agent.History = (*Session)(nil)
	_ event.Sink    = (*Session)(nil)
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

const stamp = `"2026-01-02T03:04:05.000Z"`

// trace records what the hooks of a session hear.
type trace struct{ heard []string }

func (h *trace) SessionStart(_ context.Context, source string) string {
	h.heard = append(h.heard, "start "+source)
	return "context of " + source
}

func (h *trace) SessionEnd(_ context.Context, reason string) {
	h.heard = append(h.heard, "end "+reason)
}

// options are those of a project in its own home, with ids id-1, id-2, ...
func options(t testing.TB) Options {
	t.Helper()
	p, err := OpenProject(filepath.Join(t.TempDir(), ".gemini"), "/work/My Project")
	require.NoError(t, err)
	n := 0
	return Options{
		Project:  p,
		Preamble: func() string { return "<session_context>\nhere\n</session_context>" },
		Now:      func() time.Time { return start },
		NewID:    func() string { n++; return fmt.Sprintf("id-%d", n) },
		Warn:     func(err error) { t.Errorf("unexpected warning: %v", err) },
	}
}

func begin(t testing.TB, o Options) *Session {
	t.Helper()
	s, err := Start(o)
	require.NoError(t, err)
	return s
}

func call(id string) llm.ToolCall {
	return llm.ToolCall{ID: "n__" + id, Name: "n", Args: map[string]any{"a": id}}
}

func result(id, output string) llm.ToolResult {
	return llm.ToolResult{ID: "n__" + id, Name: "n", Response: map[string]any{"output": output}}
}

func modelCalls(text string, calls ...llm.ToolCall) llm.Message {
	m := llm.Message{Role: llm.RoleModel}
	if text != "" {
		m.Parts = append(m.Parts, llm.Text{Text: text})
	}
	for _, c := range calls {
		m.Parts = append(m.Parts, c)
	}
	return m
}

func results(rs ...llm.ToolResult) llm.Message {
	m := llm.Message{Role: llm.RoleUser}
	for _, r := range rs {
		m.Parts = append(m.Parts, r)
	}
	return m
}

func finished(c llm.ToolCall, r llm.ToolResult) event.ToolFinished {
	return event.ToolFinished{Record: event.ToolRecord{
		Call: c, Args: c.Args, Result: r, Status: event.ToolSuccess, Display: "shown",
		Description: "about it", DisplayName: "N", Markdown: true, Started: start, Finished: start,
	}}
}

// round is a model message with its numbers.
func round(s *Session, m llm.Message) {
	s.Emit(event.RoundFinished{Message: m, Model: "m", Usage: &llm.Usage{Prompt: 100, Candidates: 10, Total: 110},
		Thoughts: []event.ThoughtDelta{{Subject: "Plan", Description: "to go"}}})
	s.Append(m)
}

func fileLines(t testing.TB, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// The records of a prompt with one call, in Gemini CLI's order and shapes; ours
// stands between.
func TestRecordsOfOneCall(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := begin(t, o)
	assert.Equal(t, filepath.Join(o.Project.Chats(), "session-2026-01-02T03-04-id-1.jsonl"), s.Path())
	c, r := call("1"), result("1", "hello <b>")
	s.Append(llm.UserText("read it"))
	round(s, modelCalls("I will.", c))
	s.Emit(finished(c, r))
	s.Append(results(r))
	round(s, llm.ModelText("Done. "))
	const (
		set     = `{"$set":{"lastUpdated":` + stamp + `}}`
		gemini  = `{"id":"id-3","timestamp":` + stamp + `,"type":"gemini","content":"I will.","thoughts":[{"subject":"Plan","description":"to go","timestamp":` + stamp + `}],"tokens":{"input":100,"output":10,"cached":0,"thoughts":0,"tool":0,"total":110},"model":"m"`
		answer  = `{"functionResponse":{"id":"n__1","name":"n","response":{"output":"hello <b>"}}}`
		preface = `{"$set":{"messages":[{"id":"d04923d38bb0f6017037e74183378ef4","timestamp":` + stamp + `,"type":"user","content":[{"text":"<session_context>\nhere\n</session_context>"}]}],"lastUpdated":` + stamp + `}}`
	)
	assert.Equal(t, []string{
		`{"sessionId":"id-1","projectHash":"` + o.Project.Hash() + `","startTime":` + stamp + `,"lastUpdated":` + stamp + `,"kind":"main"}`,
		preface,
		`{"id":"id-2","timestamp":` + stamp + `,"type":"user","content":[{"text":"read it"}]}`, set,
		gemini + `}`,
		`{"minigem":{"message":{"id":"id-3","parts":[{"text":"I will."},{"functionCall":{"id":"n__1","name":"n","args":{"a":"1"}}}]}}}`, set,
		gemini + `,"toolCalls":[{"id":"n__1","name":"n","args":{"a":"1"},"result":[` + answer + `],"status":"success","timestamp":` + stamp + `,"resultDisplay":"shown","description":"about it","displayName":"N","renderOutputAsMarkdown":true}]}`,
		`{"id":"id-4","timestamp":` + stamp + `,"type":"user","content":[` + answer + `]}`, set,
		`{"id":"id-5","timestamp":` + stamp + `,"type":"gemini","content":"Done.","thoughts":[{"subject":"Plan","description":"to go","timestamp":` + stamp + `}],"tokens":{"input":100,"output":10,"cached":0,"thoughts":0,"tool":0,"total":110},"model":"m"}`,
		`{"minigem":{"message":{"id":"id-5","parts":[{"text":"Done. "}]}}}`, set,
	}, fileLines(t, s.Path()))
	s.End(t.Context(), "exit")
}

// Whatever was done to a history, resuming gives the same one.
func TestResumeGivesWhatWasSent(t *testing.T) {
	t.Parallel()
	signed := call("1")
	signed.Signature = []byte("signature")
	changed := finished(call("1"), result("1", "x"))
	changed.Record.Args = map[string]any{"a": "changed by a hook"}
	cases := []struct {
		name string
		do   func(s *Session)
	}{
		{"nothing but text", func(s *Session) { s.Append(llm.UserText("a")); round(s, llm.ModelText("b")) }},
		{"no answer yet", func(s *Session) { s.Append(llm.UserText("a")) }},
		{"a call", func(s *Session) {
			s.Append(llm.UserText("a"))
			round(s, modelCalls("", call("1")))
			s.Emit(finished(call("1"), result("1", "x")))
			s.Append(results(result("1", "x")))
		}},
		{"a signature", func(s *Session) {
			s.Append(llm.UserText("a"))
			round(s, modelCalls("t", signed))
			s.Emit(finished(signed, result("1", "x")))
			s.Append(results(result("1", "x")))
		}},
		{"a call whose arguments were changed", func(s *Session) {
			s.Append(llm.UserText("a"))
			round(s, modelCalls("", call("1")))
			s.Emit(changed)
			s.Append(results(result("1", "x")))
		}},
		{"a batch, finished in another order", func(s *Session) {
			s.Append(llm.UserText("a"))
			round(s, modelCalls("", call("1"), call("2"), call("3")))
			for _, id := range []string{"3", "1", "2"} {
				s.Emit(finished(call(id), result(id, id)))
			}
			s.Append(results(result("1", "1"), result("2", "2"), result("3", "3")))
			round(s, llm.ModelText("done"))
		}},
		{"results that no event told of", func(s *Session) {
			s.Append(llm.UserText("a"))
			round(s, modelCalls("", call("1"), call("2")))
			s.Emit(finished(call("1"), result("1", "x")))
			s.Append(results(result("1", "x"), llm.ToolResult{ID: "n__2", Name: "n", Response: map[string]any{"error": "not run"}}))
		}},
		{"a picture beside the result", func(s *Session) {
			s.Append(llm.UserText("a"))
			round(s, modelCalls("", call("1")))
			m := results(result("1", "x"))
			m.Parts = append(m.Parts, llm.Blob{MIMEType: "image/png", Data: []byte("png")}, llm.Text{Text: "and a word"})
			s.Append(m)
		}},
		{"a prompt that begins like a command", func(s *Session) {
			s.Append(llm.UserText("/etc/hosts: what is it?"))
			round(s, llm.ModelText("a file"))
		}},
		{"hook context", func(s *Session) {
			s.Append(llm.UserText("<hook_context>x</hook_context>"))
			s.Append(llm.UserText("<hook_context>y</hook_context>\n\nhi"))
			round(s, llm.ModelText("ho"))
		}},
		{"rolled back", func(s *Session) {
			s.Append(llm.UserText("a"))
			round(s, llm.ModelText("b"))
			s.Append(llm.UserText("denied"))
			s.Rollback(3)
			s.Append(llm.UserText("c"))
		}},
		{"rolled back to nothing, then said again", func(s *Session) {
			s.Append(llm.UserText("a"))
			s.Rollback(0)
			s.Append(llm.UserText("b"))
		}},
		{"replaced", func(s *Session) {
			s.Append(llm.UserText("long"))
			round(s, modelCalls("", signed))
			s.Append(results(result("1", "x")))
			tail := s.Messages()[2:]
			s.Replace(append([]llm.Message{s.Messages()[0], llm.UserText("summary"), llm.ModelText("I see.")}, tail...))
			round(s, llm.ModelText("on we go"))
		}},
		{"cleared", func(s *Session) {
			s.Append(llm.UserText("a"))
			s.Replace(s.Messages()[:1])
			s.Append(llm.UserText("b"))
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			s := begin(t, o)
			c.do(s)
			want := s.Messages()
			if s.Preamble() == 0 {
				want = append([]llm.Message{llm.UserText(o.Preamble())}, want...)
			}
			s.End(t.Context(), "exit")
			again, err := Resume(o, "latest")
			require.NoError(t, err)
			assert.Equal(t, s.ID(), again.ID())
			assert.Equal(t, want, again.Messages())
			again.End(t.Context(), "exit")

			third, err := Resume(o, again.ID())
			require.NoError(t, err, "and once more, from what resuming wrote")
			assert.Equal(t, want, third.Messages())
			third.End(t.Context(), "exit")
		})
	}
}

func TestReplaceKeepsIDs(t *testing.T) {
	t.Parallel()
	s := begin(t, options(t))
	s.Append(llm.UserText("a"))
	round(s, llm.ModelText("b"))
	s.Append(llm.UserText("c"))
	before := s.entries
	s.Replace([]llm.Message{s.Messages()[0], llm.UserText("summary"), s.Messages()[3]})
	assert.Equal(t, []entry{before[0], {"id-5", llm.UserText("summary")}, before[3]}, s.entries)
	assert.Equal(t, 1, s.Preamble())
	s.End(t.Context(), "exit")
}

// The death of the process in the middle of a batch costs only the call that
// was running.
func TestKilledInABatch(t *testing.T) {
	if home := os.Getenv("SESSION_TEST_HOME"); home != "" {
		p, err := OpenProject(home, "/work/p")
		require.NoError(t, err)
		s, err := Start(Options{Project: p})
		require.NoError(t, err)
		s.Append(llm.UserText("go"))
		round(s, modelCalls("", call("1"), call("2")))
		s.Emit(finished(call("2"), result("2", "two")))
		self, err := os.FindProcess(os.Getpid())
		require.NoError(t, err)
		require.NoError(t, self.Kill())
		select {}
	}
	t.Parallel()
	home := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledInABatch$")
	cmd.Env = append(os.Environ(), "SESSION_TEST_HOME="+home)
	require.Error(t, cmd.Run(), "the child kills itself")

	p, err := OpenProject(home, "/work/p")
	require.NoError(t, err)
	s, err := Resume(Options{Project: p}, "")
	require.NoError(t, err)
	want := []llm.Message{
		llm.UserText("go"),
		modelCalls("", call("1"), call("2")),
		results(llm.ToolResult{ID: "n__1", Name: "n", Response: map[string]any{"error": notRun}}, result("2", "two")),
	}
	assert.Equal(t, want, s.Messages())
	s.Append(llm.UserText("go on"))
	s.End(t.Context(), "exit")
	s, err = Resume(Options{Project: p}, "")
	require.NoError(t, err)
	assert.Equal(t, append(want, llm.UserText("go on")), s.Messages(), "the answer that was made up stands in the file now")
	s.End(t.Context(), "exit")
}

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
	o.ID = "my_idid-2" // begins alike: the same file name but for a number
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

// /dev/full takes nothing: what a full disk does.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	o := options(t)
	var warnings []string
	o.Warn = func(err error) { warnings = append(warnings, err.Error()) }
	s := begin(t, o)
	require.NoError(t, s.w.Remove())
	require.NoError(t, os.Symlink("/dev/full", s.w.Path()))
	var err error
	s.w, err = transcript.Open(s.w.Path())
	require.NoError(t, err)
	s.Append(llm.UserText("a"))
	s.Append(llm.UserText("b"))
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "the session is not saved any more: writing session file")
	assert.Contains(t, warnings[0], "no space left")
	assert.Len(t, s.Messages(), 3)
	assert.Empty(t, s.Path())
	s.End(t.Context(), "exit")
}

func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Secrets = []string{"AIza-secret-key"}
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

// Calls of a batch may finish at once.
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

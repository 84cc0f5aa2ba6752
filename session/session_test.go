package session

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
)

var (
	_ Hooks         = (*hooks.Engine)(nil)
	_ agent.History = (*Session)(nil)
	_ event.Sink    = (*Session)(nil)
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

const stamp = `"2026-01-02T03:04:05.000Z"`

// trace records the hook events of a session.
type trace struct{ heard []string }

func (h *trace) SessionStart(_ context.Context, source string) (added string) {
	h.heard = append(h.heard, "start "+source)
	return "context of " + source
}

func (h *trace) SessionEnd(_ context.Context, reason string) {
	h.heard = append(h.heard, "end "+reason)
}

// options returns Options for a project in a separate home, with ids id-1, id-2, ...
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

// round returns a model message with its token counts.
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

// The records of a prompt with one call, in Gemini CLI's order and form, with ours in
// between.
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

// However a history was changed, resuming restores it.
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
		{"a picture next to the result", func(s *Session) {
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

// If the process dies in the middle of a batch, only the running call is lost.
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
		results(llm.ToolResult{ID: "n__1", Name: "n", Response: map[string]any{"error": NoResult}}, result("2", "two")),
	}
	assert.Equal(t, want, s.Messages())
	s.Append(llm.UserText("go on"))
	s.End(t.Context(), "exit")
	s, err = Resume(Options{Project: p}, "")
	require.NoError(t, err)
	assert.Equal(t, append(want, llm.UserText("go on")), s.Messages(), "the answer that was made up is in the file now")
	s.End(t.Context(), "exit")
}

// Cutting outputs of the history writes those messages again under their ids. The
// others stay as they are in the file.
func TestReplaceOfOutputs(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := begin(t, o)
	s.Append(llm.UserText("go"))
	for _, id := range []string{"1", "2"} {
		c, r := call(id), result(id, "long")
		round(s, modelCalls("look", c))
		s.Emit(finished(c, r))
		s.Append(results(r))
	}
	before, err := os.ReadFile(s.Path())
	require.NoError(t, err)
	next := slices.Clone(s.Messages())
	next[len(next)-3] = results(result("1", "cut"))
	s.Replace(next)
	after, err := os.ReadFile(s.Path())
	require.NoError(t, err)
	added := strings.Split(strings.TrimSpace(string(after[len(before):])), "\n")
	require.Len(t, added, 2, "one message and the time")
	assert.Contains(t, added[0], `"output":"cut"`)
	s.End(t.Context(), "exit")

	again, err := Resume(o, Latest)
	require.NoError(t, err)
	assert.Equal(t, next, again.Messages())
	again.End(t.Context(), "exit")
}

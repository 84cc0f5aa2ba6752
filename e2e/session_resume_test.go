package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	"minigem/llm"
	"minigem/llm/script"
	"minigem/session"
	"minigem/transcript"
)

// project returns the session storage of h's workspace.
func (h home) project(t testing.TB) session.Project {
	t.Helper()
	p, err := session.OpenProject(filepath.Join(h.dir, ".gemini"), h.workspace)
	require.NoError(t, err)
	return p
}

// conversation returns the messages of a request, without the preamble, which contains the
// current date and files.
func conversation(messages []llm.Message) []llm.Message {
	out := make([]llm.Message, len(messages))
	for i, m := range messages {
		parts := append([]llm.Part{}, m.Parts...)
		for j, p := range parts {
			if text, ok := p.(llm.Text); ok {
				parts[j] = llm.Text{Text: sessionContext.ReplaceAllString(text.Text, "<session_context/>")}
			}
		}
		out[i] = llm.Message{Role: m.Role, Parts: parts}
	}
	return out
}

const firstID = "0f0e0d0c-aaaa-4bbb-8ccc-0123456789ab"

// talk has a conversation of two rounds, with thoughts, a signature, a call that fails and
// one that succeeds. It returns the history that the next prompt would be sent with.
func talk(t *testing.T, h home) []llm.Message {
	t.Helper()
	look := script.Streamed(
		llm.Chunk{Parts: []llm.Part{llm.Thought{Text: "**Looking** at it"}}},
		llm.Chunk{Parts: []llm.Part{llm.Text{Text: "I look. "}}},
		llm.Chunk{
			Parts: []llm.Part{
				llm.ToolCall{ID: "a1", Name: "read_file", Args: map[string]any{"file_path": "notes.txt"}, Signature: []byte("signature one")},
				llm.ToolCall{ID: "a2", Name: "read_file", Args: map[string]any{"file_path": "missing.txt"}},
			},
			FinishReason: "STOP", Usage: &llm.Usage{Prompt: 100, Candidates: 10, Total: 110},
		})
	server := startFakeAPI(t, []script.Entry{look, textAnswer("It says hello.")})
	o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "--session-id", firstID, "-p", "read the notes"}, Env: server.env()})
	require.Equal(t, 0, o.Code, o.Stderr)
	require.Len(t, server.Log(), 2)
	require.Empty(t, server.problems())
	return append(conversation(server.Log()[1].Parsed.Messages), llm.ModelText("It says hello."))
}

// TestResume: however the session is named, the model is sent exactly the same parts as
// before, including signatures, and the new prompt.
func TestResume(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--resume", "latest"}, {"-r"}, {"-r", "1"}, {"--resume=1"}, {"-r", firstID},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{"notes.txt": "hello\n"})
			want := append(talk(t, h), llm.UserText("and now?"))
			server := startFakeAPI(t, textAnswers(t, "Still hello.", 2))
			resume := run{Args: append([]string{"-m", "gemini-2.5-flash", "-p", "and now?"}, args...), Env: server.env()}
			o := h.run(t, resume)
			require.Equal(t, outcome{Stdout: "Still hello.\n", Elapsed: o.Elapsed, CPU: o.CPU, MaxRSS: o.MaxRSS}, o)
			assert.Empty(t, server.problems())
			assert.Equal(t, want, conversation(server.Log()[0].Parsed.Messages))

			files := transcriptsIn(h.dir)
			require.Len(t, files, 1, "it goes on in its own file")
			f, err := transcript.Read(files[0])
			require.NoError(t, err)
			assert.Equal(t, firstID, f.Meta.SessionID)

			// Resume again: what the first resumption added is there too.
			o = h.run(t, resume)
			require.Equal(t, 0, o.Code, o.Stderr)
			want = append(want, llm.ModelText("Still hello."), llm.UserText("and now?"))
			assert.Equal(t, want, conversation(server.Log()[1].Parsed.Messages))
		})
	}
}

// TestResumeLatestOfNone: if there is nothing to resume, latest begins a session and says
// so.
func TestResumeLatestOfNone(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	o := h.run(t, run{Args: append(h.answersFile(t, "say Hi."), "-r", "-p", "hello")})
	assert.Equal(t, 0, o.Code)
	assert.Equal(t, "Hi.\n", o.Stdout)
	assert.Equal(t, "[WARNING] there is no session to resume in this folder: a new one begins\n", o.Stderr)
}

// TestUnavailableSessions: exit code 42 and one message in every format, and no
// request to the model.
func TestUnavailableSessions(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"notes.txt": "hello\n"})
	talk(t, h)
	other := h
	other.workspace = filepath.Join(h.dir, "other")
	require.NoError(t, os.Mkdir(other.workspace, 0o755))
	const hint = "; minigem --list-sessions shows those of this folder\n"
	for _, c := range []struct {
		name   string
		in     home
		args   []string
		stderr string
	}{
		{"unknown id", h, []string{"-r", "nope"}, `minigem: opening the session: no session has the id "nope": use --list-sessions to see them, then --resume with an index, an id or "latest"` + "\n"},
		{"index out of range", h, []string{"-r", "2"}, "minigem: opening the session: session index 2 is out of range: there is 1 session" + hint},
		{"index 0", h, []string{"-r", "0"}, "minigem: opening the session: session index 0 is out of range: there is 1 session" + hint},
		{"index without sessions", other, []string{"-r", "1"}, "minigem: opening the session: session index 1 is out of range: this project has no saved sessions" + hint},
		{"of another project", other, []string{"-r", firstID}, "minigem: opening the session: session " + firstID + " belongs to the project " + h.workspace + ": resume it there, or import its file with --session-file\n"},
		{"id that is taken", h, []string{"--session-id", firstID}, `minigem: starting session "` + firstID + `": a session with this id exists already: choose another --session-id, or go on with it by --resume` + "\n"},
		{"no such file", h, []string{"--session-file", "nope.jsonl"}, "minigem: opening the session: importing session: reading session file: open nope.jsonl: no such file or directory; --session-file takes the .jsonl file of a session\n"},
		{"not a session file", h, []string{"--session-file", "notes.txt"}, "minigem: opening the session: importing session: reading session file notes.txt: not a session file; --session-file takes the .jsonl file of a session\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers := c.in.answersFile(t, "say Never.")
			o := c.in.run(t, run{Args: append(append(answers, "-p", "hi"), c.args...)})
			assert.Equal(t, outcome{Stderr: c.stderr, Code: 42, Elapsed: o.Elapsed, CPU: o.CPU, MaxRSS: o.MaxRSS}, o)

			o = c.in.run(t, run{Args: append(append(answers, "-p", "hi", "-o", "json"), c.args...)})
			var doc struct{ Error struct{ Code int } }
			require.NoError(t, json.Unmarshal([]byte(o.Stderr), &doc), o.Stderr)
			assert.Equal(t, 42, doc.Error.Code)
			assert.Equal(t, 42, o.Code)
			assert.Empty(t, o.Stdout)
		})
	}
	assert.Len(t, transcriptsIn(h.dir), 1, "no stray files are left")
}

// TestImportSession: a session file of any project continues in a new session here.
func TestImportSession(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"notes.txt": "hello\n"})
	want := append(talk(t, h), llm.UserText("and now?"))
	file := transcriptsIn(h.dir)[0]
	before, err := os.ReadFile(file)
	require.NoError(t, err)

	other := newHome(t, nil)
	server := startFakeAPI(t, textAnswers(t, "Imported.", 1))
	o := other.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "--session-file", file, "-p", "and now?"}, Env: server.env()})
	require.Equal(t, 0, o.Code, o.Stderr)
	assert.Equal(t, want, conversation(server.Log()[0].Parsed.Messages))
	assert.Len(t, transcriptsIn(other.dir), 1)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, before, after, "the file itself stays as it is")
}

// said returns the conversation in the records of a session file, one part a line as in
// render, to compare it with what a resumption sends.
func said(t *testing.T, f *transcript.File) string {
	t.Helper()
	var messages []llm.Message
	for _, m := range f.Messages {
		if m.ID == transcript.PreambleID {
			continue
		}
		role, parts := llm.RoleUser, m.Content.Parts
		if m.Type == transcript.TypeGemini {
			role = llm.RoleModel
			for _, c := range m.ToolCalls {
				parts = append(parts, llm.ToolCall{Name: c.Name, Args: c.Args})
			}
		}
		messages = append(messages, llm.Message{Role: role, Parts: parts})
	}
	return testbed.RenderMessages(messages)
}

var emptyText = regexp.MustCompile(`(?m)^(user|model): \n`)

// TestResumeRecordings resumes the sessions that Gemini CLI 0.61 left.
func TestResumeRecordings(t *testing.T) {
	t.Parallel()
	recordings, err := filepath.Glob("testdata/reference/*/transcript.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, recordings)
	for _, recording := range recordings {
		t.Run(filepath.Base(filepath.Dir(recording)), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(recording)
			require.NoError(t, err)
			h := newHome(t, nil)
			f, err := transcript.Read(recording)
			require.NoError(t, err)
			path := filepath.Join(h.project(t).Chats(), "session-2026-11-21T00-41-"+f.Meta.SessionID[:8]+".jsonl")
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, data, 0o600))

			server := startFakeAPI(t, textAnswers(t, "Here.", 1))
			o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-r", f.Meta.SessionID, "-p", "go on"}, Env: server.env()})
			require.Equal(t, 0, o.Code, o.Stderr)
			assert.Empty(t, o.Stderr)
			assert.Empty(t, server.problems())
			sent := sessionContext.ReplaceAllString(testbed.RenderMessages(server.Log()[0].Parsed.Messages), "")
			assert.Equal(t, emptyText.ReplaceAllString(said(t, f)+"user: go on\n", ""), emptyText.ReplaceAllString(sent, ""))
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(string(after), string(data)), "what was there stays")
		})
	}
}

package saved

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/app"
	"minigem/internal/undo"
	"minigem/session"
)

// one opens the sessions of a folder with one session that has two prompts.
func one(t *testing.T) (s *Sessions, out *bytes.Buffer) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	out = &bytes.Buffer{}
	now := func() time.Time { return time.Date(2026, 1, 1, 13, 0, 0, 0, time.UTC) }
	sys := &app.System{Stdout: out, Stderr: out, Dir: dir, Env: []string{"HOME=" + home}, Now: now}
	s, err := Open(sys, &app.Options{})
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(s.project.Chats(), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(s.project.Chats(), "session-2026-01-01T10-00-11111111.jsonl"), []byte(
		`{"sessionId":"11111111-aaaa","projectHash":"`+s.project.Hash()+`","startTime":"2026-01-01T10:00:00.000Z","lastUpdated":"2026-01-01T10:00:00.000Z","kind":"main"}
{"id":"u1","timestamp":"2026-01-01T10:00:01.000Z","type":"user","content":[{"text":"Fix it"}]}
{"id":"g1","timestamp":"2026-01-01T10:00:02.000Z","type":"gemini","content":"Done."}
{"id":"u2","timestamp":"2026-01-01T12:00:00.000Z","type":"user","content":[{"text":"Why?"}]}
`), 0o600))
	return s, out
}

// TestRewind checks that the conversation goes back, that all of it is saved as a
// checkpoint, and that a checkpoint without files is not restored as if it had some.
func TestRewind(t *testing.T) {
	t.Parallel()
	s, out := one(t)
	require.NoError(t, s.Prompts("latest", false))
	assert.Equal(t, "  1. Why?    (1 hour ago)\n  2. Fix it  (2 hours ago)\n", out.String())
	out.Reset()
	require.NoError(t, s.Rewind(context.Background(), "1", 1, undo.Both, false))
	const kept = "2026-01-01T13-00-00_000Z-before-rewind"
	assert.Equal(t, "To undo this: minigem sessions restore "+kept+" (in the chat /restore brings the conversation back too)\nBack to before: Why?\n", out.String())
	out.Reset()
	require.NoError(t, s.Prompts("latest", true))
	assert.NotContains(t, out.String(), "Why?")
	assert.Contains(t, out.String(), `"text": "Fix it"`)
	out.Reset()
	require.NoError(t, Restore(t.Context(), s.sys, &app.Options{}, ""))
	assert.Equal(t, kept+"  just now\n", out.String())
	assert.EqualError(t, Restore(t.Context(), s.sys, &app.Options{}, kept), "checkpoint "+kept+" has no files, only a conversation: /restore in the chat brings it back")
}

// TestErrors checks that each error says what to do, and that nothing changes.
func TestErrors(t *testing.T) {
	t.Parallel()
	s, out := one(t)
	held, err := session.Resume(session.Options{Project: s.project}, "latest")
	require.NoError(t, err)
	defer held.End(context.Background(), "exit")
	before, err := os.ReadFile(held.Path())
	require.NoError(t, err)
	ctx := context.Background()
	for want, err := range map[string]error{
		"showing session: session index 9 is out of range: there is 1 session":                                                                  s.Show("9", false),
		"deleting session: session index 9 is out of range: there is 1 session":                                                                 s.Delete([]string{"1", "9"}),
		"deleting session 11111111-aaaa: the session is open in another process":                                                                s.Delete([]string{"1"}),
		"rewinding session 11111111-aaaa: there is no prompt 3: they are numbered from 1, the newest, to 2":                                     s.Rewind(ctx, "1", 3, undo.Both, false),
		"resuming session 11111111-aaaa: opening session file: the session is open in another process: use /rewind there, or --only files here": s.Rewind(ctx, "1", 1, undo.Both, false),
		`there is no checkpoint "nope": minigem sessions restore lists them`:                                                                    Restore(ctx, s.sys, &app.Options{}, "nope"),
	} {
		assert.EqualError(t, err, want)
	}
	after, err := os.ReadFile(held.Path())
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
	assert.Empty(t, out.String())
}

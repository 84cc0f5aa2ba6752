package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/listing"
	"minigem/internal/undo"
	"minigem/session"
)

func TestSessionsRewind(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{`{}`, checkpointingOn} {
		t.Run(settings, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("git"); err != nil && settings == checkpointingOn {
				t.Skip("git is not installed")
			}
			w, _ := editedWorld(t, settings)
			assert.Equal(t, said{"  1. edit  (2 files +2 -1, just now)\n", "", 0}, w.run("sessions rewind latest"))
			var listed struct {
				Prompts []listing.ListedPrompt
			}
			require.NoError(t, json.Unmarshal([]byte(w.run("sessions rewind latest --json").out), &listed))
			require.Len(t, listed.Prompts, 1)
			assert.Equal(t, []undo.Change{{Path: "PROJECT/a.txt", Added: 1, Removed: 1}, {Path: "PROJECT/b.txt", Added: 1}}, listed.Prompts[0].Files)

			require.NoError(t, os.WriteFile(w.path("a.txt"), []byte("mine\n"), 0o644))
			got := w.run("sessions rewind latest 1")
			assert.Equal(t, 42, got.code)
			assert.Equal(t, "  a.txt  +1 -1  beware: it was changed since\n  b.txt  +1 -0\n", got.out)
			assert.Contains(t, got.err, "nothing was done: 1 file changed in other ways too")
			assert.Equal(t, "mine\n", w.read("a.txt"))

			got = w.run("sessions rewind latest 1 --force --only files")
			require.Equal(t, 0, got.code, got.err)
			assert.Contains(t, got.out, "Back to before: edit\n")
			assert.Equal(t, "one\n", w.read("a.txt"))
			assert.NoFileExists(t, w.path("b.txt"))
			_, undo, found := strings.Cut(got.out, "To undo this: minigem ")
			require.True(t, found, got.out)
			again := w.run(strings.Split(undo, " (")[0])
			require.Equal(t, 0, again.code, again.err)
			assert.Equal(t, "mine\n", w.read("a.txt"))
			assert.Equal(t, "new\n", w.read("b.txt"))
			assert.Contains(t, w.run("sessions rewind latest").out, "1. edit", "the conversation is as it was")
		})
	}
}

// Rewinding also shortens the conversation's file, so that Gemini CLI sees the same.
func TestSessionsRewindConversation(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, nil)
	second := strings.NewReplacer(`"u1"`, `"u3"`, `Fix the\ttests\u001b[2J\n\nplease`, "Why?").Replace(asked)
	path := w.savedSession("11111111-aaaa", "2026-01-01T10:00:00.000Z", asked, answered, resulted, second)
	const now = "2026-01-01T13:05:00Z"
	assert.Equal(t, said{"  1. Why?                             (3 hours ago)\n  2. Fix the tests<U+001B>[2J please  (3 hours ago)\n", "", 0}, w.runAt(now, "sessions rewind 1"))
	got := w.runAt(now, "sessions rewind 1 1")
	require.Equal(t, 0, got.code, got.err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(data), `{"$rewindTo":"u3"}`)
	assert.NotContains(t, w.runAt(now, "sessions show 1").out, "Why?")

	// Rewinding everything removes the session but keeps the conversation.
	got = w.runAt("2026-01-01T13:06:00Z", "sessions rewind 1 1 --only conversation")
	require.Equal(t, 0, got.code, got.err)
	assert.NoFileExists(t, path)
	kept, err := os.ReadFile(filepath.Join(w.savedProject().Temp, "checkpoints", "2026-01-01T13-06-00_000Z-before-rewind.json"))
	require.NoError(t, err)
	assert.Contains(t, string(kept), "Fix the")
	got = w.run("sessions restore 2026-01-01T13-06-00_000Z-before-rewind")
	assert.Equal(t, said{"", "minigem: checkpoint 2026-01-01T13-06-00_000Z-before-rewind has no files, only a conversation: /restore in the chat brings it back\n", 42}, got)
}

func TestSessionsRewindUsage(t *testing.T) {
	t.Parallel()
	w := twoSessions(t)
	for args, want := range map[string]string{
		"9":               "rewinding session: ",
		"1 x":             `"x" is not the number of a prompt: minigem sessions rewind 1 lists them`,
		"1 7":             "rewinding session 11111111-aaaa: there is no prompt 7: they are numbered from 1, the newest, to 1",
		"1 0":             "there is no prompt 0",
		"1 1 --only code": `--only takes files or conversation, not "code"`,
	} {
		got := w.run("sessions rewind " + args)
		assert.Equal(t, 42, got.code, args)
		assert.Contains(t, got.err, want)
	}
	assert.Equal(t, 42, w.run("sessions rewind").code)
	assert.Contains(t, w.run("sessions rewind --help").out, "--force")

	held, err := session.Resume(session.Options{Project: w.savedProject()}, "11111111-aaaa")
	require.NoError(t, err)
	defer held.End(t.Context(), "exit")
	got := w.run("sessions rewind 1 1")
	assert.Equal(t, 42, got.code)
	assert.Contains(t, got.err, "the session is open in another process: use /rewind there, or --only files here")
}

func (w hookWorld) savedProject() session.Project {
	p, err := session.OpenProject(filepath.Join(w.home, ".gemini"), w.project)
	require.NoError(w.t, err)
	return p
}

// With snapshots, the effects of commands are also undone, after a --force. Files that
// git ignores are restored from the edits.
func TestSessionsRewindSnapshots(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newHookWorld(t, map[string]string{
		"a.txt": "one\n", "other.txt": "other\n", ".gitignore": "b.txt\n", "~/answers": twoEdits, "~/.gemini/settings.json": checkpointingOn,
	})
	got := w.run("--yolo -m gemini-2.5-flash --fake-responses " + w.path("~/answers") + " -p edit")
	require.Equal(t, 0, got.code, got.err)
	require.NoError(t, os.WriteFile(w.path("other.txt"), []byte("made\nby make\n"), 0o644))
	got = w.run("sessions rewind latest 1 --only files")
	assert.Equal(t, 42, got.code)
	assert.Equal(t, "  a.txt  +1 -1\n  other.txt  +2 -1  beware: no edit of this session made that change\n  b.txt  +1 -0\n", got.out)
	assert.Equal(t, "two\n", w.read("a.txt"))

	got = w.run("sessions rewind latest 1 --only files --force")
	require.Equal(t, 0, got.code, got.err)
	assert.Equal(t, "one\n", w.read("a.txt"))
	assert.Equal(t, "other\n", w.read("other.txt"))
	assert.NoFileExists(t, w.path("b.txt"))

	_, undo, _ := strings.Cut(got.out, "To undo this: minigem ")
	got = w.run(strings.Split(undo, " (")[0])
	require.Equal(t, 0, got.code, got.err)
	assert.Equal(t, "two\n", w.read("a.txt"))
	assert.Equal(t, "made\nby make\n", w.read("other.txt"))
	assert.Equal(t, "new\n", w.read("b.txt"))

	// Without snapshots, only the edits can be undone.
	require.NoError(t, os.RemoveAll(filepath.Join(w.home, ".gemini", "history")))
	got = w.run("sessions rewind latest 1 --only files")
	require.Equal(t, 0, got.code, got.err)
	assert.Equal(t, "one\n", w.read("a.txt"))
	assert.Equal(t, "made\nby make\n", w.read("other.txt"))
	assert.NoFileExists(t, w.path("b.txt"))
}

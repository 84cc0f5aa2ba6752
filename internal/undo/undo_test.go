package undo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/session"
)

// storeOf makes the store of a project with files.
func storeOf(t *testing.T, files map[string]string) (Store, func(name string) string) {
	t.Helper()
	ws, dir := world(t, files)
	home := t.TempDir()
	now := time.Date(2026, 1, 2, 10, 30, 0, 0, time.UTC)
	s := Store{
		Project:   session.Project{Root: dir, Temp: filepath.Join(home, "tmp", "p"), History: filepath.Join(home, "history", "p")},
		Workspace: ws, Path: os.Getenv("PATH"),
		Now: func() time.Time { now = now.Add(time.Second); return now },
	}
	return s, func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			return "(gone)"
		}
		require.NoError(t, err)
		return string(data)
	}
}

// Going back to before a prompt saves the current state, and going back to that
// restores everything.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		git    bool
		what   What
		a, b   string
		kept   bool // the files are saved
		reason string
	}{
		{"by edits", false, Both, "1\n", "(gone)", true, ""},
		{"by edits, files", false, Files, "1\n", "(gone)", true, ""},
		{"by edits, conversation", false, Conversation, "2\n", "new\n", false, ""},
		{"by a snapshot", true, Both, "1\n", "(gone)", true, ""},
		{"by a snapshot, conversation", true, Conversation, "2\n", "new\n", false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("git"); err != nil && c.git {
				t.Skip("git is not installed")
			}
			s, read := storeOf(t, map[string]string{"a": "1\n"})
			dir := s.Project.Root
			said := s.Now()
			if c.git {
				require.NoError(t, s.BeforeEdit(t.Context(), llm.ToolCall{Name: "replace", Args: map[string]any{"file_path": "a"}}, "id", nil))
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("2\n"), 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "b"), []byte("new\n"), 0o644))
			prompts := []Prompt{{ID: "u1", At: said, Edits: []Edit{
				{Path: filepath.Join(dir, "a"), Before: "1\n", After: "2\n", Added: 1, Removed: 1, At: s.Now()},
				{Path: filepath.Join(dir, "b"), New: true, After: "new\n", Added: 1, At: s.Now()},
			}}}
			plan, err := s.Before(t.Context(), "id", prompts, 1)
			require.NoError(t, err)
			assert.Equal(t, []Change{{Path: filepath.Join(dir, "a"), Added: 1, Removed: 1}, {Path: filepath.Join(dir, "b"), Added: 1}}, plan.Changes)
			assert.Equal(t, [4]any{"before it", true, true, 0}, [4]any{plan.When, plan.HasFiles(), plan.HasConversation(), plan.Conflicts()})

			undo, err := s.Apply(t.Context(), plan, c.what, []llm.Message{llm.UserText("change it")})
			require.NoError(t, err)
			assert.Equal(t, [2]string{c.a, c.b}, [2]string{read("a"), read("b")})

			kept, err := s.Checkpoint(undo)
			require.NoError(t, err)
			assert.Equal(t, "before-rewind", kept.Purpose())
			assert.Equal(t, c.kept, kept.HasFiles())
			assert.Equal(t, []llm.Message{llm.UserText("change it")}, kept.Conversation)
			back, err := s.To(kept)
			require.NoError(t, err)
			assert.Equal(t, c.kept, back.HasFiles())
			_, err = s.Apply(t.Context(), back, Files, nil)
			require.NoError(t, err)
			assert.Equal(t, [2]string{"2\n", "new\n"}, [2]string{read("a"), read("b")})
		})
	}
}

// A state that cannot be saved is not overwritten.
func TestNothingIsOverwrittenUnsaved(t *testing.T) {
	t.Parallel()
	for _, git := range []bool{false, true} {
		if _, err := exec.LookPath("git"); err != nil && git {
			continue
		}
		s, read := storeOf(t, map[string]string{"a": "1\n"})
		said := s.Now()
		if git {
			require.NoError(t, s.BeforeEdit(t.Context(), llm.ToolCall{Name: "replace"}, "id", nil))
		}
		require.NoError(t, os.WriteFile(filepath.Join(s.Project.Root, "a"), []byte("2\n"), 0o644))
		plan, err := s.Before(t.Context(), "id", []Prompt{{ID: "u", At: said, Edits: []Edit{
			{Path: filepath.Join(s.Project.Root, "a"), Before: "1\n", After: "2\n", At: s.Now()}}}}, 1)
		require.NoError(t, err)
		assert.Equal(t, git, plan.commit != "")
		require.NoError(t, os.RemoveAll(s.Dir()))
		require.NoError(t, os.MkdirAll(s.Project.Temp, 0o700))
		require.NoError(t, os.WriteFile(s.Dir(), nil, 0o600)) // where the folder should be
		_, err = s.Apply(t.Context(), plan, Both, nil)
		assert.ErrorContains(t, err, "writing checkpoint")
		assert.Equal(t, "2\n", read("a"))
	}
}

func TestBeforeRefuses(t *testing.T) {
	t.Parallel()
	s, _ := storeOf(t, nil)
	_, err := s.Before(t.Context(), "id", nil, 1)
	assert.EqualError(t, err, "there is no prompt yet to go back to")
	for _, n := range []int{0, 2} {
		_, err := s.Before(t.Context(), "id", []Prompt{{}}, n)
		assert.ErrorContains(t, err, "they are numbered from 1, the newest, to 1")
	}
	for _, name := range []string{"nope", "../nope", ""} {
		_, err := s.Checkpoint(name)
		assert.ErrorIs(t, err, ErrNoCheckpoint, name)
	}
	require.NoError(t, os.MkdirAll(s.Dir(), 0o700))
	require.NoError(t, os.WriteFile(s.file("2026-01-02T03-04-05-notes.txt-replace"), []byte("{}"), 0o600))
	_, err = s.Checkpoint("2026-01-02T03-04-05-notes.txt-replce")
	assert.EqualError(t, err, `there is no checkpoint "2026-01-02T03-04-05-notes.txt-replce" (did you mean "2026-01-02T03-04-05-notes.txt-replace"?)`)
}

// Going back to a checkpoint before an edit does not restore the call that was not
// made.
func TestToLeavesOutTheCall(t *testing.T) {
	t.Parallel()
	s, _ := storeOf(t, nil)
	call := llm.Message{Role: llm.RoleModel, Parts: []llm.Part{llm.ToolCall{Name: "replace"}}}
	plan, err := s.To(Checkpoint{Name: "x", Conversation: []llm.Message{llm.UserText("a"), call}})
	require.NoError(t, err)
	assert.Equal(t, []llm.Message{llm.UserText("a")}, plan.Conversation)
	assert.Equal(t, [3]any{"at x", false, true}, [3]any{plan.When, plan.HasFiles(), plan.HasConversation()})
}

func TestPrune(t *testing.T) {
	t.Parallel()
	s, _ := storeOf(t, nil)
	for range maxCheckpoints + 2 {
		require.NoError(t, s.save(Checkpoint{Name: s.name("x")}))
	}
	all := s.Checkpoints()
	s.Prune()
	assert.Equal(t, all[2:], s.Checkpoints())
	assert.Equal(t, time.Date(2026, 1, 2, 10, 30, 3, 0, time.UTC), s.Checkpoints()[0].At)
}

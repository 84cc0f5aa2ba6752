//go:build !windows

package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/transcript"
)

// Whenever a session's file is deleted or replaced, the user is warned once, and in the
// end a file has everything that was said.
func TestADeletedSessionFileIsWrittenAgain(t *testing.T) {
	t.Parallel()
	a, b := call("1"), call("2")
	ra, rb := result("1", "one"), result("2", "two")
	steps := []func(*Session){
		func(s *Session) { s.Append(llm.UserText("read them")) },
		func(s *Session) { round(s, modelCalls("I will.", a, b)) },
		func(s *Session) { s.Emit(finished(a, ra)) },
		func(s *Session) { s.Emit(finished(b, rb)) },
		func(s *Session) { s.Append(results(ra, rb)) },
		func(s *Session) { round(s, llm.ModelText("Done.")) },
		func(s *Session) { s.Append(llm.UserText("taken back")); s.Rollback(len(s.Messages()) - 1) },
		func(s *Session) { s.Note(map[string]string{"hook": "x"}) },
		func(s *Session) { s.Replace(append(s.Messages(), llm.UserText("more"))) },
	}
	gone := map[string]func(t *testing.T, path string){
		"file":      func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
		"directory": func(t *testing.T, path string) { require.NoError(t, os.RemoveAll(filepath.Dir(path))) },
		"another in its place": func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+".bak"))
			require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
		},
	}
	for name, remove := range gone {
		for at := range len(steps) + 1 { // before each step, and before the end
			o := options(t)
			o.NewID = nil
			var told []error
			var moved []string
			o.Warn = func(err error) { told = append(told, err) }
			o.Changed = func(_, path string) { moved = append(moved, path) }
			s := begin(t, o)
			path := s.Path()
			if at == len(steps) {
				for _, step := range steps {
					step(s)
				}
				remove(t, path)
			} else {
				for i, step := range steps {
					if i == at {
						remove(t, path)
					}
					step(s)
				}
			}
			want, id := s.Messages(), s.ID()
			s.End(t.Context(), "exit")
			require.Len(t, told, 1, "%s %d: %v", name, at, told)
			assert.ErrorContains(t, told[0], "the session file "+path+" was deleted while it was in use: it is written again")
			if name == "another in its place" {
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				assert.Equal(t, "mine", string(data), "that of somebody else stays")
				assert.Len(t, moved, 1, "hooks are told of the new path")
			} else {
				assert.Empty(t, moved)
			}
			o.Warn = func(err error) { t.Errorf("%s %d: unexpected warning: %v", name, at, err) }
			again, err := Resume(o, id)
			require.NoError(t, err, "%s %d", name, at)
			assert.Equal(t, want, again.Messages(), "%s %d", name, at)
			again.End(t.Context(), "exit")
		}
	}
}

// A session without messages leaves no file, and takes no other session's file.
func TestADeletedEmptySession(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := begin(t, o)
	path := s.Path()
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	s.End(t.Context(), "exit")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(data))
	_, err = transcript.Read(path)
	assert.ErrorIs(t, err, transcript.ErrNotSession)
}

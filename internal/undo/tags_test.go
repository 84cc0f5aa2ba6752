package undo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/session"
)

func TestTags(t *testing.T) {
	t.Parallel()
	s := Store{Project: session.Project{Temp: t.TempDir()}}
	signed := llm.ToolCall{ID: "1", Name: "read_file", Args: map[string]any{"file_path": "a"}, Signature: []byte("s")}
	history := []llm.Message{llm.UserText("a <b>"), {Role: llm.RoleModel, Parts: []llm.Part{llm.Text{Text: "t"}, signed}}}
	cases := []struct{ tag, file string }{
		{"plain", "checkpoint-plain.json"},
		{"../up and/down", "checkpoint-..%2Fup%20and%2Fdown.json"},
		{"(it's *all*!) ~", "checkpoint-(it's%20*all*!)%20~.json"},
		{"ü%41", "checkpoint-%C3%BC%2541.json"},
	}
	for _, c := range cases {
		require.NoError(t, s.SaveTag(c.tag, history, "gemini-api-key"))
		assert.FileExists(t, filepath.Join(s.Project.Temp, c.file))
		loaded, err := s.Tagged(c.tag)
		require.NoError(t, err)
		assert.Equal(t, history, loaded.Conversation, c.tag)
		assert.Equal(t, "gemini-api-key", loaded.Auth)
	}
	var tags []string
	for _, c := range s.Tags() {
		tags = append(tags, c.Name)
	}
	assert.ElementsMatch(t, []string{"plain", "../up and/down", "(it's *all*!) ~", "ü%41"}, tags)

	require.NoError(t, s.DeleteTag("plain"))
	assert.ErrorIs(t, s.DeleteTag("plain"), ErrNoTag)
	_, err := s.Tagged("plain")
	assert.ErrorIs(t, err, ErrNoTag)
	assert.Error(t, s.SaveTag("", history, ""))
}

func TestOlderTag(t *testing.T) {
	t.Parallel()
	s := Store{Project: session.Project{Temp: t.TempDir()}}
	require.NoError(t, os.WriteFile(filepath.Join(s.Project.Temp, "checkpoint-old.json"), []byte(`[{"role":"user","parts":[{"text":"a"}]}]`), 0o600))
	c, err := s.Tagged("old")
	require.NoError(t, err)
	assert.Equal(t, []llm.Message{llm.UserText("a")}, c.Conversation)
	require.NoError(t, os.WriteFile(filepath.Join(s.Project.Temp, "checkpoint-bad.json"), []byte(`{`), 0o600))
	_, err = s.Tagged("bad")
	assert.ErrorContains(t, err, `loading conversation "bad" from `)
}

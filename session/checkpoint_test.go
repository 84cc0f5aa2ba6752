package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
)

func TestCheckpoints(t *testing.T) {
	t.Parallel()
	p := options(t).Project
	signed := call("1")
	signed.Signature = []byte("s")
	history := []llm.Message{llm.UserText("a <b>"), modelCalls("t", signed), results(result("1", "x"))}
	cases := []struct{ tag, file string }{
		{"plain", "checkpoint-plain.json"},
		{"../up and/down", "checkpoint-..%2Fup%20and%2Fdown.json"},
		{"ü%41", "checkpoint-%C3%BC%2541.json"},
	}
	for _, c := range cases {
		saved, err := SaveCheckpoint(p, c.tag, history, "gemini-api-key")
		require.NoError(t, err)
		assert.Equal(t, filepath.Join(p.Temp, c.file), saved.Path)
		loaded, err := LoadCheckpoint(p, c.tag)
		require.NoError(t, err)
		assert.Equal(t, history, loaded.History, c.tag)
		assert.Equal(t, "gemini-api-key", loaded.Auth)
	}
	var tags []string
	for _, c := range Checkpoints(p) {
		tags = append(tags, c.Tag)
	}
	assert.ElementsMatch(t, []string{"plain", "../up and/down", "ü%41"}, tags)

	require.NoError(t, DeleteCheckpoint(p, "plain"))
	assert.ErrorIs(t, DeleteCheckpoint(p, "plain"), ErrNoCheckpoint)
	_, err := LoadCheckpoint(p, "plain")
	assert.ErrorIs(t, err, ErrNoCheckpoint)
	_, err = SaveCheckpoint(p, "", history, "")
	assert.Error(t, err)
}

func TestOlderCheckpoint(t *testing.T) {
	t.Parallel()
	p := options(t).Project
	require.NoError(t, os.WriteFile(filepath.Join(p.Temp, "checkpoint-old.json"), []byte(`[{"role":"user","parts":[{"text":"a"}]}]`), 0o600))
	c, err := LoadCheckpoint(p, "old")
	require.NoError(t, err)
	assert.Equal(t, []llm.Message{llm.UserText("a")}, c.History)
	require.NoError(t, os.WriteFile(filepath.Join(p.Temp, "checkpoint-bad.json"), []byte(`{`), 0o600))
	_, err = LoadCheckpoint(p, "bad")
	assert.ErrorContains(t, err, `loading conversation "bad" from `)
}

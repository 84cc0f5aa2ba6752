package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/transcript"
)

// TestRenew: the first message is another one, in the file too, and what was
// handed out before stays as it was.
func TestRenew(t *testing.T) {
	t.Parallel()
	o := options(t)
	text := "old"
	o.Preamble = func() string { return text }
	s := begin(t, o)
	s.Append(llm.UserText("hi"))
	before := s.Messages()
	text = "new"
	s.Renew()
	want := []llm.Message{llm.UserText("new"), llm.UserText("hi")}
	assert.Equal(t, want, s.Messages())
	assert.Equal(t, 1, s.Preamble())
	assert.Equal(t, "old", llm.PartsText(before[0].Parts))
	f, err := transcript.Read(s.Path())
	require.NoError(t, err)
	require.Len(t, f.Messages, 2)
	assert.Equal(t, transcript.PreambleID, f.Messages[0].ID)
	assert.Equal(t, "new", llm.PartsText(f.Messages[0].Content.Parts))

	text = ""
	s.Renew()
	assert.Equal(t, want, s.Messages(), "nothing to say is no reason to forget")
	s.Rollback(0)
	text = "newer"
	s.Renew()
	assert.Empty(t, s.Messages())
}

package undo

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/transcript"
)

// TestPromptsBeforeCompressions checks which prompts remain after a conversation was
// compressed, rewound, compressed again, and replaced.
func TestPromptsBeforeCompressions(t *testing.T) {
	t.Parallel()
	prompt := func(id string) transcript.Message {
		return transcript.Message{ID: id, Type: transcript.TypeUser, Content: transcript.Content{Parts: []llm.Part{llm.Text{Text: id}}}}
	}
	summary := func(text string) transcript.Message {
		return transcript.Message{ID: "s" + text, Type: transcript.TypeUser, Content: transcript.Content{Parts: []llm.Part{llm.Text{Text: "<state_snapshot>" + text + "</state_snapshot>"}}}}
	}
	set := func(ms ...transcript.Message) transcript.Set { return transcript.Set{Messages: ms} }
	for i, c := range []struct {
		records []transcript.Record
		want    string
	}{
		{[]transcript.Record{prompt("a"), prompt("b")}, "[a b]"},
		{[]transcript.Record{prompt("a"), prompt("b"), set(summary("1"), prompt("b")), prompt("c")}, "[a b c]"},
		{[]transcript.Record{prompt("a"), set(summary("1")), prompt("b"), set(summary("2")), prompt("c")}, "[a b c]"},
		// Went back to before b: c, and what was compressed with it, is gone
		{[]transcript.Record{prompt("a"), prompt("b"), set(summary("1")), prompt("c"), set(prompt("a")), prompt("d")}, "[a d]"},
		// and had it again
		{[]transcript.Record{prompt("a"), prompt("b"), set(summary("1")), prompt("c"), set(prompt("a")), set(summary("1"), prompt("c"))}, "[a b c]"},
		// Messages changed by a hook
		{[]transcript.Record{prompt("a"), set(summary("1")), prompt("b"), set(summary("1"), prompt("x"))}, "[a x]"},
		{[]transcript.Record{prompt("a"), set(prompt("x"))}, "[x]"},
	} {
		got := []string{}
		path := filepath.Join(t.TempDir(), "session.jsonl")
		w, err := transcript.Create(path, transcript.Meta{SessionID: "s"}, nil)
		require.NoError(t, err)
		require.NoError(t, w.Append(c.records...))
		require.NoError(t, w.Close())
		f, err := transcript.Read(path)
		require.NoError(t, err)
		for _, p := range Prompts(f) {
			got = append(got, p.Text)
		}
		assert.Equal(t, c.want, fmt.Sprint(got), "%d", i)
	}
}

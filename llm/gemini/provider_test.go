package gemini_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/llm"
	"minigem/llm/gemini"
	"minigem/llm/script"
)

// providers lists all implementations of llm.Provider, each set up to give the same
// answers.
var providers = []struct {
	name string
	make func(*testing.T, []script.Entry) llm.Provider
}{
	{"script", func(_ *testing.T, entries []script.Entry) llm.Provider { return script.New(entries, false) }},
	{"recorder", func(t *testing.T, entries []script.Entry) llm.Provider {
		r, err := script.Record(script.New(entries, false), filepath.Join(t.TempDir(), "rec.jsonl"), nil)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, r.Close()) })
		return r
	}},
	{"gemini", func(t *testing.T, entries []script.Entry) llm.Provider {
		_, o := serve(t, fakemodel.Options{Entries: entries})
		return gemini.New(o)
	}},
	{"replayed recording", func(t *testing.T, entries []script.Entry) llm.Provider {
		path := filepath.Join(t.TempDir(), "rec.jsonl")
		r, err := script.Record(script.New(entries, false), path, nil)
		require.NoError(t, err)
		for _, e := range entries {
			switch e.Method {
			case script.Stream:
				_, err = collect(r.Stream(t.Context(), ask("x")))
			case script.Whole:
				_, err = r.Generate(t.Context(), ask("x"))
			default:
				_, err = r.CountTokens(t.Context(), ask("x"))
			}
			require.NoError(t, err)
		}
		require.NoError(t, r.Close())
		m, err := script.Open(path, false)
		require.NoError(t, err)
		return m
	}},
}

func TestProviders(t *testing.T) {
	t.Parallel()
	call := llm.Chunk{Parts: []llm.Part{llm.ToolCall{ID: "1", Name: "glob", Args: map[string]any{"a": []any{1.5, nil, "<>"}}, Signature: []byte("s")}}, FinishReason: "STOP",
		Usage: &llm.Usage{Prompt: 3, Candidates: 2, Total: 5}}
	streamed := []llm.Chunk{chunk("a", ""), {Parts: []llm.Part{llm.Thought{Text: "hm"}}}, call}
	entries := []script.Entry{script.Streamed(streamed...), script.Answered(call), script.Counted(9), script.Streamed(streamed...), script.Streamed(chunk("last", "STOP"))}
	for _, tt := range providers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := tt.make(t, entries)

			chunks, err := collect(p.Stream(t.Context(), ask("x")))
			require.NoError(t, err)
			assert.Equal(t, streamed, chunks, "chunks come in order, whole")
			c, err := p.Generate(t.Context(), ask("x"))
			require.NoError(t, err)
			assert.Equal(t, call, c)
			n, err := p.CountTokens(t.Context(), ask("x"))
			require.NoError(t, err)
			assert.Equal(t, 9, n)

			for c, err := range p.Stream(t.Context(), ask("x")) {
				require.NoError(t, err)
				assert.Equal(t, "a", c.Text())
				break // a consumer may stop early
			}

			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err = collect(p.Stream(ctx, ask("x")))
			assert.ErrorIs(t, err, context.Canceled)

			seq := p.Stream(t.Context(), ask("x"))
			chunks, err = collect(seq)
			require.NoError(t, err, "a cancelled call used no answer up")
			assert.Equal(t, []llm.Chunk{chunk("last", "STOP")}, chunks)

			ends := 0
			for _, err := range p.Stream(t.Context(), ask("x")) {
				var e *llm.Error
				require.ErrorAs(t, err, &e)
				ends++
			}
			assert.Equal(t, 1, ends, "the first error is the last thing yielded")
		})
	}
}

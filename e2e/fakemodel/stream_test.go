package fakemodel

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/llm/script"
)

var update = flag.Bool("update", false, "rewrite testdata/*.sse")

// now matches what differs from run to run.
var now = regexp.MustCompile(`"created(_at)?":\d+`)

// TestStreams compares whole streams byte for byte. TestVendorsClients shows that the
// vendors' clients understand them.
func TestStreams(t *testing.T) {
	t.Parallel()
	turn := Turn{Entry: script.Streamed(
		llm.Chunk{Parts: []llm.Part{llm.Thought{Text: "hm", Signature: []byte("signed")}}}, llm.Chunk{Parts: []llm.Part{llm.Text{Text: "I "}}}, llm.Chunk{Parts: []llm.Part{llm.Text{Text: "run <it>"}}},
		llm.Chunk{Parts: []llm.Part{llm.ToolCall{Name: "run", Args: map[string]any{"cmd": strings.Repeat("ü", 50)}}}},
		llm.Chunk{Parts: []llm.Part{llm.ToolCall{ID: "own", Name: "run", Args: map[string]any{"cmd": "ls"}}}, FinishReason: "STOP", Usage: &llm.Usage{Prompt: 7, Candidates: 3, Total: 11, Thoughts: 1, Cached: 2}},
	)}
	ended := says("too long")
	ended.Chunks[0].FinishReason = "MAX_TOKENS"
	broken := Turn{Entry: script.Streamed(llm.Chunk{Parts: []llm.Part{llm.Text{Text: "half"}}})}
	broken.Fault = []byte(`{"status":529,"after":1,"message":"overloaded"}`)
	for name, turn := range map[string]Turn{"whole": turn, "short": ended, "failed": broken} {
		for _, p := range []Protocol{Anthropic, Chat, Responses} {
			t.Run(string(p)+" "+name, func(t *testing.T) {
				t.Parallel()
				status, body := post(t, New(Options{Turns: []Turn{turn}}), paths[p], conversations[p])
				require.Equal(t, 200, status)
				body = now.ReplaceAllString(body, `"created$1":0`)
				file := filepath.Join("testdata", string(p)+"."+name+".sse")
				if *update {
					require.NoError(t, os.WriteFile(file, []byte(body), 0o600))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, string(want), body, "go test ./e2e/fakemodel -run TestStreams -update makes it right")
			})
		}
	}
}

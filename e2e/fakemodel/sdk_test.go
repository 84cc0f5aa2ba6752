package fakemodel

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/llm/script"
)

// understood is an answer as a vendor's client parsed it.
type understood struct {
	Asked   string   `json:"asked"`
	Text    string   `json:"text"`
	Thought string   `json:"thought"`
	Calls   [][3]any `json:"calls"` // id, name, arguments
	Stop    string   `json:"stop"`
	Usage   []int    `json:"usage"`
	Count   int      `json:"count"`
	Models  []string `json:"models"`
	Error   string   `json:"error"`
	Status  int      `json:"status"`
	Type    string   `json:"type"`
	Message string   `json:"message"`
}

// askClients queries s with the vendors' own clients, if MINIGEM_MODEL_CLIENTS names a
// folder whose node_modules contains them.
func askClients(t *testing.T, s *Server, asks ...string) []understood {
	t.Helper()
	folder := os.Getenv("MINIGEM_MODEL_CLIENTS")
	if folder == "" {
		t.Skip("MINIGEM_MODEL_CLIENTS does not name a folder with the npm packages @anthropic-ai/sdk and openai")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	url, stop, err := s.Start("127.0.0.1:0")
	require.NoError(t, err)
	defer stop()
	cmd := exec.CommandContext(context.Background(), node, append([]string{"testdata/sdks.mjs", url, folder}, asks...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.String())
	var all []understood
	for line := range strings.Lines(string(out)) {
		var u understood
		require.NoError(t, json.Unmarshal([]byte(line), &u), "%s", line)
		all = append(all, u)
	}
	require.Len(t, all, len(asks))
	return all
}

const longCommand = `echo 'a command that goes out in several pieces, with ümlauts, <&> and "quotes"' > f`

// TestVendorsClients: the clients of Anthropic and OpenAI parse streams and whole answers
// to the same result.
func TestVendorsClients(t *testing.T) {
	t.Parallel()
	full := Turn{Entry: script.Streamed(
		llm.Chunk{Parts: []llm.Part{llm.Thought{Text: "**Plan** first"}}}, llm.Chunk{Parts: []llm.Part{llm.Thought{Text: ", then more"}}},
		llm.Chunk{Parts: []llm.Part{llm.Text{Text: "I run"}}}, llm.Chunk{Parts: []llm.Part{llm.Text{Text: ` "it" <&> — ü.`}}},
		llm.Chunk{Parts: []llm.Part{llm.ToolCall{Name: "run", Args: map[string]any{"cmd": longCommand}}}},
		llm.Chunk{Parts: []llm.Part{llm.ToolCall{ID: "own", Name: "run", Args: map[string]any{"cmd": "ls"}}}, FinishReason: "STOP", Usage: &llm.Usage{Prompt: 1234, Candidates: 50, Thoughts: 6, Cached: 200}},
	), Repeat: true}
	s := New(Options{Turns: []Turn{full}, Strict: true})
	stops := map[Protocol]string{Anthropic: "tool_use", Chat: "tool_calls", Responses: "completed"}
	for _, u := range askClients(t, s, "anthropic.stream", "anthropic.whole", "chat.stream", "chat.whole", "responses.stream", "responses.whole") {
		name, _, _ := strings.Cut(u.Asked, ".")
		assert.Empty(t, u.Error, "%s: %s", u.Asked, u.Message)
		assert.Equal(t, `I run "it" <&> — ü.`, u.Text, u.Asked)
		if name != "chat" { // its client drops fields that are not OpenAI's
			assert.Equal(t, "**Plan** first, then more", u.Thought, u.Asked)
		}
		require.Len(t, u.Calls, 2, u.Asked)
		assert.Equal(t, "run", u.Calls[0][1], u.Asked)
		assert.Equal(t, map[string]any{"cmd": longCommand}, u.Calls[0][2], u.Asked)
		assert.Equal(t, [3]any{"own", "run", map[string]any{"cmd": "ls"}}, u.Calls[1], u.Asked)
		assert.Equal(t, stops[Protocol(name)], u.Stop, u.Asked)
		assert.Equal(t, []int{1234, 56}, u.Usage, u.Asked)
	}
	for _, rec := range s.Log() {
		assert.Empty(t, rec.Problems, "%s", rec.Path)
	}
}

// TestVendorsClientsOtherRequests tests the clients' other requests.
func TestVendorsClientsOtherRequests(t *testing.T) {
	t.Parallel()
	s := New(Options{Turns: []Turn{says("never"), {Entry: script.Counted(77)}}, Strict: true})
	asks := []string{"anthropic.side", "chat.side", "responses.side", "anthropic.count", "anthropic.models", "chat.models"}
	for i, u := range askClients(t, s, asks...) {
		assert.Empty(t, u.Error, "%s: %s", u.Asked, u.Message)
		switch {
		case i < 3:
			assert.Equal(t, "OK", u.Text, u.Asked)
		case i == 3:
			assert.Equal(t, 77, u.Count)
		default:
			assert.Equal(t, []string{"fake-model"}, u.Models, u.Asked)
		}
	}
	assert.Equal(t, 1, s.Left(), "side requests use up no turn")
}

// TestVendorsClientsCustom tests a tool with plain-text input.
func TestVendorsClientsCustom(t *testing.T) {
	t.Parallel()
	s := New(Options{Turns: []Turn{calls("patch", map[string]any{"input": "*** Begin Patch\n+" + longCommand}), calls("patch", map[string]any{"input": "x"})}, Strict: true})
	all := askClients(t, s, "responses.stream", "responses.whole")
	require.Len(t, all[0].Calls, 1, all[0].Message)
	assert.Equal(t, "*** Begin Patch\n+"+longCommand, all[0].Calls[0][2])
	require.Len(t, all[1].Calls, 1, all[1].Message)
	assert.Equal(t, "x", all[1].Calls[0][2])
}

// TestVendorsClientsFaults: the clients recognize injected faults as what they are.
func TestVendorsClientsFaults(t *testing.T) {
	t.Parallel()
	text := llm.Chunk{Parts: []llm.Part{llm.Text{Text: "half"}}}
	faulty := func(fault string, chunks ...llm.Chunk) Turn {
		e := script.Streamed(chunks...)
		if fault != "" {
			e.Fault = json.RawMessage(fault)
		}
		return Turn{Entry: e}
	}
	long := llm.Chunk{Parts: []llm.Part{llm.Text{Text: "too long"}}, FinishReason: "MAX_TOKENS"}
	tests := []struct {
		name  string
		turn  Turn
		check func(t *testing.T, u understood)
	}{
		{"status", faulty(`{"status":429,"message":"slow down","retryDelay":"2s"}`), func(t *testing.T, u understood) {
			assert.Equal(t, "RateLimitError", u.Error, u.Asked)
			assert.Equal(t, 429, u.Status, u.Asked)
			assert.Contains(t, u.Message, "slow down", u.Asked)
		}},
		{"key", faulty(`{"status":401}`), func(t *testing.T, u understood) { assert.Equal(t, "AuthenticationError", u.Error, u.Asked) }},
		{"midway", faulty(`{"status":500,"after":1,"message":"broke"}`, text), func(t *testing.T, u understood) {
			if strings.HasPrefix(u.Asked, "responses") { // a failed answer is not an exception there
				assert.Equal(t, "failed", u.Stop)
				return
			}
			assert.NotEmpty(t, u.Error, u.Asked)
			assert.Contains(t, u.Message, "broke", u.Asked)
		}},
		{"cut", faulty(`{"cut":true,"after":1}`, text), func(t *testing.T, u understood) { assert.NotEmpty(t, u.Error, u.Asked) }},
		{"garbage", faulty(`{"garbage":true,"after":1}`, text), func(t *testing.T, u understood) {
			assert.NotEmpty(t, u.Error, u.Asked)
			assert.Contains(t, u.Message, "JSON", u.Asked)
		}},
		{"no end", faulty("", text), func(t *testing.T, u understood) {
			if u.Asked == "responses.stream" { // its client expects that more may come
				assert.Equal(t, "in_progress", u.Stop)
				return
			}
			assert.NotEmpty(t, u.Error, u.Asked)
		}},
		{"max tokens", faulty("", long), func(t *testing.T, u understood) {
			switch u.Asked {
			case "anthropic.stream":
				assert.Equal(t, "max_tokens", u.Stop)
			case "chat.stream":
				assert.Equal(t, "length", u.Stop)
			default:
				assert.Equal(t, "incomplete max_output_tokens", u.Stop)
			}
		}},
	}
	var turns []Turn
	var asks []string
	for _, tt := range tests {
		turns = append(turns, tt.turn, tt.turn, tt.turn)
		asks = append(asks, "anthropic.stream", "chat.stream", "responses.stream")
	}
	for i, u := range askClients(t, New(Options{Turns: turns, Strict: true}), asks...) { // one run: node starts slowly
		t.Run(tests[i/3].name+" "+u.Asked, func(t *testing.T) { tests[i/3].check(t, u) })
	}
}

package replay_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/replay"
	"minigem/hooks/protocol"
	"minigem/llm"
)

const meta = `{"sessionId":"s1","projectHash":"h","startTime":"2026-11-21T00:00:00.000Z","lastUpdated":"2026-11-21T00:00:00.000Z","kind":"main"}
`

func user(id, text string) string {
	return `{"id":"` + id + `","timestamp":"2026-11-21T00:00:01.000Z","type":"user","content":[{"text":"` + text + `"}]}` + "\n"
}

func model(id, text, calls string) string {
	return `{"id":"` + id + `","timestamp":"2026-11-21T00:00:02.000Z","type":"gemini","content":"` + text + `","toolCalls":[` + calls + `]}` + "\n"
}

func call(id, file, response string) string {
	return `{"id":"` + id + `","name":"write_file","args":{"file_path":"` + file + `"},"status":"success","timestamp":"2026-11-21T00:00:02.000Z",` +
		`"result":[{"functionResponse":{"id":"` + id + `","name":"write_file","response":{` + response + `}}}]}`
}

// past is a session of minigem: a denied call, one that ran, and an answer that was
// sent back.
var past = meta + user("u1", "write it") +
	model("g1", "", call("c1", "x", `"error":"Tool execution blocked: mine"`)+","+call("c2", "a", `"output":"ok"`)) +
	model("g2", "half", "") +
	`{"minigem":{"hook":{"hook":{"event":"AfterAgent","ran":["again"],"effect":"retry","reason":"more","ms":1}}}}` + "\n" +
	user("u2", "more") + model("g3", "whole", "")

const claudes = `{"type":"summary","summary":"x"}
{"type":"user","sessionId":"c1","message":{"content":[{"type":"text","text":"write it"}]}}
{"type":"user","isMeta":true,"message":{"content":"noise"}}
{"type":"assistant","sessionId":"c1","message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"x"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"PreToolUse:Write hook error: mine"}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Grep","input":{"pattern":"p","path":"src"}},{"type":"tool_use","id":"t3","name":"mcp__files__read","input":{}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"found"}]},{"type":"tool_result","tool_use_id":"gone","content":"?"}]}}
broken
{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"aside"}]}}
{"type":"assistant","message":{"content":[{"type":"text","text":"done"}]}}
`

func read(t *testing.T, text string) *replay.Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	s, err := replay.Read(path)
	require.NoError(t, err)
	for i := range s.Skipped {
		s.Skipped[i] = strings.Replace(s.Skipped[i], path, "s.jsonl", 1)
	}
	s.Path = "s.jsonl"
	return s
}

func TestRead(t *testing.T) {
	t.Parallel()
	ok := &protocol.ToolResponse{LLMContent: "ok"}
	assert.Equal(t, &replay.Session{Path: "s.jsonl", ID: "s1", Steps: []replay.Step{
		{Kind: replay.KindPrompt, Text: "write it"},
		{Kind: replay.KindCall, Call: llm.ToolCall{ID: "c1", Name: "write_file", Args: map[string]any{"file_path": "x"}}, Denied: true, Reason: "mine"},
		{Kind: replay.KindCall, Call: llm.ToolCall{ID: "c2", Name: "write_file", Args: map[string]any{"file_path": "a"}}, Response: ok},
		{Kind: replay.KindAnswer, Text: "half", Denied: true, Reason: "more"},
		{Kind: replay.KindPrompt, Text: "more", Retry: true},
		{Kind: replay.KindAnswer, Text: "whole"},
	}}, read(t, past))
	assert.Equal(t, &replay.Session{Path: "s.jsonl", ID: "c1", Skipped: []string{"s.jsonl:8: no JSON"}, Steps: []replay.Step{
		{Kind: replay.KindPrompt, Text: "write it"},
		{Kind: replay.KindCall, Call: llm.ToolCall{ID: "t1", Name: "write_file", Args: map[string]any{"file_path": "x"}}, Denied: true, Reason: "mine"},
		{Kind: replay.KindCall, Call: llm.ToolCall{ID: "t2", Name: "grep_search", Args: map[string]any{"pattern": "p", "dir_path": "src"}}, Response: &protocol.ToolResponse{LLMContent: "found", ReturnDisplay: "found"}},
		{Kind: replay.KindCall, Call: llm.ToolCall{ID: "t3", Name: "mcp_files_read", Args: map[string]any{}}},
		{Kind: replay.KindAnswer, Text: "done"},
	}}, read(t, claudes))
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "words": "hello\n", "other.json": `{"a":1}`} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := replay.Read(path)
		require.ErrorContains(t, err, "is not a session", name)
	}
	_, err := replay.Read(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	s := read(t, meta)
	assert.Empty(t, s.Steps)
}

// hook answers according to its input.
type hook func(event protocol.Event, stdin string) string

func (f hook) Run(_ context.Context, h hooks.Hook, stdin hooks.Payload, _ []string) hooks.Exit {
	return hooks.Exit{Stdout: []byte(f(h.Event, stdin.String())), Duration: time.Millisecond}
}

const deny = `{"decision":"deny","reason":"now"}`

func run(t *testing.T, f hook, text string) *replay.Result {
	t.Helper()
	var c hooks.Config
	for _, ev := range []protocol.Event{protocol.BeforeAgent, protocol.BeforeTool, protocol.AfterTool, protocol.AfterAgent} {
		c.Hooks = append(c.Hooks, hooks.Hook{Event: ev, Name: "h", Command: "h"})
	}
	return replay.Run(t.Context(), &hooks.Engine{Config: c, Runner: f}, []*replay.Session{read(t, text)})
}

// Differences are reported step by step.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		hook    hook
		differ  []string // "step event: then now"
		as      []string
		ranFor  map[protocol.Event]int
		session string
	}{
		{"all the same", func(ev protocol.Event, stdin string) string {
			if ev == protocol.BeforeTool && strings.Contains(stdin, `"file_path":"x"`) || ev == protocol.AfterAgent && strings.Contains(stdin, `"stop_hook_active":false`) {
				return deny
			}
			return ""
		}, nil, []string{"2 BeforeTool: deny deny", "4 AfterAgent: deny deny"},
			map[protocol.Event]int{protocol.BeforeAgent: 2, protocol.BeforeTool: 2, protocol.AfterTool: 1, protocol.AfterAgent: 2}, past},
		{"nothing is denied any more", func(protocol.Event, string) string { return "" },
			[]string{"2 BeforeTool: deny proceed", "4 AfterAgent: deny proceed"}, nil,
			map[protocol.Event]int{protocol.BeforeAgent: 2, protocol.BeforeTool: 2, protocol.AfterTool: 1, protocol.AfterAgent: 2}, past},
		{"all is denied", func(protocol.Event, string) string { return deny },
			[]string{"1 BeforeAgent: proceed deny", "3 BeforeTool: proceed deny", "5 BeforeAgent: proceed deny", "6 AfterAgent: proceed deny"},
			[]string{"2 BeforeTool: deny deny", "4 AfterAgent: deny deny"},
			map[protocol.Event]int{protocol.BeforeAgent: 2, protocol.BeforeTool: 2, protocol.AfterTool: 0, protocol.AfterAgent: 2}, past},
		{"a result is refused", func(ev protocol.Event, _ string) string {
			if ev == protocol.AfterTool {
				return deny
			}
			return ""
		}, []string{"2 BeforeTool: deny proceed", "3 AfterTool: proceed deny"}, nil,
			map[protocol.Event]int{protocol.BeforeAgent: 1, protocol.BeforeTool: 3, protocol.AfterTool: 1, protocol.AfterAgent: 1}, claudes},
		{"asking differs from both", func(ev protocol.Event, _ string) string {
			if ev == protocol.BeforeTool {
				return `{"decision":"ask"}`
			}
			return ""
		}, []string{"2 BeforeTool: deny ask", "3 BeforeTool: proceed ask", "4 BeforeTool: proceed ask"}, nil,
			map[protocol.Event]int{protocol.BeforeAgent: 1, protocol.BeforeTool: 3, protocol.AfterTool: 1, protocol.AfterAgent: 1}, claudes},
	} {
		r := run(t, c.hook, c.session)
		var differ, as []string
		for _, d := range r.Decided {
			line := strings.Join([]string{string(rune('0' + d.Step)), string(d.Event) + ":", d.Then, d.Now}, " ")
			if d.Differs {
				differ = append(differ, line)
			} else {
				as = append(as, line)
			}
		}
		assert.Equal(t, c.differ, differ, c.name)
		assert.Equal(t, c.as, as, c.name)
		assert.Equal(t, len(c.differ), r.Differ(), c.name)
		ran := map[protocol.Event]int{protocol.AfterTool: 0}
		for _, h := range r.Hooks {
			ran[h.Event] = h.Runs
			assert.InDelta(t, 1, h.P95MS, 0.01, c.name)
		}
		assert.Equal(t, c.ranFor, ran, c.name)
	}
}

func TestRunEndsWhenCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := replay.Run(ctx, &hooks.Engine{}, []*replay.Session{read(t, past)})
	assert.Equal(t, 0, r.Prompts)
}

func TestText(t *testing.T) {
	t.Parallel()
	text := run(t, func(ev protocol.Event, _ string) string {
		if ev == protocol.BeforeTool {
			return deny
		}
		return ""
	}, past).Text(nil)
	for _, want := range []string{
		"1 session: 2 prompts, 2 calls, 2 answers\n",
		"different now\n  s.jsonl step 3, call write_file {\"file_path\":\"a\"}: was proceed, now deny by h: now\n",
		"s.jsonl step 4, answer half: was deny (more), now proceed\n",
		"as recorded\n  s.jsonl step 2, call write_file {\"file_path\":\"x\"}: deny by h: now\n",
		"  BeforeTool h (:0): 2 runs, 2 deny, p50 1.0 ms, p95 1.0 ms\n", "2 steps would be decided differently now\n",
	} {
		assert.Contains(t, text, want)
	}
	none := replay.Run(t.Context(), &hooks.Engine{}, []*replay.Session{read(t, past)})
	assert.Contains(t, none.Text(nil), "no hook is configured for any of these events")
}

package hooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// rewriting returns a hook that changes the request it read and gives it back.
func rewriting(change func(*protocol.LLMRequest)) hookstest.Script {
	return hookstest.Script{Do: func(stdin []byte) hooks.Exit {
		var in protocol.BeforeModelInput
		if err := json.Unmarshal(stdin, &in); err != nil {
			return hooks.Exit{Code: 1, Stderr: []byte(err.Error())}
		}
		change(&in.LLMRequest)
		out, err := protocol.Encode(protocol.Output{LLMRequest: &protocol.LLMRequestChange{Messages: in.LLMRequest.Messages}})
		if err != nil {
			return hooks.Exit{Code: 1, Stderr: []byte(err.Error())}
		}
		return hooks.Exit{Stdout: out}
	}}
}

func longRequest(messages int) llm.Request {
	r := llm.Request{Model: "m"}
	for i := range messages / 4 {
		id := fmt.Sprintf("f__%d", i)
		r.Messages = append(r.Messages,
			llm.UserText(fmt.Sprintf("question %d", i)),
			llm.Message{Role: llm.RoleModel,
				Parts: []llm.Part{llm.ToolCall{ID: id, Name: "f", Args: map[string]any{"n": float64(i)}}}},
			llm.Message{Role: llm.RoleUser,
				Parts: []llm.Part{llm.ToolResult{ID: id, Name: "f", Response: map[string]any{"output": strings.Repeat("x", 100)}}}},
			llm.ModelText(fmt.Sprintf("answer %d", i)))
	}
	r.Messages = append(r.Messages, llm.UserText("and now?"))
	return r
}

// TestEditsOfALongHistory keeps only a window of a long history, as hooks that save
// tokens do.
func TestEditsOfALongHistory(t *testing.T) {
	t.Parallel()
	whole := longRequest(2000)
	e, _, _ := engine(protocol.BeforeModel, map[string]hookstest.Script{"window": rewriting(func(r *protocol.LLMRequest) {
		last := r.Messages[len(r.Messages)-9:]
		r.Messages = append([]protocol.LLMMessage{r.Messages[0]}, last...)
		r.Messages[9].Text = "and now, briefly?"
	})}, "window")
	o := e.BeforeModel(t.Context(), hooks.NewModelRequest(whole))
	want := append(
		[]llm.Message{{Role: llm.RoleUser, Parts: append(whole.Messages[0].Parts, whole.Messages[1992].Parts...)}},
		whole.Messages[1993:2000]...)
	want = append(want, llm.UserText("and now, briefly?"))
	assert.Equal(t, want, o.Request.Messages)
	assert.Len(t, whole.Messages, 2001, "the history itself is never changed")
}

// TestMovedMessagesKeepWhatHooksDoNotSee checks that moved messages keep what hooks do
// not see.
func TestMovedMessagesKeepWhatHooksDoNotSee(t *testing.T) {
	t.Parallel()
	e, _, _ := engine(protocol.BeforeModel, map[string]hookstest.Script{"move": rewriting(func(r *protocol.LLMRequest) {
		m := r.Messages
		r.Messages = []protocol.LLMMessage{m[4], m[3], m[0], m[1], m[2]}
	})}, "move")
	o := e.BeforeModel(t.Context(), hooks.NewModelRequest(hookstest.Request()))
	var signatures []string
	for _, m := range o.Request.Messages {
		for _, p := range m.Parts {
			if c, ok := p.(llm.ToolCall); ok {
				signatures = append(signatures, string(c.Signature))
			}
		}
	}
	assert.Equal(t, []string{"s2"}, signatures)
}

// TestEchoIsNoChange checks, for all kinds of parts, that a hook that gives back what
// it read changes nothing.
func TestEchoIsNoChange(t *testing.T) {
	t.Parallel()
	req := hooks.NewModelRequest(llm.Request{Model: "m", Messages: []llm.Message{
		{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{}}},
		{Role: llm.RoleModel, Parts: []llm.Part{llm.Text{}, llm.Thought{Text: "t"}, llm.ToolCall{Name: "f"},
			llm.ToolCall{ID: "g__1", Name: "g", Args: map[string]any{"n": 12345678.9, "s": "<&>\u2028é"}}}},
		{Role: llm.RoleUser,
			Parts: []llm.Part{
				llm.ToolResult{Name: "f"}, llm.ToolResult{ID: "g__1", Name: "g", Response: map[string]any{"a": []any{nil, true}}},
				llm.Blob{}, llm.FileRef{URI: "gs://x"}, llm.Opaque{JSON: json.RawMessage("{}")}}},
	}})
	e, _, rep := engine(protocol.BeforeModel, map[string]hookstest.Script{
		"echo": rewriting(func(*protocol.LLMRequest) {})}, "echo")
	assert.Same(t, req, e.BeforeModel(t.Context(), req).Request)
	assert.Empty(t, rep.last().Runs[0].Warnings)
	assert.Empty(t, rep.last().Merge)
}

// TestRequestIsMarshalledOnce checks that this holds for any number of hooks and
// chunks.
func TestRequestIsMarshalledOnce(t *testing.T) {
	t.Parallel()
	e, r, _ := engine(protocol.AfterModel, map[string]hookstest.Script{"a": {}, "b": {}}, "a", "b")
	marshals := 0
	req := hooks.NewModelRequest(llm.Request{Messages: []llm.Message{{Role: llm.RoleModel, Parts: []llm.Part{
		llm.ToolCall{Name: "f", Args: map[string]any{"x": counter{&marshals}}},
	}}}})
	for range 10 {
		e.AfterModel(t.Context(), req, hookstest.Chunk())
	}
	require.Len(t, r.Calls(), 20)
	assert.Equal(t, 1, marshals)
}

// TestChunksShareTheirRequest checks that no chunk and no further request copies the
// history.
func TestChunksShareTheirRequest(t *testing.T) {
	t.Parallel()
	e, _, rep := engine(protocol.AfterModel, map[string]hookstest.Script{"a": {}}, "a")
	req := hooks.NewModelRequest(longRequest(100))
	e.AfterModel(t.Context(), req, hookstest.Chunk())
	first := rep.last().Input
	e.AfterModel(t.Context(), req, hookstest.Chunk())
	second := rep.last().Input
	require.Len(t, first, 5)
	assert.Same(t, &first[1][0], &second[1][0])
	e.AfterModel(t.Context(), req.Next(req.Request), hookstest.Chunk())
	assert.Same(t, &first[1][0], &rep.last().Input[1][0], "the next request")
	assert.Less(t, first.Len()-len(first[1]), 1000)
	assert.Equal(t, first.Len(), len(first.Bytes()))
	assert.True(t, json.Valid(first.Bytes()))
}

type counter struct{ n *int }

func (c counter) MarshalJSON() ([]byte, error) {
	*c.n++
	return []byte("1"), nil
}

// TestArgumentsWithoutJSON checks that such a bug in a program does not cause a panic.
func TestArgumentsWithoutJSON(t *testing.T) {
	t.Parallel()
	e, r, _ := engine(protocol.BeforeModel, map[string]hookstest.Script{"a": {}}, "a")
	e.BeforeModel(
		t.Context(), hooks.NewModelRequest(
			llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.RoleModel, Parts: []llm.Part{
				llm.ToolCall{Name: "f", Args: map[string]any{"x": func() {}}},
			}}}}))
	assert.Contains(t, r.Calls()[0].Stdin, `"llm_request":{"model":"m","messages":[],"config":{}}`)
}

// TestNothingAllocatedWithoutHooks checks that programs without hooks pay nothing.
func TestNothingAllocatedWithoutHooks(t *testing.T) {
	e := &hooks.Engine{Report: func(hooks.Report) {}}
	e.Config.Hooks = []hooks.Hook{{Event: protocol.SessionEnd, Command: "x"}}
	ctx, use, chunk := context.Background(), writeFile(), hookstest.Chunk()
	req := hooks.NewModelRequest(hookstest.Request())
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		e.BeforeAgent(ctx, "p")
		e.BeforeModel(ctx, req)
		e.BeforeToolSelection(ctx, req)
		e.AfterModel(ctx, req, chunk)
		e.BeforeTool(ctx, use)
		e.AfterTool(ctx, use, protocol.ToolResponse{})
		e.AfterAgent(ctx, "p", "r", false)
	}))
}

// FuzzMerge checks that, whatever three hooks say, a block stays a block and a changed
// request can be sent.
func FuzzMerge(f *testing.F) {
	f.Add(`{"decision":"deny"}`, `{"hookSpecificOutput":{"llm_request":{"messages":[]}}}`, "text", false)
	f.Add(`{"hookSpecificOutput":{"llm_request":{"messages":[`+hookstest.Messages+`,{"role":"model","content":"x"}]}}}`,
		`{"hookSpecificOutput":{"llm_request":{"messages":[{"role":"user","content":"hello"}]}}}`, `{"continue":false}`, true)
	f.Add(
		`{"hookSpecificOutput":{"llm_request":{"messages":[{"role":"model","content":[{"type":"function_call","name":"read_file","id":"c1","args":{}}]}]}}}`, `{"hookSpecificOutput":{"llm_response":{"text":"a"}}}`, `{"hookSpecificOutput":"x"}`, false)
	f.Add(
		`{"hookSpecificOutput":{"llm_request":{"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"function_response","name":"n","id":"i","response":{}}]}]}}}`, ``, `[]`, true)
	f.Fuzz(func(t *testing.T, a, b, c string, sequential bool) {
		e, _, rep := engine(protocol.BeforeModel, map[string]hookstest.Script{"a": {Stdout: a}, "b": {Stdout: b},
			"c": {Stdout: c}}, "a", "b", "c")
		e.Config.Hooks[0].Sequential = sequential
		o := e.BeforeModel(context.Background(), hooks.NewModelRequest(hookstest.Request()))
		strongest := hooks.Proceed
		for i, out := range []string{a, b, c} {
			r := protocol.Parse(protocol.BeforeModel, protocol.Ran{Stdout: []byte(out)})
			if rep.last().Runs[i].Skipped != "" {
				continue
			}
			if r.Output.Stop {
				strongest = hooks.Stop
			} else if r.Output.Decision == protocol.Deny {
				strongest = max(strongest, hooks.Deny)
			}
		}
		if o.Decision != strongest {
			t.Fatalf("decision %s, but the strongest is %s", o.Decision, strongest)
		}
		if o.Denied() && o.Reason == "" {
			t.Fatal("denied without a reason")
		}
		sendable(t, o.Request.Messages)
		if _, err := json.Marshal(rep.last()); err != nil {
			t.Fatal(err)
		}
	})
}

// sendable fails unless roles alternate, no message is empty, and calls and results are
// paired.
func sendable(t *testing.T, ms []llm.Message) {
	t.Helper()
	require.NotEmpty(t, ms)
	calls, results := map[string]bool{}, map[string]bool{}
	for i, m := range ms {
		require.NotEmpty(t, m.Parts, "message %d", i)
		if i > 0 {
			require.NotEqual(t, ms[i-1].Role, m.Role, "message %d", i)
		}
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.ToolCall:
				calls[p.ID] = true
			case llm.ToolResult:
				results[p.ID] = true
			}
		}
	}
	require.Equal(t, calls, results, "calls and results")
}

func BenchmarkNoHooks(b *testing.B) {
	e := &hooks.Engine{Report: func(hooks.Report) {}}
	ctx, use := context.Background(), writeFile()
	b.ReportAllocs()
	for b.Loop() {
		e.BeforeTool(ctx, use)
	}
}

// BenchmarkAfterModel shows that a chunk costs the same after 10 messages and after
// 10,000, because the history is not copied.
func BenchmarkAfterModel(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			e := &hooks.Engine{
				Runner: quiet{}, Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.AfterModel, Command: "a"}}}}
			req := hooks.NewModelRequest(longRequest(n))
			e.AfterModel(context.Background(), req, hookstest.Chunk())
			b.ReportAllocs()
			for b.Loop() {
				e.AfterModel(context.Background(), req, hookstest.Chunk())
			}
		})
	}
}

// BenchmarkMarshal measures what a chunk would cost without sharing.
func BenchmarkMarshal(b *testing.B) {
	r := longRequest(10_000)
	e := &hooks.Engine{
		Runner: quiet{}, Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.AfterModel, Command: "a"}}}}
	for b.Loop() {
		e.AfterModel(context.Background(), hooks.NewModelRequest(r), hookstest.Chunk())
	}
}

// quiet is a Runner whose hooks say nothing.
type quiet struct{}

func (quiet) Run(context.Context, hooks.Hook, hooks.Payload, []string) hooks.Exit {
	return hooks.Exit{}
}

// AfterModel hooks read the text of the answer so far as the same hook read it before.
// Hooks that run together read what the model said. Sequential hooks read what the hook
// before them left.
func TestAfterModelReadsTheAnswerSoFar(t *testing.T) {
	t.Parallel()
	replaces := hookstest.Script{
		Stdout: `{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["x"]}}]}}}`}
	for _, c := range []struct {
		name       string
		sequential bool
		want       []string
	}{
		{"together", false, []string{"one ", "one ", "one two", "one two", "again", "again"}},
		{"in turn", true, []string{"one ", "x", "one two", "xx", "again", "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, r, _ := engine(protocol.AfterModel, map[string]hookstest.Script{"a": replaces, "b": {}}, "a", "b")
			for i := range e.Config.Hooks {
				e.Config.Hooks[i].Sequential = c.sequential
			}
			req := hooks.NewModelRequest(hookstest.Request())
			for _, text := range []string{"one ", "two"} {
				e.AfterModel(t.Context(), req, llm.Chunk{Parts: []llm.Part{llm.Thought{Text: "hm"}, llm.Text{Text: text}}})
			}
			// another request, another answer
			e.AfterModel(t.Context(), req.Next(hookstest.Request()), llm.Chunk{Parts: []llm.Part{llm.Text{Text: "again"}}})
			var full []string
			for _, call := range r.Calls() {
				full = append(full, gjson.Get(call.Stdin, "full_content").String())
			}
			assert.Equal(t, c.want, full)
		})
	}
}

// TestHoldBackInTheEngine checks that a hook of the SDK can hold text back over several
// chunks. All of it arrives, and thoughts and calls stay as they were.
func TestHoldBackInTheEngine(t *testing.T) {
	t.Parallel()
	hold := func(in protocol.AfterModelInput) protocol.Output {
		return protocol.HoldBack(in, func(text string) string { return strings.ReplaceAll(text, "secret", "***") })
	}
	e := &hooks.Engine{
		Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.AfterModel, Name: "hold"}}},
		Runner: hooks.Functions{ByName: map[string]hooks.Function{"hold": hooks.Func(hold)}},
	}
	req := hooks.NewModelRequest(hookstest.Request())
	var got []llm.Part
	for _, c := range []llm.Chunk{
		{Parts: []llm.Part{llm.Thought{Text: "a secret"}}},
		{Parts: []llm.Part{llm.Text{Text: "The sec"}}},
		{Parts: []llm.Part{llm.Thought{Text: "hm"}, llm.Text{Text: "ret"}}},
		{Parts: []llm.Part{llm.ToolCall{Name: "glob"}}, FinishReason: "STOP"},
	} {
		out := e.AfterModel(t.Context(), req, c)
		got = append(got, out.Chunk.Parts...)
	}
	assert.Equal(t, []llm.Part{llm.Thought{Text: "a ***"}, llm.Text{Text: "The "}, llm.Thought{Text: "hm"}, llm.Text{},
		llm.Text{Text: "***"}, llm.ToolCall{Name: "glob"}}, got)
}

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/llm"
)

func user(parts ...llm.Part) llm.Message  { return llm.Message{Role: llm.RoleUser, Parts: parts} }
func model(parts ...llm.Part) llm.Message { return llm.Message{Role: llm.RoleModel, Parts: parts} }

func said(s string) llm.Part { return llm.Text{Text: s} }
func called(id string) llm.Part {
	return llm.ToolCall{ID: "t__" + id, Name: "t"}
}
func got(id string) llm.Part {
	return llm.ToolResult{ID: "t__" + id, Name: "t", Response: map[string]any{"output": id}}
}

// One case for each rule of a valid history (core/core/geminiChat.ts).
func TestNormalize(t *testing.T) {
	t.Parallel()
	lost := func(id string) llm.Part { return notRun(called(id).(llm.ToolCall), notRunLost) }
	signature := llm.Text{Signature: []byte("sig")}
	for _, tt := range []struct {
		name string
		in   []llm.Message
		want []llm.Message
	}{
		{"a sound history stays", []llm.Message{user(said("a")), model(called("1")), user(got("1")), model(said("b"))},
			[]llm.Message{user(said("a")), model(called("1")), user(got("1")), model(said("b"))}},
		{"one role in a row becomes one message", []llm.Message{user(said("env")), user(said("a")), model(said("b")), model(said("c"))},
			[]llm.Message{user(said("env"), said("a")), model(said("b"), said("c"))}},
		{"thoughts are dropped", []llm.Message{user(said("a")), model(llm.Thought{Text: "hm"}, said("b"))},
			[]llm.Message{user(said("a")), model(said("b"))}},
		{"empty messages are dropped", []llm.Message{user(said("a")), model(), model(said("")), user(said("b"))},
			[]llm.Message{user(said("a"), said("b"))}},
		{"an empty text with a signature stays", []llm.Message{user(said("a")), model(said("b"), signature)},
			[]llm.Message{user(said("a")), model(said("b"), signature)}},
		{"unanswered results are closed", []llm.Message{user(said("a")), model(called("1")), user(got("1")), user(said("b"))},
			[]llm.Message{user(said("a")), model(called("1")), user(got("1")), model(said(unanswered)), user(said("b"))}},
		{"a lost result is made up", []llm.Message{user(said("a")), model(called("1"), called("2")), user(got("2"))},
			[]llm.Message{user(said("a")), model(called("1"), called("2")), user(lost("1"), got("2"))}},
		{"all results lost", []llm.Message{user(said("a")), model(called("1")), user(said("b"))},
			[]llm.Message{user(said("a")), model(called("1")), user(lost("1"), said("b"))}},
		{"a call at the end is answered", []llm.Message{user(said("a")), model(called("1"))},
			[]llm.Message{user(said("a")), model(called("1")), user(lost("1"))}},
		{"results come in the order of calls, before text", []llm.Message{user(said("a")), model(called("1"), called("2")), user(said("x"), got("2"), got("1"))},
			[]llm.Message{user(said("a")), model(called("1"), called("2")), user(got("1"), got("2"), said("x"))}},
		{"a result without a call is dropped", []llm.Message{user(said("a")), model(said("b")), user(got("9")), model(said("c"))},
			[]llm.Message{user(said("a")), model(said("b"), said("c"))}},
	} {
		before := fmt.Sprint(lines(tt.in))
		assert.Equal(t, tt.want, normalize(tt.in), tt.name)
		assert.Equal(t, tt.want, normalize(normalize(tt.in)), tt.name+", twice")
		assert.Equal(t, before, fmt.Sprint(lines(tt.in)), tt.name+": the history is not touched")
	}
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	sign := func(p llm.Part, s []byte) llm.Part { c := p.(llm.ToolCall); c.Signature = s; return c }
	own := []byte("own")
	in := []llm.Message{
		user(said("a")), model(called("0")), user(got("0")), model(said("done")),
		user(said("b")), model(called("1"), called("2")), user(got("1"), got("2")),
		model(sign(called("3"), own), called("4")), user(got("3"), got("4")),
	}
	want := []llm.Message{
		user(said("a")), model(called("0")), user(got("0")), model(said("done")),
		user(said("b")), model(sign(called("1"), skipSignature), called("2")), user(got("1"), got("2")),
		model(sign(called("3"), own), called("4")), user(got("3"), got("4")),
	}
	assert.Equal(t, want, forModel("gemini-3-pro-preview", in))
	assert.Equal(t, in, forModel("gemini-2.5-flash", in))

	wire, err := json.Marshal(llm.Request{Messages: want[5:6]})
	require.NoError(t, err)
	assert.Contains(t, strings.ReplaceAll(string(wire), "/", "_"), `"thoughtSignature":"skip_thought_signature_validator"`)
}

func TestBlobsOfResults(t *testing.T) {
	t.Parallel()
	blob := llm.Blob{MIMEType: "image/png", Data: []byte{1}}
	result := got("1").(llm.ToolResult)
	result.Parts = []llm.Part{blob}
	in := []llm.Message{model(called("1"), called("2")), user(result, got("2"))}
	assert.Equal(t, result, forModel("gemini-3-flash-preview", in)[1].Parts[0])
	assert.Equal(t, user(got("1"), got("2"), blob), forModel("gemini-2.5-flash", in)[1])
	assert.Len(t, in[1].Parts[0].(llm.ToolResult).Parts, 1)
}

func TestJoin(t *testing.T) {
	t.Parallel()
	signed := llm.Text{Text: "b", Signature: []byte("sig")}
	var a reply
	for _, p := range []llm.Part{said("a"), said(""), said("a"), llm.Thought{Text: "hm"}, signed, said("c"), said("d"), called("1"), said("e")} {
		a.add(llm.Chunk{Parts: []llm.Part{p}})
	}
	want := []llm.Part{said("aa"), signed, said("cd"), called("1"), said("e")}
	assert.Equal(t, want, a.allParts())
	assert.Equal(t, want, a.message().Parts, "again")
	assert.Equal(t, "aabcde", a.text())
}

func TestMemory(t *testing.T) {
	t.Parallel()
	var h Memory
	h.Append(user(said("a")))
	h.Append(user(said("b")))
	h.Rollback(1)
	assert.Equal(t, []llm.Message{user(said("a"))}, h.Messages())
	h.Replace(nil)
	assert.Empty(t, h.Messages())
	assert.Panics(t, func() { h.Rollback(1) })
}

// Whatever models, tools, hooks and users do, the API accepts each request.
func TestAnyRunSendsValidRequests(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		b := newBench()
		for range 40 {
			b.model.Answers = append(b.model.Answers, randomAnswer(rnd))
		}
		randomSurroundings(rnd, b)
		for prompt := range 4 {
			ctx, cancel := context.WithCancelCause(t.Context())
			if rnd.IntN(4) == 0 {
				left := rnd.IntN(6)
				b.Config.Now = func() time.Time {
					if left--; left < 0 {
						cancel(errUser)
					}
					return time.UnixMilli(1000)
				}
			}
			b.Run(ctx, Prompt{Text: fmt.Sprint("prompt ", prompt)})
			cancel(nil)
		}
		for _, req := range b.model.Requests() {
			require.NoError(t, apiAccepts(req), "seed %d", seed)
		}
		require.NotEmpty(t, b.model.Requests(), "seed %d", seed)
	}
}

func randomAnswer(rnd *rand.Rand) llm.FakeAnswer {
	var a llm.FakeAnswer
	for range rnd.IntN(4) {
		switch rnd.IntN(5) {
		case 0, 1:
			a.Chunks = append(a.Chunks, text("words "))
		case 2:
			a.Chunks = append(a.Chunks, calling("look", "read"))
		case 3:
			a.Chunks = append(a.Chunks, llm.Chunk{Parts: []llm.Part{llm.ToolCall{ID: "same", Name: "look"}}})
		case 4:
			a.Chunks = append(a.Chunks, llm.Chunk{Parts: []llm.Part{llm.Thought{Text: "hm"}}})
		}
	}
	switch rnd.IntN(6) {
	case 0:
		a.Err = &llm.Error{Kind: llm.ErrStream, Message: "lost", Opened: true}
	case 1:
		a.Err = errors.New("boom")
	default:
		a.Chunks = append(a.Chunks, done(text("end")))
	}
	return a
}

func randomSurroundings(rnd *rand.Rand, b *bench) {
	verdict := func(n int) hooks.Verdict {
		switch rnd.IntN(n) {
		case 0:
			return deny("no")
		case 1:
			return stop("end")
		}
		return hooks.Verdict{}
	}
	b.hooks.beforeAgent = func(string) hooks.Outcome {
		return hooks.Outcome{Verdict: verdict(20), Context: "<ctx>"}
	}
	b.hooks.beforeModel = func(r *hooks.ModelRequest) hooks.BeforeModelOutcome {
		out := hooks.BeforeModelOutcome{Verdict: verdict(30), Request: r}
		if changed := r.Request; rnd.IntN(4) == 0 { // a hook removes random messages
			at := rnd.IntN(len(changed.Messages))
			if at > 0 {
				changed.Messages = append(append([]llm.Message(nil), changed.Messages[:at]...), changed.Messages[at+1:]...)
				out.Request = hooks.NewModelRequest(changed)
			}
		}
		return out
	}
	b.hooks.afterModel = func(c llm.Chunk) hooks.AfterModelOutcome {
		return hooks.AfterModelOutcome{Verdict: verdict(30), Chunk: c}
	}
	b.hooks.afterAgent = func(string, string, bool) hooks.AfterAgentOutcome {
		return hooks.AfterAgentOutcome{Verdict: verdict(4), ClearContext: rnd.IntN(2) == 0}
	}
	b.Tools = toolFunc(func(_ context.Context, calls []llm.ToolCall) ([]llm.ToolResult, hooks.Verdict) {
		return resultsFor(calls), verdict(15)
	})
}

// TestChunksCostTheSame checks that eight times the chunks allocate eight times as
// much. A text that is joined anew for each chunk would take 64 times.
func TestChunksCostTheSame(t *testing.T) { // not parallel: others allocate too
	cost := func(n int) uint64 {
		var before, after runtime.MemStats
		var a reply
		var raw received
		var loop detector
		runtime.ReadMemStats(&before)
		for i := range n {
			c := llm.Chunk{Parts: []llm.Part{said(fmt.Sprintf("piece %d of it ", i))}}
			raw.add(c)
			a.add(c)
			loop.addText(c.Text())
		}
		runtime.ReadMemStats(&after)
		assert.True(t, strings.HasSuffix(a.text(), "of it "))
		return after.TotalAlloc - before.TotalAlloc
	}
	small, large := cost(2_000), cost(16_000)
	assert.Less(t, large, 20*small)
}

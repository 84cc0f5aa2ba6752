package compress

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent"
	"minigem/internal/thorough"
	"minigem/llm"
)

var _ agent.Compressor = (*Compressor)(nil)

// heard records the events of a compression.
type heard []string

func (h *heard) PreCompress(_ context.Context, trigger string) string {
	*h = append(*h, trigger)
	return ""
}

func (h *heard) PostCompact(context.Context, string, string) string { return "" }

// after records PostCompact events, and adds to the history.
type after struct {
	heard
	fired []string
}

func (a *after) PostCompact(_ context.Context, trigger, summary string) string {
	a.fired = append(a.fired, trigger+" "+summary)
	return "said after"
}

// TestPostCompact checks that it fires if the history changed, and that its additions
// follow the summary.
func TestPostCompact(t *testing.T) {
	t.Parallel()
	z, h, _, _ := fixture(texts("", snapshot, snapshot), prompt(50), answer(200))
	hooks := &after{}
	z.Hooks = hooks
	assert.Equal(t, FailedEmpty, z.Compress(t.Context(), 0).Status)
	assert.Empty(t, hooks.fired)
	r := z.Compress(t.Context(), 0)
	assert.Equal(t, []string{"manual " + snapshot}, hooks.fired)
	assert.Equal(t, []llm.Message{llm.UserText(snapshot + "\n\nsaid after"), llm.ModelText(acknowledgement)}, h.Messages())
	assert.Equal(t, Estimate(h.Messages()), r.After)
}

func prompt(n int) llm.Message { return llm.UserText("prompt " + strings.Repeat("p", n)) }

func answer(n int) llm.Message { return llm.ModelText("answer " + strings.Repeat("a", n)) }

func asks(id string) llm.Message {
	return llm.Message{Role: llm.RoleModel, Parts: []llm.Part{llm.Text{Text: "I look"}, llm.ToolCall{ID: id, Name: "t"}}}
}

func gets(id string, n int) llm.Message {
	return llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{ID: id, Name: "t", Response: map[string]any{"output": strings.Repeat("o", n)}}}}
}

// fixture returns a Compressor that acts from 100 tokens on.
func fixture(answers []llm.FakeAnswer, messages ...llm.Message) (*Compressor, *agent.Memory, *llm.Fake, *heard) {
	h, model, fired := &agent.Memory{}, &llm.Fake{Answers: answers}, &heard{}
	h.Replace(messages)
	return &Compressor{History: h, Model: model, ModelName: "m", Limit: 400, Threshold: 0.25, Hooks: fired}, h, model, fired
}

func texts(ts ...string) (answers []llm.FakeAnswer) {
	for _, t := range ts {
		answers = append(answers, llm.FakeText(t))
	}
	return answers
}

const snapshot = "<state_snapshot>s</state_snapshot>"

func TestSplit(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		body []llm.Message
		want int
	}{
		{"nothing", nil, 0},
		{"one prompt", []llm.Message{prompt(10)}, 0},
		{"the first prompt of the newest part", []llm.Message{prompt(400), answer(400), prompt(10), answer(10), prompt(10)}, 2},
		{"a prompt before them does not count", []llm.Message{prompt(100), answer(100), prompt(10), answer(400), prompt(10)}, 4},
		{"a round, within one prompt", []llm.Message{prompt(10), asks("1"), gets("1", 800), asks("2"), gets("2", 100)}, 3},
		{"a prompt rather than a round", []llm.Message{prompt(10), asks("1"), gets("1", 800), asks("2"), gets("2", 10), answer(10), prompt(10)}, 6},
		{"all, where the model spoke last", []llm.Message{prompt(10), answer(10)}, 2},
		{"not all, where a call is open", []llm.Message{prompt(10), asks("1")}, 1},
		{"the last place, where the newest message is the longest", []llm.Message{prompt(10), asks("1"), gets("1", 10), asks("2"), gets("2", 900)}, 3},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, split(c.body), c.name)
	}
}

func TestCompress(t *testing.T) {
	t.Parallel()
	long := []llm.Message{prompt(400), answer(400), prompt(20)}
	inPrompt := []llm.Message{prompt(10), asks("1"), gets("1", 900), asks("2"), gets("2", 20)}
	ack := llm.ModelText(acknowledgement)
	cases := []struct {
		name    string
		answers []llm.FakeAnswer
		before  []llm.Message
		after   []llm.Message // nil means as before
		status  Status
		fired   heard
	}{
		{"below the threshold", nil, []llm.Message{prompt(40)}, nil, Noop, nil},
		{"between prompts", texts("<scratchpad>x</scratchpad>\n"+snapshot, "final: <state_snapshot>v</state_snapshot>."), long,
			[]llm.Message{llm.UserText("<state_snapshot>v</state_snapshot>"), ack, prompt(20)}, Compressed, heard{"auto"}},
		{"within a prompt: no acknowledgement before a model's turn", texts(snapshot, snapshot), inPrompt,
			[]llm.Message{llm.UserText(snapshot), inPrompt[3], inPrompt[4]}, Compressed, heard{"auto"}},
		{"the second look says nothing", texts(snapshot, " "), long, []llm.Message{llm.UserText(snapshot), ack, prompt(20)}, Compressed, heard{"auto"}},
		{"the second look fails", append(texts(snapshot), llm.FakeAnswer{Err: errors.New("503")}), long, []llm.Message{llm.UserText(snapshot), ack, prompt(20)}, Compressed, heard{"auto"}},
		{"a summary without tags", texts("plain", ""), long, []llm.Message{llm.UserText("plain"), ack, prompt(20)}, Compressed, heard{"auto"}},
		// The history stays.
		{"empty", texts(""), long, nil, FailedEmpty, heard{"auto"}},
		{"failed", []llm.FakeAnswer{{Err: errors.New("503")}}, long, nil, FailedEmpty, heard{"auto"}},
		{"inflated", texts(snapshot, strings.Repeat("long ", 500)), long, nil, FailedInflated, heard{"auto"}},
	}
	for _, c := range cases {
		z, h, _, fired := fixture(c.answers, c.before...)
		var r Result
		z.Report = func(got Result) { r = got }
		z.Fit(t.Context(), 0)
		if c.after == nil {
			c.after = c.before
		}
		assert.Equal(t, c.after, h.Messages(), c.name)
		assert.ElementsMatch(t, c.fired, *fired, c.name)
		if c.status == Noop {
			assert.Zero(t, r, c.name)
			continue
		}
		assert.Equal(t, c.status, r.Status, c.name)
		assert.Equal(t, Estimate(c.before), r.Before, c.name)
		assert.Equal(t, Estimate(c.after), r.After, c.name)
		assert.Equal(t, r.Status == FailedEmpty, r.Err != nil, c.name)
	}
}

func TestManual(t *testing.T) {
	t.Parallel()
	z, h, model, fired := fixture(texts(snapshot, snapshot), prompt(50), answer(200))
	r := z.Compress(t.Context(), 0)
	assert.Equal(t, Result{Status: Compressed, Trigger: "manual", Before: 65, After: Estimate(h.Messages())}, r)
	assert.Equal(t, []llm.Message{llm.UserText(snapshot), llm.ModelText(acknowledgement)}, h.Messages())
	assert.Equal(t, heard{"manual"}, *fired)
	requests := model.Requests()
	require.Len(t, requests, 2)
	assert.Equal(t, []llm.Message{prompt(50), answer(200), llm.UserText(strings.TrimSpace(instructionText))}, requests[0].Messages)
	assert.Equal(t, append(requests[0].Messages, llm.ModelText(snapshot), llm.UserText(strings.TrimSpace(verifyText))), requests[1].Messages)

	h.Replace(nil)
	assert.Equal(t, Noop, z.Compress(t.Context(), 0).Status)
	assert.Len(t, *fired, 1, "nothing to compress: no hook")
}

func TestPreambleStays(t *testing.T) {
	t.Parallel()
	preamble := llm.UserText("<session_context>" + strings.Repeat("x", 400) + "</session_context>")
	z, h, model, _ := fixture(texts(snapshot, snapshot), preamble, prompt(400), answer(400), prompt(20))
	z.Preamble = func() int { return 1 }
	z.Fit(t.Context(), 0)
	assert.Equal(t, []llm.Message{preamble, llm.UserText(snapshot), llm.ModelText(acknowledgement), prompt(20)}, h.Messages())
	assert.Equal(t, prompt(400), model.Requests()[0].Messages[0], "nor is it summarized")
}

func TestAnEarlierSnapshotIsMerged(t *testing.T) {
	t.Parallel()
	z, _, model, _ := fixture(texts(snapshot, snapshot), llm.UserText("<state_snapshot>old</state_snapshot>"), answer(400), prompt(400), answer(10), prompt(20))
	z.Fit(t.Context(), 0)
	messages := model.Requests()[0].Messages
	assert.Contains(t, messages[len(messages)-1].Text(), strings.TrimSpace(mergeText))
}

// The provider's count is trusted. It includes instruction and tools.
func TestTokensOfTheProvider(t *testing.T) {
	t.Parallel()
	z, h, _, _ := fixture(texts(snapshot, snapshot), prompt(100), answer(100), prompt(20))
	before := Estimate(h.Messages())
	require.Less(t, before, 100)
	var r Result
	z.Report = func(got Result) { r = got }
	z.Fit(t.Context(), 1000)
	assert.Equal(t, Result{Status: Compressed, Trigger: "auto", Before: 1000, After: 1000 - before + Estimate(h.Messages())}, r)
	z.Fit(t.Context(), 1000)
	assert.Equal(t, 1000, r.Before, "the same count again is an old one: nothing was done")
}

func TestAfterAFailure(t *testing.T) {
	t.Parallel()
	z, h, model, fired := fixture(texts("", snapshot, snapshot), prompt(400), answer(400), prompt(20))
	z.Fit(t.Context(), 0)
	z.Fit(t.Context(), 0)
	assert.Len(t, model.Requests(), 1, "not again at the same size")
	assert.Len(t, *fired, 1)
	h.Append(answer(200))
	h.Append(prompt(20))
	z.Fit(t.Context(), 0)
	assert.Len(t, model.Requests(), 3, "again when it has grown")
	assert.Equal(t, llm.UserText(snapshot), h.Messages()[0])
}

func TestOlderPartBeyondTheLimit(t *testing.T) {
	t.Parallel()
	body := []llm.Message{prompt(40)}
	for i := range 8 {
		id := fmt.Sprint(i)
		body = append(body, asks(id), gets(id, 400))
	}
	for _, room := range []int{0, 100, 400, 10_000} {
		got := newest(body, room)
		requirePaired(t, got)
		assert.Equal(t, body[0], got[0])
		assert.Equal(t, body[len(body)-1], got[len(got)-1])
		if room >= 400 {
			assert.LessOrEqual(t, Estimate(got), room)
		}
	}
	assert.Equal(t, body, newest(body, 10_000))
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	z, h, _, _ := fixture(texts(snapshot), prompt(400), answer(400), prompt(20))
	before := h.Messages()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := z.Compress(ctx, 0)
	assert.Equal(t, FailedEmpty, r.Status)
	assert.ErrorIs(t, r.Err, context.Canceled)
	assert.Equal(t, before, h.Messages())
}

func TestLongOutputsFirst(t *testing.T) {
	t.Parallel()
	messages := []llm.Message{prompt(10)}
	for i := range 10 {
		id := fmt.Sprint(i)
		messages = append(messages, asks(id), gets(id, 40_000))
	}
	z, h, model, fired := fixture(nil, messages...)
	z.Limit, z.Threshold = 180_000, 0.5
	saved := map[string]int{}
	z.Save = func(id, text string) (string, error) {
		saved[id] = len(text)
		if id == "1" {
			return "", errors.New("disk full")
		}
		return "/tmp/" + id + ".txt", nil
	}
	var r Result
	z.Report = func(got Result) { r = got }
	z.Fit(t.Context(), 0)
	assert.Equal(t, ContentTruncated, r.Status)
	assert.Equal(t, heard{"auto"}, *fired)
	assert.Empty(t, model.Requests())
	assert.Equal(t, map[string]int{"0": 40_000, "1": 40_000, "2": 40_000, "3": 40_000, "4": 40_000, "5": 40_000}, saved)
	got := h.Messages()
	assert.Equal(t, messages[13:], got[13:], "the newest stay whole")
	output := got[2].Parts[0].(llm.ToolResult).Response["output"].(string)
	assert.Equal(t, strings.Repeat("o", keptHead)+"\n[... 36000 characters left out; the whole output is in /tmp/0.txt ...]\n"+strings.Repeat("o", keptTail), output)
	assert.Contains(t, got[4].Parts[0].(llm.ToolResult).Response["output"], "the whole output was not kept")
	assert.Len(t, messages[2].Parts[0].(llm.ToolResult).Response["output"], 40_000, "the messages given are not changed")
}

func TestCutTextKeepsRunes(t *testing.T) {
	t.Parallel()
	c := &Compressor{}
	for shift := range 4 {
		text := strings.Repeat("x", shift) + strings.Repeat("€", 4000)
		assert.True(t, strings.HasPrefix(c.cutText("1", text), text[:790]))
		assert.NotContains(t, c.cutText("1", text), "\uFFFD")
	}
	assert.NotPanics(t, func() { c.cutText("1", strings.Repeat("\x80", 9000)) })
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		part llm.Part
		want int
	}{
		{"ASCII", llm.Text{Text: strings.Repeat("a", 400)}, 100},
		{"not ASCII", llm.Text{Text: strings.Repeat("ü", 100)}, 150},
		{"long", llm.Text{Text: strings.Repeat("ü", 100_000)}, 50_000},
		{"image", llm.Blob{MIMEType: "image/png"}, 3000},
		{"PDF", llm.Blob{MIMEType: "application/pdf"}, 25_800},
		{"call", llm.ToolCall{Name: "abcd", Args: map[string]any{"abcd": "abcdabcd", "efgh": []any{1.0, "abcd"}}}, 7},
		{"result", llm.ToolResult{Name: "abcd", Response: map[string]any{"output": "ab"}, Parts: []llm.Part{llm.Blob{MIMEType: "image/png"}}}, 3003},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, Estimate([]llm.Message{{Parts: []llm.Part{c.part}}}), c.name)
	}
}

// In two thousand rounds with batches of all sizes, no call is ever separated from its
// result, and kept messages stay unchanged.
func TestPairsAreNeverSeparated(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	z, h, model, _ := fixture(nil)
	z.Limit = 60_000
	z.Threshold = 0.5
	z.Save = func(id, _ string) (string, error) { return "/tmp/" + id, nil }
	compressions := 0
	z.Report = func(r Result) {
		if r.Status == Compressed {
			compressions++
		}
	}
	model.Answers = slices.Repeat(texts(snapshot), 4000)
	for i := range thorough.Times(400, 2000) {
		if i%97 == 0 {
			h.Append(prompt(rng.IntN(300)))
		}
		m, r := llm.Message{Role: llm.RoleModel}, llm.Message{Role: llm.RoleUser}
		for j := range 1 + rng.IntN(4) {
			id := fmt.Sprintf("%d-%d", i, j)
			m.Parts = append(m.Parts, llm.ToolCall{ID: id, Name: "t"})
			r.Parts = append(r.Parts, llm.ToolResult{ID: id, Name: "t", Response: map[string]any{"output": strings.Repeat("o", rng.IntN(2000))}})
		}
		h.Append(m)
		h.Append(r)
		before := h.Messages()
		z.Fit(t.Context(), 0)
		after := h.Messages()
		requirePaired(t, after)
		if len(after) < len(before) {
			kept := after[1:]
			if after[1].Text() == acknowledgement {
				kept = after[2:]
			}
			require.Equal(t, before[len(before)-len(kept):], kept)
		}
		if i%97 == 96 {
			h.Append(answer(rng.IntN(100)))
		}
	}
	assert.Greater(t, compressions, 10)
	for _, r := range model.Requests() {
		requirePaired(t, r.Messages)
	}
}

func requirePaired(t *testing.T, messages []llm.Message) {
	t.Helper()
	for i, m := range messages {
		if i > 0 {
			require.False(t, m.Role == llm.RoleModel && messages[i-1].Role == llm.RoleModel, "two turns of the model's in a row at %d", i)
		}
		for _, c := range m.Calls() {
			require.Less(t, i+1, len(messages))
			require.True(t, slices.ContainsFunc(messages[i+1].Parts, func(p llm.Part) bool {
				r, ok := p.(llm.ToolResult)
				return ok && r.ID == c.ID
			}), "call %s has no result", c.ID)
		}
		for _, p := range m.Parts {
			if r, ok := p.(llm.ToolResult); ok {
				require.True(t, slices.ContainsFunc(messages[i-1].Calls(), func(c llm.ToolCall) bool { return c.ID == r.ID }), "result %s has no call", r.ID)
			}
		}
	}
}

func BenchmarkFitLongHistory(b *testing.B) {
	messages := []llm.Message{prompt(100)}
	for i := range thorough.Times(400, 2000) {
		id := fmt.Sprint(i)
		messages = append(messages, asks(id), gets(id, 900))
	}
	z, _, _, _ := fixture(nil, messages...)
	z.Limit = 10_000_000
	for b.Loop() {
		z.Fit(b.Context(), 0)
	}
}

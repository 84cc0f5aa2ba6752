package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/internal/thorough"
	"minigem/llm"
)

// callsUntil feeds calls of the given names, in turn. It returns how many calls it took
// to detect a loop, or 0 for none in 60.
func callsUntil(names ...string) int {
	var d detector
	for i := range 60 {
		if d.call(llm.ToolCall{Name: names[i%len(names)], Args: map[string]any{"a": 1.0}}) {
			return i + 1
		}
	}
	return 0
}

func TestCallCycles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		names string
		want  int
	}{
		{"a", 5},
		{"a b", 10},
		{"a b c", 15},
		{"a b c d e", 25},
		{"a b c d e f", 0},
	} {
		assert.Equal(t, tt.want, callsUntil(strings.Fields(tt.names)...), tt.names)
	}
	var d detector
	for i := range 60 {
		assert.False(t, d.call(llm.ToolCall{Name: "read", Args: map[string]any{"line": float64(i)}}), "other arguments are other calls")
	}
}

func TestChanting(t *testing.T) {
	t.Parallel()
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		name   string
		chunks []string
		want   bool
	}{
		{"one word", []string{strings.Repeat("lorem ", 4000)}, true},
		{"one word, in pieces", strings.SplitAfter(strings.Repeat("lorem ", 400), " "), true},
		{"a sentence, in pieces", strings.SplitAfter(strings.Repeat("I will now try the very same thing once more, and again. ", 30), " "), true},
		{"nine times is not a chant", []string{strings.Repeat(strings.Repeat("x", 49)+"\n", 9)}, false},
		{"prose", []string{numbered(400, "Sentence number %d is not like the one before it. ")}, false},
		{"inside code", []string{"```go\n", strings.Repeat("x = x + 1 // and the very same line of code again\n", 40), "```\n"}, false},
		{"a list", strings.SplitAfter(strings.Repeat("- the same item of a list, which lists may well repeat, so be it\n", 40), "\n"), false},
		{"far apart", []string{strings.Repeat(strings.Repeat("y", 50)+numbered(60, "%d-different-"), 12)}, false},
		{"after code", []string{"```\ncode\n```\n", strings.Repeat("lorem ", 400)}, true},
		{"a divider", []string{strings.Repeat("=", 4000)}, false},
	} {
		var d detector
		got := false
		for _, c := range tt.chunks {
			got = got || d.addText(c)
		}
		assert.Equal(t, tt.want, got, tt.name)
	}
}

func TestDetectorForgets(t *testing.T) {
	t.Parallel()
	var d detector
	for i := range thorough.Times(2_000, 20_000) {
		require.False(t, d.addText(fmt.Sprintf("%d is a number; ", i*7919)))
	}
	assert.LessOrEqual(t, len(d.text), 2*chantMemory)
	assert.Len(t, d.before, len(d.text))
	assert.Less(t, len(d.seen), 3*chantMemory)
}

// TestRollingHash compares the rolling hash with the hash of each piece, in a text that
// is long enough to be cut.
func TestRollingHash(t *testing.T) {
	t.Parallel()
	var d detector
	for i := range 1_000 {
		d.addText(fmt.Sprintf("%d ist größer; ", i*7919))
		if d.next == 0 {
			continue
		}
		var anew uint64
		for _, r := range d.between(d.next-1, d.next-1+chantSize) {
			anew = anew*hashBase + uint64(r)
		}
		require.Equal(t, anew, d.hash, i)
	}
	assert.Positive(t, d.start)
}

func TestLoopOfCalls(t *testing.T) {
	t.Parallel()
	b := newBench()
	for range 10 {
		b.model.Answers = append(b.model.Answers, llm.FakeCalls(llm.ToolCall{Name: "look"}))
	}
	res := b.run(t, "find it")
	assert.Equal(t, Loop, res.Ending)
	assert.Equal(t, 10, res.Rounds, "five to the first loop, five to the second")
	assert.Len(t, eventsOf[event.LoopDetected](b), 1)
	assert.Equal(t, kindCalls, eventsOf[event.LoopDetected](b)[0].Kind)

	after := lines(b.model.Requests()[5].Messages)
	assert.Equal(t, "user: find it", after[0], "the recovery request still holds the prompt")
	assert.Contains(t, after[len(after)-1], "error:not run")
	assert.Contains(t, after[len(after)-1], recovery)
	assert.Len(t, eventsOf[event.ToolFinished](b), 2, "the calls that closed the loops did not run")
	require.NoError(t, apiAccepts(llm.Request{Messages: append(b.memory.Messages(), llm.ModelText("x"))}))
}

func TestRetriesOfHooksAreNotALoop(t *testing.T) {
	t.Parallel()
	b := newBench()
	chant := llm.FakeText(strings.Repeat("lorem ", 4000))
	b.model.Answers = []llm.FakeAnswer{chant, llm.FakeText("one"), chant, llm.FakeText("two")}
	b.hooks.afterAgent = func(_, response string, _ bool) (o hooks.AfterAgentOutcome) {
		if response == "one" {
			o.Verdict = deny("again")
		}
		return o
	}
	assert.Equal(t, "two", b.run(t, "hi").Response, "each attempt counts its own loops")
}

func TestLoopOfText(t *testing.T) {
	t.Parallel()
	chant := strings.Repeat("lorem ", 4000)
	b := newBench(llm.FakeText(chant), llm.FakeText("sorry: the answer is 4"))
	res := b.run(t, "2+2")
	assert.Equal(t, Result{Ending: Answered, Response: "sorry: the answer is 4", Rounds: 2}, res)
	assert.Len(t, eventsOf[event.RoundDiscarded](b), 1)
	assert.Empty(t, eventsOf[event.LoopDetected](b))
	req := lines(b.model.Requests()[1].Messages)
	require.Len(t, req, 1)
	assert.True(t, strings.HasPrefix(req[0], "user: 2+2 "+recovery), req[0])

	twice := newBench(llm.FakeText(chant), llm.FakeText(chant))
	assert.Equal(t, Loop, twice.run(t, "2+2").Ending)
	assert.Equal(t, kindChant, eventsOf[event.LoopDetected](twice)[0].Kind)

	off := newBench(llm.FakeText(chant))
	off.Config.DisableLoopDetection = true
	assert.Equal(t, Answered, off.run(t, "2+2").Ending)
}

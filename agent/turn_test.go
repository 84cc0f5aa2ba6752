package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
)

func text(s string) llm.Chunk { return llm.Chunk{Parts: []llm.Part{llm.Text{Text: s}}} }

func done(c llm.Chunk) llm.Chunk { c.FinishReason = "STOP"; return c }

func calling(names ...string) llm.Chunk {
	var c llm.Chunk
	for _, n := range names {
		c.Parts = append(c.Parts, llm.ToolCall{Name: n})
	}
	return c
}

func stream(chunks ...llm.Chunk) llm.FakeAnswer { return llm.FakeAnswer{Chunks: chunks} }

func TestBeforeModelChangesThisRequestOnly(t *testing.T) {
	t.Parallel()
	b := newBench(llm.FakeText("ok"))
	b.Config.System = func() string { return "be brief" }
	b.Tools = declaring{echoTools, []llm.ToolSpec{{Name: "look"}, {Name: "write"}}}
	b.hooks.beforeModel = func(r *hooks.ModelRequest) hooks.BeforeModelOutcome {
		changed := r.Request
		changed.Model = "gemini-3-pro-preview"
		changed.Messages = []llm.Message{llm.UserText("asked"), llm.UserText("differently")}
		return hooks.BeforeModelOutcome{Request: hooks.NewModelRequest(changed)}
	}
	b.hooks.selection = func(r *hooks.ModelRequest) *hooks.ModelRequest {
		changed := r.Request
		changed.Tools = changed.Tools[:1]
		return hooks.NewModelRequest(changed)
	}
	b.run(t, "hi")
	assert.Equal(t, []llm.Request{{
		Model: "gemini-3-pro-preview", System: "be brief", Tools: []llm.ToolSpec{{Name: "look"}},
		Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "asked"}, llm.Text{Text: "differently"}}}},
	}}, b.model.Requests())
	assert.Equal(t, []string{"user: hi", "model: ok"}, lines(b.memory.Messages()))
	assert.Equal(t, []event.RoundStarted{{Round: 1, Model: "gemini-3-pro-preview"}}, eventsOf[event.RoundStarted](b))
}

func TestBeforeModelEndsTheTurnOrAnswers(t *testing.T) {
	t.Parallel()
	answer := []llm.Chunk{text("can"), done(text("ned"))}
	for _, tt := range []struct {
		name     string
		verdict  hooks.Verdict
		response []llm.Chunk
		want     Result
		history  []string
		shown    []event.TextDelta
	}{
		{"deny", deny("no"), nil, Result{Ending: Blocked, Reason: "no", Rounds: 1}, []string{"user: hi"}, nil},
		{"stop", stop("end"), nil, Result{Ending: Stopped, Reason: "end", Rounds: 1}, []string{"user: hi"}, nil},
		{"answer", hooks.Verdict{}, answer, Result{Ending: Answered, Response: "canned", Rounds: 1},
			[]string{"user: hi", "model: canned"}, []event.TextDelta{{Text: "can"}, {Text: "ned"}}},
		{"answer and deny", deny("no"), answer, Result{Ending: Blocked, Reason: "no", Response: "canned", Rounds: 1},
			[]string{"user: hi", "model: canned"}, []event.TextDelta{{Text: "can"}, {Text: "ned"}}},
		{"answer and stop", stop("end"), answer, Result{Ending: Stopped, Reason: "end", Response: "canned", Rounds: 1},
			[]string{"user: hi", "model: canned"}, []event.TextDelta{{Text: "can"}, {Text: "ned"}}},
		{"blank answer", hooks.Verdict{}, []llm.Chunk{done(llm.Chunk{})}, Result{Ending: Answered, Rounds: 1}, []string{"user: hi"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench()
			b.hooks.beforeModel = func(r *hooks.ModelRequest) hooks.BeforeModelOutcome {
				return hooks.BeforeModelOutcome{Verdict: tt.verdict, Request: r, Response: tt.response}
			}
			received := ""
			b.hooks.afterModel = func(c llm.Chunk) hooks.AfterModelOutcome {
				received += c.Text()
				return hooks.AfterModelOutcome{Chunk: c}
			}
			assert.Equal(t, tt.want, b.run(t, "hi"))
			assert.Equal(t, tt.history, lines(b.memory.Messages()))
			assert.Equal(t, tt.shown, eventsOf[event.TextDelta](b))
			assert.Equal(t, tt.want.Response, received, "a synthetic answer passes AfterModel too")
			assert.Empty(t, b.model.Requests())
			for _, e := range eventsOf[event.RoundFinished](b) {
				assert.True(t, e.Synthetic)
			}
		})
	}
}

func TestAfterModelReplacesEverywhere(t *testing.T) {
	t.Parallel()
	b := newBench(stream(text("the key is "), text("s3cret"), done(text("!"))), llm.FakeText("ok"))
	b.hooks.afterModel = func(c llm.Chunk) hooks.AfterModelOutcome {
		out := hooks.AfterModelOutcome{Chunk: c}
		if strings.Contains(c.Text(), "s3cret") {
			out.Chunk.Parts, out.Replaced = []llm.Part{llm.Text{Text: "[redacted]"}}, true
		}
		return out
	}
	res := b.run(t, "key?")
	assert.Equal(t, "the key is [redacted]!", res.Response)
	assert.Equal(t, "AfterAgent key?|the key is [redacted]!|false", b.hooks.log[1])
	b.run(t, "again")
	assert.Equal(t, []string{"user: key?", "model: the key is [redacted]!", "user: again"}, lines(b.model.Requests()[1].Messages))
	assert.Equal(t, event.TextDelta{Text: "[redacted]"}, eventsOf[event.TextDelta](b)[1])
}

func TestAfterModelMayBlankAnAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(llm.FakeText("secret"))
	b.hooks.afterModel = func(c llm.Chunk) hooks.AfterModelOutcome {
		c.Parts = nil
		return hooks.AfterModelOutcome{Chunk: c, Replaced: true}
	}
	assert.Equal(t, Result{Ending: Answered, Rounds: 1}, b.run(t, "hi"))
	assert.Equal(t, []string{"user: hi"}, lines(b.memory.Messages()))
	assert.Equal(t, "AfterAgent hi|[no response text]|false", b.hooks.log[1])
	assert.Len(t, b.model.Requests(), 1, "what a hook blanked is no reason to ask again")
}

func TestAfterModelEndsTheTurn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		verdict hooks.Verdict
		ending  Ending
	}{
		{"deny", deny("no"), Blocked},
		{"stop", stop("no"), Stopped},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ran := 0
			b := newBench(stream(text("Hello "), calling("first"), done(calling("second"))))
			b.Tools = toolFunc(func(_ context.Context, calls []llm.ToolCall) ([]llm.ToolResult, hooks.Verdict) {
				ran++
				return resultsFor(calls), hooks.Verdict{}
			})
			b.hooks.afterModel = func(c llm.Chunk) hooks.AfterModelOutcome {
				if calls := c.Calls(); len(calls) > 0 && calls[0].Name == "second" {
					return hooks.AfterModelOutcome{Verdict: tt.verdict, Chunk: c}
				}
				return hooks.AfterModelOutcome{Chunk: c}
			}
			assert.Equal(t, Result{Ending: tt.ending, Reason: "no", Response: "Hello ", Rounds: 1}, b.run(t, "hi"))
			assert.Zero(t, ran)
			assert.Equal(t, []string{
				"user: hi", "model: Hello  call(first__first_1000_0)",
				"user: result(first__first_1000_0)map[error:not run: no]",
			}, lines(b.memory.Messages()))
			finished := eventsOf[event.ToolFinished](b)
			require.Len(t, finished, 1)
			assert.Equal(t, event.ToolCancelled, finished[0].Record.Status)
			assert.Len(t, eventsOf[event.ToolRequested](b), 1)

			b.hooks.afterModel = nil
			b.model.Answers = append(b.model.Answers, llm.FakeText("fine"))
			assert.Equal(t, Answered, b.run(t, "and now?").Ending)
		})
	}
}

func TestThoughtsAreShownAndNotKept(t *testing.T) {
	t.Parallel()
	b := newBench(stream(llm.Chunk{Parts: []llm.Part{llm.Thought{Text: "**Plan** look first"}}}, done(text("ok"))))
	b.run(t, "hi")
	want := event.ThoughtDelta{Subject: "Plan", Description: "look first"}
	assert.Equal(t, []event.ThoughtDelta{want}, eventsOf[event.ThoughtDelta](b))
	assert.Equal(t, []event.ThoughtDelta{want}, eventsOf[event.RoundFinished](b)[0].Thoughts)
	assert.Equal(t, []string{"user: hi", "model: ok"}, lines(b.memory.Messages()))
	assert.Equal(t, event.ThoughtDelta{Description: "no subject"}, thought("no subject"))
}

func TestMidStreamRetry(t *testing.T) {
	t.Parallel()
	broken := &llm.Error{Kind: llm.ErrStream, Message: "the connection was lost", Opened: true}
	b := newBench(
		llm.FakeAnswer{Chunks: []llm.Chunk{text("part"), calling("danger")}, Err: broken},
		stream(done(llm.Chunk{Parts: []llm.Part{llm.Thought{Text: "hm"}}})),
		stream(text("no end")),
		llm.FakeText("whole"),
	)
	b.Tools = toolFunc(func(context.Context, []llm.ToolCall) ([]llm.ToolResult, hooks.Verdict) {
		panic("a call of a discarded attempt ran")
	})
	b.Config.System = func() string { return "be brief" }
	assert.Equal(t, Result{Ending: Answered, Response: "whole", Rounds: 1}, b.run(t, "hi"))
	assert.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, b.slept)
	assert.Equal(t, []event.RoundDiscarded{
		{Reason: "the connection was lost", Attempt: 1, Delay: time.Second, Model: "gemini-2.5-flash"},
		{Reason: streamTexts[ThinkingOnly], Attempt: 2, Delay: 2 * time.Second, Model: "gemini-2.5-flash"},
		{Reason: streamTexts[NoFinishReason], Attempt: 3, Delay: 4 * time.Second, Model: "gemini-2.5-flash"},
	}, eventsOf[event.RoundDiscarded](b))
	assert.Equal(t, 4, b.hooks.beforeModels, "each attempt is a request of its own")
	assert.Equal(t, []string{"user: hi", "model: whole"}, lines(b.memory.Messages()))

	var systems []bool
	for _, r := range b.model.Requests() {
		systems = append(systems, r.System != "be brief")
	}
	assert.Equal(t, []bool{false, false, true, false}, systems, "silence is followed by a nudge, once")
}

func TestStreamsThatStayBad(t *testing.T) {
	t.Parallel()
	empty := stream(done(llm.Chunk{}))
	opened := llm.FakeAnswer{Chunks: []llm.Chunk{text("part")}, Err: &llm.Error{Kind: llm.ErrOffline, Message: "gone", Opened: true}}
	final := llm.FakeAnswer{Err: &llm.Error{Kind: llm.ErrAuth, Message: "bad key"}}
	refused := llm.FakeAnswer{Chunks: []llm.Chunk{text("part")}, Err: &llm.Error{Kind: llm.ErrInvalid, Message: "bad request", Opened: true}}
	for _, tt := range []struct {
		name     string
		answer   llm.FakeAnswer
		requests int
		ending   Ending
		reason   string
	}{
		{"invalid", empty, 4, InvalidStream, streamTexts[NoResponseText]},
		{"connection lost", opened, 4, Failed, "gone"},
		{"never opened", final, 1, Failed, "bad key"},
		{"opened, but not the network's fault", refused, 1, Failed, "bad request"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(tt.answer, tt.answer, tt.answer, tt.answer)
			res := b.run(t, "hi")
			require.Error(t, res.Err)
			res.Err = nil
			assert.Equal(t, Result{Ending: tt.ending, Reason: tt.reason, Rounds: 1}, res)
			assert.Empty(t, b.memory.Messages(), "a prompt without an answer is taken back")
			assert.Len(t, b.model.Requests(), tt.requests)
			assert.Len(t, eventsOf[event.RoundFailed](b), 1)
		})
	}
}

func TestFailureAfterToolsKeepsTheirResults(t *testing.T) {
	t.Parallel()
	b := newBench(llm.FakeCalls(llm.ToolCall{Name: "look"}), llm.FakeAnswer{Err: errors.New("boom")}, llm.FakeText("ok"))
	assert.Equal(t, Failed, b.run(t, "hi").Ending)
	assert.Len(t, b.memory.Messages(), 3)
	b.run(t, "go on")
	assert.Equal(t, []string{
		"user: hi", "model: call(look__look_1000_0)", "user: result(look__look_1000_0)map[output:look done]",
		"model: " + unanswered, "user: go on",
	}, lines(b.model.Requests()[2].Messages))
}

func TestSilenceAfterToolsIsAnAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(llm.FakeCalls(llm.ToolCall{Name: "look"}), stream(done(llm.Chunk{})))
	assert.Equal(t, Result{Ending: Answered, Rounds: 2}, b.run(t, "hi"))
}

var errUser = errors.New("interrupted")

func TestCancel(t *testing.T) {
	t.Parallel()
	t.Run("in the middle of an answer", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		b := newBench(stream(text("half "), calling("look"), done(text("never"))))
		b.hooks.afterModel = func(c llm.Chunk) hooks.AfterModelOutcome {
			if len(c.Calls()) > 0 {
				defer cancel(errUser)
			}
			return hooks.AfterModelOutcome{Chunk: c}
		}
		b.Sink = event.SinkFunc(func(event.Event) {})
		res := b.Run(ctx, Prompt{Text: "hi"})
		assert.Equal(t, Result{Ending: Cancelled, Reason: "interrupted", Err: errUser, Response: "half ", Rounds: 1}, res)
		assert.Equal(t, []string{"user: hi", "model: half "}, lines(b.memory.Messages()),
			"a chunk whose hook was cancelled is not taken over")
	})
	t.Run("after a call was requested", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		b := newBench(stream(text("half "), calling("look"), done(text("never"))))
		b.Sink = event.SinkFunc(func(e event.Event) {
			if _, ok := e.(event.ToolRequested); ok {
				cancel(errUser)
			}
		})
		assert.Equal(t, Cancelled, b.Run(ctx, Prompt{Text: "hi"}).Ending)
		assert.Equal(t, []string{
			"user: hi", "model: half  call(look__look_1000_0)",
			"user: result(look__look_1000_0)map[error:not run: interrupted]",
		}, lines(b.memory.Messages()))
	})
	t.Run("while tools run", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		b := newBench(llm.FakeCalls(llm.ToolCall{Name: "look"}))
		b.Tools = toolFunc(func(_ context.Context, calls []llm.ToolCall) ([]llm.ToolResult, hooks.Verdict) {
			cancel(errUser)
			return resultsFor(calls), hooks.Verdict{}
		})
		assert.Equal(t, Cancelled, b.Run(ctx, Prompt{Text: "hi"}).Ending)
		assert.Len(t, b.memory.Messages(), 3)
	})
	t.Run("before the prompt is accepted", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errUser)
		b := newBench()
		assert.Equal(t, Cancelled, b.Run(ctx, Prompt{Text: "hi"}).Ending)
		assert.Empty(t, b.memory.Messages())
	})
	t.Run("while waiting to try again", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			b := newBench(stream(text("cut")))
			b.Config.Sleep, b.Config.Now = nil, nil
			time.AfterFunc(time.Second/2, func() { cancel(errUser) })
			start := time.Now()
			assert.Equal(t, Cancelled, b.Run(ctx, Prompt{Text: "hi"}).Ending)
			assert.Equal(t, time.Second/2, time.Since(start))
			assert.Equal(t, []string{"user: hi"}, lines(b.memory.Messages()))
		})
	})
}

func TestCallIDs(t *testing.T) {
	t.Parallel()
	b := newBench(
		llm.FakeCalls(llm.ToolCall{ID: "abc", Name: "look"}, llm.ToolCall{Name: "look"}, llm.ToolCall{Name: "look"}, llm.ToolCall{}),
		llm.FakeCalls(llm.ToolCall{ID: "abc", Name: "read"}, llm.ToolCall{ID: "look__xyz", Name: "look"}),
		llm.FakeText("ok"),
	)
	b.run(t, "hi")
	var got []string
	for _, e := range eventsOf[event.ToolRequested](b) {
		got = append(got, e.Call.ID)
	}
	assert.Equal(t, []string{
		"look__abc", "look__look_1000_0", "look__look_1000_1", "generic_tool__generic_tool_1000_2",
		"read__read_1000_0", // abc is taken
		"look__xyz",
	}, got)

	resumed := newBench(llm.FakeCalls(llm.ToolCall{ID: "abc", Name: "look"}), llm.FakeText("ok"))
	resumed.memory.Replace(b.memory.Messages())
	resumed.run(t, "more")
	assert.Equal(t, "look__look_1000_2", eventsOf[event.ToolRequested](resumed)[0].Call.ID, "ids of a resumed session count")
}

func TestRetriedAnswerKeepsItsIDs(t *testing.T) {
	t.Parallel()
	lost := &llm.Error{Kind: llm.ErrStream, Message: "lost", Opened: true}
	call := llm.Chunk{Parts: []llm.Part{llm.ToolCall{ID: "abc", Name: "look"}}}
	b := newBench(llm.FakeAnswer{Chunks: []llm.Chunk{call}, Err: lost}, stream(done(call)), llm.FakeText("ok"))
	b.run(t, "hi")
	assert.Equal(t, "model: call(look__abc)", lines(b.memory.Messages())[1])
}

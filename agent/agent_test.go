package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
)

func TestRunAnswersAPrompt(t *testing.T) {
	t.Parallel()
	b := newBench(llm.FakeCalls(llm.ToolCall{Name: "look"}), llm.FakeText("it is red"))
	res := b.run(t, "which colour?")

	assert.Equal(t, Result{Response: "it is red", Ending: Answered, Rounds: 2}, res)
	assert.Equal(t, []string{
		"user: which colour?",
		"model: call(look__look_1000_0)",
		"user: result(look__look_1000_0)map[output:look done]",
		"model: it is red",
	}, lines(b.memory.Messages()))
	assert.Equal(t, []string{"BeforeAgent which colour?", "AfterAgent which colour?|it is red|false"}, b.hooks.log)

	var kinds []string
	for _, e := range b.events {
		kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", e), "event."))
	}
	assert.Equal(t, []string{
		"PromptStarted", "RoundStarted", "ToolRequested", "RoundFinished",
		"RoundStarted", "TextDelta", "RoundFinished",
	}, kinds)
}

func TestRunNeedsNothingButModelAndHistory(t *testing.T) {
	t.Parallel()
	model := &llm.Fake{Answers: []llm.FakeAnswer{llm.FakeCalls(llm.ToolCall{Name: "look"}), llm.FakeText("ok")}}
	h := &Memory{}
	res := (&Agent{Model: model, History: h}).Run(t.Context(), Prompt{Text: "hi"})
	assert.Equal(t, Answered, res.Ending)
	assert.Contains(t, lines(h.Messages())[2], "not run: there are no tools")
}

func TestPromptMessage(t *testing.T) {
	t.Parallel()
	image := llm.Blob{MIMEType: "image/png", Data: []byte{1}}
	for _, tt := range []struct {
		name   string
		prompt Prompt
		want   []llm.Part
	}{
		{"text", Prompt{Text: "hi"}, []llm.Part{llm.Text{Text: "hi"}}},
		{"parts", Prompt{Text: "hi", Parts: []llm.Part{llm.Text{Text: "hi"}, image}}, []llm.Part{llm.Text{Text: "hi"}, image}},
		{"context", Prompt{Text: "hi", Context: "<hook_context>x</hook_context>"},
			[]llm.Part{llm.Text{Text: "<hook_context>x</hook_context>\n\nhi"}}},
		{"context before an image", Prompt{Text: "", Parts: []llm.Part{image}, Context: "<c>"},
			[]llm.Part{llm.Text{Text: "<c>\n\n"}, image}},
	} {
		assert.Equal(t, llm.Message{Role: llm.RoleUser, Parts: tt.want}, tt.prompt.message(), tt.name)
	}
}

func TestBeforeAgent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		out     hooks.Outcome
		ending  Ending
		history []string
		event   event.Event
	}{
		{"deny leaves no trace", hooks.Outcome{Verdict: deny("no")}, Blocked, nil, event.Blocked{Event: "BeforeAgent", Reason: "no"}},
		{"stop keeps the prompt", hooks.Outcome{Verdict: stop("end")}, Stopped, []string{"user: hi"}, event.Stopped{Event: "BeforeAgent", Reason: "end"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench()
			b.hooks.beforeAgent = func(string) hooks.Outcome { return tt.out }
			res := b.run(t, "hi")
			assert.Equal(t, Result{Ending: tt.ending, Reason: tt.out.Reason}, res)
			assert.Equal(t, tt.history, lines(b.memory.Messages()))
			assert.Equal(t, []event.Event{tt.event}, b.events)
			assert.Equal(t, []string{"BeforeAgent hi"}, b.hooks.log)
			assert.Empty(t, b.model.Requests())
		})
	}
}

func TestBeforeAgentContextIsSentButNotKept(t *testing.T) {
	t.Parallel()
	b := newBench(llm.FakeCalls(llm.ToolCall{Name: "look"}), llm.FakeText("one"), llm.FakeText("two"))
	context := "<hook_context>branch: main</hook_context>"
	b.hooks.beforeAgent = func(prompt string) (o hooks.Outcome) {
		if prompt == "first" {
			o.Context = context
		}
		return o
	}
	b.run(t, "first")
	b.run(t, "second")

	reqs := b.model.Requests()
	require.Len(t, reqs, 3)
	assert.Equal(t, "user: first "+context, lines(reqs[0].Messages)[0])
	assert.Equal(t, "user: first "+context, lines(reqs[1].Messages)[0])
	assert.Equal(t, "user: first", lines(reqs[2].Messages)[0])
	assert.Equal(t, "user: first", lines(b.memory.Messages())[0])
}

func TestAfterAgentRetries(t *testing.T) {
	t.Parallel()
	b := newBench(llm.FakeText("draft"), llm.FakeText("final"))
	b.hooks.afterAgent = func(_, _ string, active bool) (o hooks.AfterAgentOutcome) {
		if !active {
			o.Verdict = deny("in full")
		}
		return o
	}
	res := b.run(t, "answer me")

	assert.Equal(t, Result{Response: "final", Ending: Answered, Rounds: 2}, res)
	assert.Equal(t, []string{"user: answer me", "model: draft", "user: in full", "model: final"}, lines(b.memory.Messages()))
	assert.Equal(t, []string{
		"BeforeAgent answer me", "AfterAgent answer me|draft|false",
		"BeforeAgent in full", "AfterAgent answer me|final|true",
	}, b.hooks.log)
	assert.Equal(t, []event.Blocked{{Event: "AfterAgent", Reason: "in full"}}, eventsOf[event.Blocked](b))
	assert.Equal(t, []event.PromptStarted{{Text: "answer me"}, {Text: "in full", Attempt: 1}}, eventsOf[event.PromptStarted](b))
}

func TestAfterAgentClearContextKeepsPreambleAndPrompt(t *testing.T) {
	t.Parallel()
	b := newBench(llm.FakeText("draft"), llm.FakeText("final"))
	b.memory.Append(llm.UserText("environment"))
	b.memory.Append(llm.UserText("earlier"))
	b.memory.Append(llm.ModelText("talk"))
	b.Config.Preamble = func() int { return 1 }
	b.hooks.afterAgent = func(_, _ string, active bool) hooks.AfterAgentOutcome {
		if active {
			return hooks.AfterAgentOutcome{}
		}
		return hooks.AfterAgentOutcome{Verdict: deny("again"), ClearContext: true}
	}
	b.run(t, "write a poem")

	assert.Equal(t, []string{"user: environment", "user: write a poem", "user: again", "model: final"}, lines(b.memory.Messages()))
	assert.Equal(t, []string{"user: environment write a poem again"}, lines(b.model.Requests()[1].Messages))
	assert.Equal(t, []event.Blocked{{Event: "AfterAgent", Reason: "again", Cleared: true}}, eventsOf[event.Blocked](b))
}

func TestAfterAgentStop(t *testing.T) {
	t.Parallel()
	for _, cleared := range []bool{false, true} {
		b := newBench(llm.FakeText("done"))
		b.hooks.afterAgent = func(string, string, bool) hooks.AfterAgentOutcome {
			return hooks.AfterAgentOutcome{Verdict: stop("enough"), ClearContext: cleared}
		}
		res := b.run(t, "hi")
		assert.Equal(t, Result{Response: "done", Ending: Stopped, Reason: "enough", Rounds: 1}, res)
		assert.Equal(t, []event.Stopped{{Event: "AfterAgent", Reason: "enough", Cleared: cleared}}, eventsOf[event.Stopped](b))
		assert.Equal(t, cleared, len(b.memory.Messages()) == 0)
	}
}

func TestAfterAgentRetriesAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(llm.FakeText("a0"), llm.FakeText("a1"), llm.FakeText("a2"))
	b.Config.MaxRetries = 2
	b.hooks.afterAgent = func(string, string, bool) hooks.AfterAgentOutcome {
		return hooks.AfterAgentOutcome{Verdict: deny("never good enough")}
	}
	res := b.run(t, "hi")
	assert.Equal(t, Result{Response: "a2", Ending: Answered, Rounds: 3}, res)
	notices := eventsOf[event.Notice](b)
	require.Len(t, notices, 1)
	assert.Equal(t, "warning", notices[0].Severity)
	assert.Contains(t, notices[0].Text, "guard")

	zero := newBench()
	for i := range 12 {
		zero.model.Answers = append(zero.model.Answers, llm.FakeText(fmt.Sprint(i)))
	}
	zero.hooks.afterAgent = b.hooks.afterAgent
	assert.Equal(t, "10", zero.run(t, "hi").Response, "ten retries are the default")
}

// AfterAgent fires only for final answers.
func TestAfterAgentOnlyAfterAnAnswer(t *testing.T) {
	t.Parallel()
	zero := 0
	broken := llm.FakeAnswer{Err: &llm.Error{Kind: llm.ErrInvalid, Message: "bad request"}}
	call := llm.FakeCalls(llm.ToolCall{Name: "look"})
	for _, tt := range []struct {
		name    string
		answers []llm.FakeAnswer
		prepare func(*bench)
		want    Ending
		failure string // for StopFailure; empty if it does not fire
	}{
		{"error", []llm.FakeAnswer{broken}, func(*bench) {}, Failed, "invalid_request"},
		{"session turns", nil, func(b *bench) { b.Config.MaxSessionTurns = &zero }, MaxTurns, "max_turns"},
		{"rounds", []llm.FakeAnswer{call}, func(b *bench) { b.Config.MaxRounds = 1 }, MaxRounds, "max_rounds"},
		{"BeforeModel deny", nil, func(b *bench) {
			b.hooks.beforeModel = func(r *hooks.ModelRequest) hooks.BeforeModelOutcome {
				return hooks.BeforeModelOutcome{Verdict: deny("no"), Request: r}
			}
		}, Blocked, ""},
		{"tool stop", []llm.FakeAnswer{call}, func(b *bench) {
			b.Tools = toolFunc(func(_ context.Context, calls []llm.ToolCall) ([]llm.ToolResult, hooks.Verdict) {
				return resultsFor(calls), stop("end")
			})
		}, Stopped, ""},
		{"user declines", []llm.FakeAnswer{call}, func(b *bench) {
			b.Tools = toolFunc(func(_ context.Context, calls []llm.ToolCall) ([]llm.ToolResult, hooks.Verdict) {
				return resultsFor(calls), deny("declined")
			})
		}, Cancelled, "cancelled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(tt.answers...)
			tt.prepare(b)
			assert.Equal(t, tt.want, b.run(t, "hi").Ending)
			assert.Equal(t, []string{"BeforeAgent hi"}, b.hooks.log)
			fired := ""
			for _, f := range b.hooks.failures {
				assert.Equal(t, "hi", f.Prompt)
				fired += f.Error
			}
			assert.Equal(t, tt.failure, fired)
		})
	}
}

// TestFailures checks that each ending without an answer has a name for matchers.
func TestFailures(t *testing.T) {
	t.Parallel()
	model := func(k llm.ErrorKind, status int) Result {
		return Result{Ending: Failed, Err: fmt.Errorf("asking: %w", &llm.Error{Kind: k, Status: status})}
	}
	for want, r := range map[string]Result{
		"authentication_failed": model(llm.ErrAuth, 401), "rate_limit": model(llm.ErrQuota, 429), "overloaded": model(llm.ErrOverloaded, 503),
		"server_error": model(llm.ErrOverloaded, 500), "model_not_found": model(llm.ErrNotFound, 404), "invalid_request": model(llm.ErrInvalid, 400),
		"unknown":           {Ending: Failed, Err: errors.New("no network")},
		"max_output_tokens": {Ending: InvalidStream, Err: &StreamError{Kind: MaxTokensExceeded}},
		"max_turns":         {Ending: MaxTurns}, "max_rounds": {Ending: MaxRounds}, "loop": {Ending: Loop}, "cancelled": {Ending: Cancelled},
	} {
		assert.Equal(t, want, failure(r))
		assert.Contains(t, protocol.Failures, want)
	}
	assert.Equal(t, "unknown", failure(Result{Ending: InvalidStream, Err: &StreamError{Kind: ThinkingOnly}}))
}

func TestSessionTurnsCountAcrossPrompts(t *testing.T) {
	t.Parallel()
	limit := 2
	b := newBench(llm.FakeText("one"), llm.FakeCalls(llm.ToolCall{Name: "look"}))
	b.Config.MaxSessionTurns = &limit
	assert.Equal(t, Answered, b.run(t, "first").Ending)
	res := b.run(t, "second")
	assert.Equal(t, MaxTurns, res.Ending)
	assert.Len(t, b.memory.Messages(), 5, "the tools of the last turn still ran")

	b.Config.MaxSessionTurns = new(int)
	*b.Config.MaxSessionTurns = -1
	b.model.Answers = append(b.model.Answers, llm.FakeText("three"))
	assert.Equal(t, Answered, b.run(t, "third").Ending)
	assert.Contains(t, lines(b.model.Requests()[2].Messages), "model: "+unanswered)
}

// TestNoLimitOfRoundsUnlessSet checks that an answer after many rounds is still an
// answer, as in Gemini CLI, whose limit is model.maxSessionTurns.
func TestNoLimitOfRoundsUnlessSet(t *testing.T) {
	t.Parallel()
	b := newBench()
	for i := range 150 {
		b.model.Answers = append(b.model.Answers, llm.FakeCalls(llm.ToolCall{Name: fmt.Sprint("t", i)}))
	}
	b.model.Answers = append(b.model.Answers, llm.FakeText("done"))
	res := b.Run(t.Context(), Prompt{Text: "go"})
	assert.Equal(t, Answered, res.Ending)
	assert.Equal(t, 151, res.Rounds)
}

func TestCompressorIsAskedBeforeEachRound(t *testing.T) {
	t.Parallel()
	first := llm.FakeCalls(llm.ToolCall{Name: "look"})
	first.Chunks[0].Usage = &llm.Usage{Prompt: 77, Total: 80}
	b := newBench(first, llm.FakeText("ok"))
	var seen []int
	b.Compressor = fitFunc(func(tokens int) {
		if seen = append(seen, tokens); tokens == 77 {
			b.memory.Replace([]llm.Message{llm.UserText("summary")})
		}
	})
	b.hooks.beforeAgent = func(string) hooks.Outcome { return hooks.Outcome{Context: "<ctx>"} }
	res := b.run(t, "hi")
	assert.Equal(t, []int{0, 77}, seen)
	assert.Equal(t, llm.Usage{Prompt: 77, Total: 80}, res.Usage)
	assert.Equal(t, []string{"user: summary <ctx>"}, lines(b.model.Requests()[1].Messages))
}

type fitFunc func(int)

func (f fitFunc) Fit(_ context.Context, tokens int) { f(tokens) }

// Optional fields may be left out: without a model a run ends and says so, without
// tools each call gets an answer, and the history stays in memory.
func TestZeroAgent(t *testing.T) {
	t.Parallel()
	res := (&Agent{}).Run(t.Context(), Prompt{Text: "hi"})
	assert.Equal(t, Failed, res.Ending)
	require.ErrorContains(t, res.Err, "no Model")

	a := &Agent{Model: &llm.Fake{Answers: []llm.FakeAnswer{stream(done(calling("look"))), llm.FakeText("ok")}}}
	res = a.Run(t.Context(), Prompt{Text: "hi"})
	assert.Equal(t, Answered, res.Ending)
	assert.Len(t, a.History.Messages(), 4)
}

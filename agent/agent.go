// Package agent decides in what order things happen: it takes one prompt
// through its hooks, the model and the tools until there is an answer or a
// reason to stop. It knows calls and results, not tools, processes, screens,
// settings or providers: those arrive as the interfaces of ports.go.
//
// An Agent is one goroutine without locks. Run reads from top to bottom in the
// order in which things happen; turn.go is one round with the model.
package agent

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
)

// Agent answers prompts, one at a time. Only Model is required: a run without
// one ends as [Failed]. Fields may be changed between runs, not during one.
type Agent struct {
	Model      llm.Model
	History    History    // nil: a [Memory], which the first run puts here
	Hooks      Hooks      // nil: none; [*hooks.Engine] satisfies it
	Tools      ToolRunner // nil: none are declared, and every call is answered with an error
	Compressor Compressor // nil: the history is never shortened
	Sink       event.Sink // nil: events are dropped
	Config     Config

	turns        int // requests of this session, for Config.MaxSessionTurns
	promptTokens int // the provider's count of the last request
	sending      outgoing
	asked        *hooks.ModelRequest // the last request, before its hooks
	usedIDs      usedIDs
}

// Prompt is what the user submitted.
type Prompt struct {
	Text    string     // what hooks are shown
	Parts   []llm.Part // what is sent; nil: Text
	Context string     // wrapped context of SessionStart that goes before the prompt; may be empty
}

// Run works on p until there is an answer or a reason to stop, and returns how
// it ended. However it ends, every call in the history has a result. Run is not
// safe for concurrent use.
func (a *Agent) Run(ctx context.Context, p Prompt) Result {
	if a.Model == nil {
		return Result{Ending: Failed, Err: errors.New("running the agent: it has no Model")}
	}
	if a.History == nil {
		a.History = &Memory{}
	}
	r := a.begin(p)
	text, message := p.Text, p.message()
	for attempt := 0; ; attempt++ {
		res := r.attempt(ctx, attempt, text, message)
		if res.Ending != Answered {
			r.failed(ctx, res)
			return r.total(res)
		}
		var again bool
		if res, again = r.afterAgent(ctx, attempt, res); !again {
			return r.total(res)
		}
		text, message = res.Reason, llm.UserText(res.Reason)
	}
}

// attempt takes one prompt, the user's or that of an AfterAgent hook, to an
// answer. The numbers are the steps of docs/ARCHITECTURE.md.
func (r *run) attempt(ctx context.Context, n int, text string, message llm.Message) Result {
	before := r.Hooks.BeforeAgent(ctx, text) // 1
	switch {
	case before.Decision == hooks.Stop:
		r.History.Append(message)
		return r.stopped("BeforeAgent", before.Verdict)
	case before.Denied():
		return r.blocked("BeforeAgent", before.Verdict)
	case ctx.Err() != nil:
		return cancelled(ctx)
	}

	r.History.Append(message) // 2
	r.prompt, r.loops = message, 0
	r.loop.reset()
	r.addContext(message, before.Context)
	r.emit(event.PromptStarted{Text: text, Attempt: n})
	for {
		if res := r.round(ctx); res != nil { // 3 to 10
			return *res
		}
	}
}

// afterAgent asks the hooks about an answer. It reports whether to try again,
// with the Reason of the Result it returns as the prompt.
func (r *run) afterAgent(ctx context.Context, attempt int, res Result) (Result, bool) {
	out := r.Hooks.AfterAgent(ctx, r.given.Text, cmp.Or(res.Response, noText), attempt > 0) // 11
	switch {
	case out.Decision == hooks.Stop:
		if out.ClearContext {
			r.History.Replace(r.preamble())
		}
		r.emit(event.Stopped{Event: "AfterAgent", Reason: out.Reason, Cleared: out.ClearContext})
		res.Ending, res.Reason = Stopped, out.Reason
		return res, false
	case !out.Denied() && out.Context == "":
		return res, false
	case attempt >= r.maxRetries():
		r.warnRetries(out.Verdict)
		return res, false
	}
	if out.ClearContext {
		r.clear()
	}
	if out.Denied() {
		r.emit(event.Blocked{Event: "AfterAgent", Reason: out.Reason, Cleared: out.ClearContext})
	}
	res.Reason = strings.Trim(out.Reason+"\n\n"+out.Context, "\n")
	return res, true
}

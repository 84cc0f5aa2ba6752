// Package agent decides in what order things happen: it takes one prompt through its
// hooks, the model and the tools until there is an answer or a reason to stop. It knows
// calls and results, not tools, processes, screens, settings or providers: those arrive
// as the interfaces of ports.go, each of which has an implementation in another room.
//
//	a := &agent.Agent{
//		Model: model, // of llm/gemini, llm/openai or llm/script
//		Tools: &toolcall.Runner{Registry: tools.NewRegistry(add), Policy: rules},
//		Sink:  event.SinkFunc(show),
//	}
//	res := a.Run(ctx, agent.Prompt{Text: "What is two and two?"})
//	fmt.Println(res.Ending, res.Response)
//
// An Agent is one goroutine without locks. Run reads from top to bottom in the order in
// which things happen; turn.go is one round with the model. The numbers in comments are
// the steps of docs/ARCHITECTURE.md.
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

// Agent answers prompts, one at a time. Only Model is required: a run without one ends as
// [Failed]. Fields may be changed between runs, not during one. It is not safe for
// concurrent use, and it must not be copied after its first run.
type Agent struct {
	// Model answers the requests. It is called from one goroutine.
	Model llm.Model
	// History is the conversation. nil means a new [Memory], which the first run puts
	// here.
	History History
	// Hooks fires the events of a run. nil means that no hook runs; [*hooks.Engine]
	// satisfies it.
	Hooks Hooks
	// Tools runs calls. nil means that no tool is declared, and that every call is
	// answered with an error.
	Tools ToolRunner
	// Compressor is called before each request. nil means that the history is never
	// shortened.
	Compressor Compressor
	// Sink receives the events of a run while it goes on; nil drops them.
	Sink event.Sink
	// Config holds the model's name, the system instruction and the limits. The agent
	// changes Config.Model and Config.Sampling when Config.Fallback chose another model.
	Config Config

	// requests of this session, for Config.MaxSessionTurns
	turns int
	// the provider's count of the last request
	promptTokens int
	sending      outgoing
	asked        *hooks.ModelRequest // the last request, before its hooks
	usedIDs      usedIDs
}

// Prompt is what the user submitted.
type Prompt struct {
	// Text is what hooks read. It is also what is sent if Parts is empty.
	Text string
	// Parts is what is sent, such as Text with the files that it names; empty means
	// only Text.
	Parts []llm.Part
	// Context is the wrapped context of SessionStart hooks. It is sent before the prompt,
	// in the same part, and stays in the history. May be empty.
	Context string
	// First does what the user asks for with the prompt, such as a call of a tool, when
	// the prompt is in the history. Its Verdict is as in [ToolRunner]. nil does
	// nothing.
	First func(ctx context.Context) hooks.Verdict
}

// Run works on p until there is an answer or a reason to stop, and returns how it ended;
// see [Ending]. An answer that AfterAgent hooks refuse is tried again within the same
// run. If ctx ends, Run returns soon with the ending [Cancelled]. However it ends, every
// call in the history has a result, and the history is fit for the next Run. A run that
// ends without an answer fires StopFailure unless hooks ended it.
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

// attempt takes one prompt, of the user or of an AfterAgent hook, to an answer.
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
	if r.given.First != nil && n == 0 {
		if res := afterTools(ctx, r.given.First(ctx), ""); res != nil {
			return *res
		}
	}
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

package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
)

// round asks the model once and runs the tools it asked for. It returns how
// the attempt ends, or nil where the model has the next word.
func (r *run) round(ctx context.Context) *Result {
	if res := r.limit(); res != nil {
		return res
	}
	if r.Compressor != nil { // 3
		r.Compressor.Fit(ctx, r.promptTokens)
	}
	ans, err := r.ask(ctx) // 4 to 7
	switch {
	case ctx.Err() != nil:
		return r.cut(ans, cancelled(ctx), err)
	case err != nil:
		return r.fail(err)
	case ans.end != nil:
		return r.cut(ans, *ans.end, nil)
	case ans.chanting:
		return r.looped(nil, kindChant, "the same text over and over")
	}

	r.keep(ans) // 8
	calls := ans.message().Calls()
	if len(calls) == 0 {
		unfinished := r.warnUnfinished(ans)
		return &Result{Ending: Answered, Response: ans.text(), Unfinished: unfinished}
	}
	for _, c := range calls {
		if !r.Config.DisableLoopDetection && r.loop.call(c) {
			return r.looped(calls, kindCalls, "the same calls over and over, last "+c.Name)
		}
	}
	return r.runTools(ctx, calls, ans) // 9, 10
}

// runTools answers calls and returns how the attempt ends, if it does.
func (r *run) runTools(ctx context.Context, calls []llm.ToolCall, ans *reply) *Result {
	if r.Tools == nil {
		r.dismiss(calls, "not run: there are no tools")
		return nil
	}
	results, verdict := r.Tools.Run(ctx, calls, ans.request.Offers)
	parts := make([]llm.Part, len(results))
	for i, res := range results {
		parts[i] = res
	}
	r.History.Append(llm.Message{Role: llm.RoleUser, Parts: parts})
	switch {
	case verdict.Decision == hooks.Stop:
		return &Result{Ending: Stopped, Reason: verdict.Reason, Response: ans.text()}
	case ctx.Err() != nil:
		res := cancelled(ctx)
		return &res
	case verdict.Denied():
		return &Result{Ending: Cancelled, Reason: verdict.Reason, Response: ans.text()}
	}
	return nil
}

// limit counts the request that is about to be made, unless it is one too many.
func (r *run) limit() *Result {
	if n := r.Config.MaxSessionTurns; n != nil && *n >= 0 && r.turns >= *n {
		return &Result{Ending: MaxTurns, Reason: fmt.Sprintf("the session's limit of %d turns is reached", *n)}
	}
	if n := r.Config.MaxRounds; n > 0 && r.rounds >= n {
		return &Result{Ending: MaxRounds, Reason: fmt.Sprintf("the limit of %d turns for one prompt is reached", n)}
	}
	r.turns++
	r.rounds++
	return nil
}

// ask makes the request until an answer is usable. Each attempt is a request of
// its own, which hooks see and may change.
func (r *run) ask(ctx context.Context) (*reply, error) {
	extra := ""
	for attempt := 1; ; attempt++ {
		ans := &reply{started: r.now()}
		err := r.try(ctx, ans, extra)
		if !ans.synthetic {
			r.count(ans.usage)
		}
		if err == nil || ctx.Err() != nil {
			return ans, err
		}
		if attempt == maxStreamAttempts || !retryable(err) {
			r.emit(event.RoundFailed{Model: ans.model, Latency: r.now().Sub(ans.started), Usage: ans.usage, Err: err})
			return ans, err
		}
		delay := retryDelay(attempt)
		r.emit(event.RoundDiscarded{
			Reason: whatHappened(err), Attempt: attempt, Delay: delay,
			Model: ans.model, Latency: r.now().Sub(ans.started), Usage: ans.usage,
		})
		r.sleep(ctx, delay)
		if ctx.Err() != nil {
			return &reply{}, err
		}
		extra = nudge(err)
	}
}

// try makes one request and collects what passes the hooks in ans.
func (r *run) try(ctx context.Context, ans *reply, extra string) error {
	r.ids.begin()
	r.loop.resetText()
	if r.Config.Prepare != nil {
		r.Config.Prepare(ctx)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	req := r.asked.Next(r.request(extra))
	r.asked = req
	ans.model = req.Model
	before := r.Hooks.BeforeModel(ctx, req) // 4
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if before.Denied() && before.Response == nil {
		ans.refuse("BeforeModel", before.Verdict)
		return nil
	}
	if before.Response != nil {
		return r.synthetic(ctx, ans, before)
	}
	req = r.Hooks.BeforeToolSelection(ctx, before.Request).Request // 5

	send := req.Request // what hooks changed must still be what the API accepts
	send.Messages = r.sending.forModel(send.Model, send.Messages)
	ans.model, ans.request = send.Model, send
	r.emit(event.RoundStarted{Round: r.rounds, Model: send.Model})
	var raw received
	stall := time.AfterFunc(silence, r.tellSilence)
	defer stall.Stop()
	stall.Stop()                                    // before the first chunk it is told what is waited for
	for c, err := range r.Model.Stream(ctx, send) { // 6
		stall.Stop()
		if err != nil {
			return err
		}
		raw.add(c)
		if !r.hear(ctx, ans, req, c) { // 7
			return ctx.Err()
		}
		stall.Reset(silence) // hooks took their time, not the model
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ans.brokeOff = raw.finish == ""
	last := len(send.Messages) - 1
	return raw.check(last >= 0 && hasResult(send.Messages[last]))
}

// silence is how long an answer that has begun may stand still before the user
// is told, once for each time that it does.
const silence = 15 * time.Second

func (r *run) tellSilence() {
	r.emit(event.Notice{Severity: "warning", Text: fmt.Sprintf("The model has been silent for %d s; still waiting. ^C ends it.", silence/time.Second)})
}

// synthetic takes a hook's answer for the model's. A deny or a stop beside it still ends
// the turn.
func (r *run) synthetic(ctx context.Context, ans *reply, before hooks.BeforeModelOutcome) error {
	ans.synthetic, ans.model = true, before.Request.Model
	ans.request = before.Request.Request
	if slices.ContainsFunc(before.Response, callsTools) {
		// A hook that plays the model may call no more than the model could.
		ans.request = r.Hooks.BeforeToolSelection(ctx, before.Request).Request.Request
	}
	r.emit(event.RoundStarted{Round: r.rounds, Model: ans.model})
	for _, c := range before.Response {
		if !r.hear(ctx, ans, before.Request, c) {
			return ctx.Err()
		}
	}
	if before.Denied() {
		ans.refuse("BeforeModel", before.Verdict)
	}
	return nil
}

func callsTools(c llm.Chunk) bool {
	return slices.ContainsFunc(c.Parts, func(p llm.Part) bool { _, ok := p.(llm.ToolCall); return ok })
}

// hear takes one chunk past the hooks, to the sink and into ans. It reports
// whether to listen on.
func (r *run) hear(ctx context.Context, ans *reply, req *hooks.ModelRequest, c llm.Chunk) bool {
	c = r.ids.name(c)
	out := r.Hooks.AfterModel(ctx, req, c)
	if out.Denied() {
		ans.add(llm.Chunk{Usage: c.Usage})
		ans.refuse("AfterModel", out.Verdict)
		return false
	}
	if ctx.Err() != nil { // the hook may not have had its say
		return false
	}
	ans.add(out.Chunk)
	for _, p := range out.Chunk.Parts {
		switch p := p.(type) {
		case llm.Text:
			r.emit(event.TextDelta{Text: p.Text})
			if !r.Config.DisableLoopDetection && r.loop.say(p.Text) {
				ans.chanting = true
				return false
			}
		case llm.Thought:
			t := thought(p.Text)
			ans.thoughts = append(ans.thoughts, t)
			r.emit(t)
		case llm.ToolCall:
			r.emit(event.ToolRequested{Call: p})
		}
	}
	return true
}

// request is what the model is asked, before any hook.
func (r *run) request(extra string) llm.Request {
	req := llm.Request{
		Model:    r.Config.Model,
		Messages: r.messages(),
		Sampling: r.Config.Sampling,
		Role:     r.Config.Role,
	}
	if r.Config.System != nil {
		req.System = r.Config.System()
	}
	if extra != "" {
		req.System = strings.TrimLeft(req.System+"\n\n"+extra, "\n")
	}
	if r.Tools != nil {
		req.Tools = r.Tools.Specs()
	}
	return req
}

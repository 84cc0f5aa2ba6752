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

// round asks the model once and runs the tools that it calls. It returns how
// the attempt ends, or nil if the model is to be asked again.
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

// runTools runs calls. It returns how the attempt ends, or nil if it goes on.
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
	return afterTools(ctx, verdict, ans.text())
}

// afterTools returns how the attempt ends with the verdict of a [ToolRunner], or nil
// if it goes on.
func afterTools(ctx context.Context, verdict hooks.Verdict, said string) *Result {
	switch {
	case verdict.Decision == hooks.Stop:
		return &Result{Ending: Stopped, Reason: verdict.Reason, Response: said}
	case ctx.Err() != nil:
		res := cancelled(ctx)
		return &res
	case verdict.Denied():
		return &Result{Ending: Cancelled, Reason: verdict.Reason, Response: said}
	}
	return nil
}

// limit counts the next request, unless that would exceed a limit.
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

// ask repeats the request until an answer is usable. Hooks see and may change
// each attempt.
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
		if r.fallBack(ctx, ans, err) {
			attempt, extra = 0, ""
			continue
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
		extra = retryInstruction(err)
	}
}

// fallBack reports whether the run goes on with another model than the one that failed.
func (r *run) fallBack(ctx context.Context, ans *reply, err error) bool {
	if r.Config.Fallback == nil {
		return false
	}
	next, sampling, ok := r.Config.Fallback(ctx, r.Config.Model, err)
	if !ok {
		return false
	}
	r.emit(event.RoundDiscarded{Reason: whatHappened(err), Attempt: 1, Model: ans.model, Latency: r.now().Sub(ans.started),
		Usage: ans.usage})
	r.Config.Model, r.Config.Sampling = next, sampling
	return true
}

// try makes one request and collects in ans what the hooks let pass.
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
	req = r.Hooks.BeforeToolSelection(ctx, before.Request) // 5

	send := req.Request // hooks may have broken a rule of the API
	send.Messages = r.sending.forModel(send.Model, send.Messages)
	ans.model, ans.request = send.Model, send
	r.emit(event.RoundStarted{Round: r.rounds, Model: send.Model})
	var raw received
	stall := time.AfterFunc(silence, r.warnSilence)
	defer stall.Stop()
	for c, err := range r.Model.Stream(ctx, send) { // 6
		stall.Stop()
		if err != nil {
			return err
		}
		raw.add(c)
		if !r.handleChunk(ctx, ans, req, c) { // 7
			return ctx.Err()
		}
		stall.Reset(silence) // the time that hooks took is not the model's
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ans.brokeOff = raw.finish == ""
	last := len(send.Messages) - 1
	return raw.check(last >= 0 && hasResult(send.Messages[last]))
}

// silence is how long the model may send nothing before the user is warned.
const silence = 15 * time.Second

// warnSilence tells the user that the model sends nothing. A timer calls it.
func (r *run) warnSilence() {
	r.emit(event.Notice{Severity: "warning", Text: fmt.Sprintf("The model has been silent for %d s; still waiting. ^C "+
		"ends it.", silence/time.Second)})
}

// synthetic uses a hook's answer instead of the model's. If the hook also
// denied or stopped, the turn still ends.
func (r *run) synthetic(ctx context.Context, ans *reply, before hooks.BeforeModelOutcome) error {
	ans.synthetic, ans.model = true, before.Request.Model
	ans.request = before.Request.Request
	if slices.ContainsFunc(before.Response, callsTools) {
		// The calls of a hook's answer are limited like the model's calls.
		ans.request = r.Hooks.BeforeToolSelection(ctx, before.Request).Request
	}
	r.emit(event.RoundStarted{Round: r.rounds, Model: ans.model})
	for _, c := range before.Response {
		if !r.handleChunk(ctx, ans, before.Request, c) {
			return ctx.Err()
		}
	}
	if before.Denied() {
		ans.refuse("BeforeModel", before.Verdict)
	}
	return nil
}

// callsTools reports whether the chunk has a call.
func callsTools(c llm.Chunk) bool {
	return slices.ContainsFunc(c.Parts, func(p llm.Part) bool { _, ok := p.(llm.ToolCall); return ok })
}

// handleChunk passes one chunk through the hooks to the sink and to ans. It
// reports whether to read on.
func (r *run) handleChunk(ctx context.Context, ans *reply, req *hooks.ModelRequest, c llm.Chunk) bool {
	c = r.ids.name(c)
	out := r.Hooks.AfterModel(ctx, req, c)
	if out.Denied() {
		ans.add(llm.Chunk{Usage: c.Usage})
		ans.refuse("AfterModel", out.Verdict)
		return false
	}
	if ctx.Err() != nil { // a cancelled hook may not have decided
		return false
	}
	ans.add(out.Chunk)
	for _, p := range out.Chunk.Parts {
		switch p := p.(type) {
		case llm.Text:
			r.emit(event.TextDelta{Text: p.Text})
			if !r.Config.DisableLoopDetection && r.loop.addText(p.Text) {
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

// request builds the next request, before hooks change it.
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

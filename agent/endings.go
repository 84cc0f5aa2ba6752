package agent

import (
	"cmp"
	"context"
	"errors"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
)

// keep announces a finished answer and then appends it to the history: the
// session needs its token counts when the message arrives.
func (r *run) keep(ans *reply) {
	m := ans.message()
	r.emit(event.RoundFinished{
		Message: m, Thoughts: ans.thoughts, Model: ans.model, Usage: ans.usage,
		FinishReason: ans.finish, Latency: r.now().Sub(ans.started), Synthetic: ans.synthetic,
	})
	r.ids.keep()
	if len(m.Parts) > 0 {
		r.History.Append(m)
	}
}

// cut ends the attempt in the middle of an answer. The text that was shown
// stays in the history; the tools that it called do not run.
func (r *run) cut(ans *reply, res Result, err error) *Result {
	res.Response = ans.text()
	switch {
	case len(ans.allParts()) > 0 || ans.refused == "AfterModel":
		r.keep(ans)
		r.dismissIfAny(ans.message().Calls(), "not run: "+res.Reason)
	case err != nil:
		r.emit(event.RoundFailed{Model: ans.model, Latency: r.now().Sub(ans.started), Usage: ans.usage, Err: err})
	}
	switch {
	case ans.refused == "" || res.Ending == Cancelled:
	case res.Ending == Stopped:
		r.emit(event.Stopped{Event: ans.refused, Reason: res.Reason})
	default:
		r.emit(event.Blocked{Event: ans.refused, Reason: res.Reason})
	}
	return &res
}

// fail ends the attempt after a request that got no usable answer.
func (r *run) fail(err error) *Result {
	r.undoPrompt()
	res := Result{Ending: Failed, Reason: err.Error(), Err: err}
	if invalid := (*StreamError)(nil); errors.As(err, &invalid) {
		res.Ending = InvalidStream
	}
	return &res
}

// recovery begins the text that the model gets after the first loop, as in
// core/core/client.ts.
const recovery = "System: Potential loop detected. Details: "

// looped handles a loop: the first time the model gets a warning and may go on,
// the second time the run ends. Repeated text is not kept.
func (r *run) looped(calls []llm.ToolCall, kind, detail string) *Result {
	r.loops++
	r.loop.reset()
	why := "not run: the model repeats itself"
	if r.loops > 1 {
		r.dismissIfAny(calls, why)
		r.emit(event.LoopDetected{Kind: kind, Detail: detail})
		return &Result{Ending: Loop, Reason: detail}
	}
	if calls == nil {
		r.emit(event.RoundDiscarded{Reason: "the model repeats itself", Attempt: 1})
	}
	r.emit(event.Notice{Severity: "info", Text: "The model repeats itself (" + detail + "). It was asked to change its " +
		"approach and goes on."})
	text := llm.Text{
		Text: recovery + detail + ". Do not repeat this. Take another way, or say what keeps you from going on."}
	r.dismiss(calls, why, text)
	return nil
}

// dismissIfAny dismisses calls if there are any, because an empty message must not be
// in the history.
func (r *run) dismissIfAny(calls []llm.ToolCall, why string) {
	if len(calls) > 0 {
		r.dismiss(calls, why)
	}
}

// dismiss answers calls without running them. extra follows the answers in the
// same message.
func (r *run) dismiss(calls []llm.ToolCall, why string, extra ...llm.Part) {
	var parts []llm.Part
	for _, c := range calls {
		res := notRun(c, why)
		parts = append(parts, res)
		r.emit(event.ToolFinished{Record: event.ToolRecord{
			Call: c, Args: c.Args, Result: res, Status: event.ToolCancelled,
			ErrorMessage: why, Display: why, DisplayName: c.Name, Started: r.now(), Finished: r.now(),
		}})
	}
	r.History.Append(llm.Message{Role: llm.RoleUser, Parts: append(parts, extra...)})
}

// failed fires StopFailure, unless hooks ended the turn: those know.
func (r *run) failed(ctx context.Context, res Result) {
	if res.Ending != Blocked && res.Ending != Stopped {
		r.Hooks.StopFailure(ctx, hooks.Failure{Prompt: r.given.Text, Error: failure(res), Details: res.Reason,
			Said: cmp.Or(res.Response, r.said())})
	}
}

// said returns what the model said last since the prompt of this attempt; empty if it
// said nothing.
func (r *run) said() string {
	all := r.History.Messages()
	for i := len(all) - 1; i > lastEqual(all, r.prompt); i-- {
		if all[i].Role == llm.RoleModel && all[i].Text() != "" {
			return all[i].Text()
		}
	}
	return ""
}

// failure returns why a turn ended, in the words of StopFailure (protocol.Failures).
func failure(res Result) string {
	if res.Ending != Failed && res.Ending != InvalidStream {
		return string(res.Ending)
	}
	if invalid := (*StreamError)(nil); errors.As(res.Err, &invalid) && invalid.Kind == MaxTokensExceeded {
		return "max_output_tokens"
	}
	err := (*llm.Error)(nil)
	if !errors.As(res.Err, &err) {
		return "unknown"
	}
	if err.Kind == llm.ErrOverloaded && (err.Status == 503 || err.Status == 529) {
		return "overloaded"
	}
	return cmp.Or(map[llm.ErrorKind]string{
		llm.ErrAuth: "authentication_failed", llm.ErrQuota: "rate_limit", llm.ErrRateLimit: "rate_limit",
		llm.ErrNotFound: "model_not_found", llm.ErrOverloaded: "server_error", llm.ErrInvalid: "invalid_request",
	}[err.Kind], "unknown")
}

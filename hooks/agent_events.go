package hooks

import (
	"context"

	"minigem/hooks/protocol"
)

// BeforeAgent fires once for each submitted prompt, before anything else, and again for a
// retry that an AfterAgent hook asked for, with the reason as prompt. Hooks can deny or
// stop the turn and add context. Deny ends the turn and the prompt must leave no trace in
// the history. Stop ends it and the prompt stays. The context goes with the requests of
// this prompt only and is not kept in the history.
func (e *Engine) BeforeAgent(ctx context.Context, prompt string) Outcome {
	e.submitted()
	if e.idle(protocol.BeforeAgent) { // before the closure below, which costs an allocation
		return Outcome{}
	}
	return e.adds(ctx, event[string]{
		name: protocol.BeforeAgent,
		stdin: func(b protocol.Base, added string) Payload {
			in := protocol.BeforeAgentInput{Base: b, Prompt: prompt}
			if added != "" {
				in.Prompt += "\n\n" + added
			}
			return payload(in)
		},
	})
}

// adds fires an event whose hooks decide and add context, no more. Without an effect of
// its own, the event's effect is the context.
func (e *Engine) adds(ctx context.Context, ev event[string]) Outcome {
	if e.idle(ev.name) {
		return Outcome{}
	}
	ev.apply = addContext
	if ev.effect == nil {
		ev.effect = contextEffect
	}
	added, v := fire(ctx, e, ev)
	return Outcome{v, wrapContext(added)}
}

// AfterAgent fires when a prompt's work is done and the model gave a final answer; never
// after an error, a limit, a cancel or a stop. stopHookActive says that this is a retry
// already. The caller must bound the number of retries; see [Config.MaxRetries].
func (e *Engine) AfterAgent(ctx context.Context, prompt, response string, stopHookActive bool) AfterAgentOutcome {
	if e.idle(protocol.AfterAgent) {
		return AfterAgentOutcome{}
	}
	type state struct {
		clears bool
		added  string
	}
	s, v := fire(ctx, e, event[state]{
		name: protocol.AfterAgent,
		stdin: func(b protocol.Base, _ state) Payload {
			return payload(
				protocol.AfterAgentInput{Base: b, Prompt: prompt, PromptResponse: response, StopHookActive: stopHookActive})
		},
		apply: func(s state, a *answer) state {
			if a.ClearContext {
				a.note("clears the context")
				if a.run.Decision < Deny {
					a.warn("clearContext has no effect unless the answer is denied or the run is stopped")
				}
			}
			return state{s.clears || a.ClearContext && a.run.Decision >= Deny, addContext(s.added, a)}
		},
		effect: func(s state, v Verdict) Effect {
			switch {
			case v.Decision == Deny:
				return Effect{Kind: EffectRetry, After: encode(v.Reason)}
			case v.Decision < Deny && s.added != "":
				return Effect{Kind: EffectRetry, After: encode(wrapContext(s.added))}
			case s.clears:
				return Effect{Kind: EffectClear}
			}
			return Effect{Kind: EffectNone}
		},
	})
	out := AfterAgentOutcome{Verdict: v, ClearContext: s.clears}
	if v.Decision != Stop {
		out.Context = wrapContext(s.added)
	}
	if v.Decision == Deny || out.Context != "" {
		e.retry()
	}
	return out
}

// StopFailure fires when a turn ended without an answer, unless a hook ended it. Hooks
// can only show the user a message. They are not cancelled with ctx, whose end may be
// what ended the turn, and are waited for as long as [Engine.Patience] lasts.
func (e *Engine) StopFailure(ctx context.Context, f Failure) {
	e.inform(ctx, protocol.StopFailure, f.Error, true, func(b protocol.Base) any {
		return protocol.StopFailureInput{Base: b, Prompt: f.Prompt, Error: f.Error, ErrorDetails: f.Details,
			LastAssistantMessage: f.Said}
	})
}

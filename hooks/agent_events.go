package hooks

import (
	"context"

	"minigem/hooks/protocol"
)

// BeforeAgent fires once for each submitted prompt, before anything else, and
// again for a retry with the reason as prompt.
func (e *Engine) BeforeAgent(ctx context.Context, prompt string) BeforeAgentOutcome {
	e.submitted()
	if e.idle(protocol.BeforeAgent) {
		return BeforeAgentOutcome{}
	}
	added, v := fire(ctx, e, event[string]{
		name: protocol.BeforeAgent,
		stdin: func(b protocol.Base, added string) Payload {
			in := protocol.BeforeAgentInput{Base: b, Prompt: prompt}
			if added != "" {
				in.Prompt += "\n\n" + added
			}
			return payload(in)
		},
		apply:  addContext,
		effect: contextEffect,
	})
	return BeforeAgentOutcome{Verdict: v, Context: wrapContext(added)}
}

// AfterAgent fires when a prompt's work is done and the model gave a final
// answer. stopHookActive says that this is a retry already; bounding the number
// of retries is the caller's, see Config.MaxRetries.
func (e *Engine) AfterAgent(ctx context.Context, prompt, response string, stopHookActive bool) AfterAgentOutcome {
	if e.idle(protocol.AfterAgent) {
		return AfterAgentOutcome{}
	}
	clears, v := fire(ctx, e, event[bool]{
		name: protocol.AfterAgent,
		stdin: func(b protocol.Base, _ bool) Payload {
			return payload(protocol.AfterAgentInput{Base: b, Prompt: prompt, PromptResponse: response, StopHookActive: stopHookActive})
		},
		apply: func(clears bool, a *answer) bool {
			if a.ClearContext {
				a.note("clears the context")
				if a.run.Decision < Deny {
					a.warn("clearContext has no effect unless the answer is denied or the run is stopped")
				}
			}
			return clears || a.ClearContext && a.run.Decision >= Deny
		},
		effect: func(clears bool, v Verdict) Effect {
			switch {
			case v.Decision == Deny:
				return Effect{Kind: EffectRetry, After: encode(v.Reason)}
			case clears:
				return Effect{Kind: EffectClear}
			}
			return Effect{Kind: EffectNone}
		},
	})
	if v.Decision == Deny {
		e.retry()
	}
	return AfterAgentOutcome{Verdict: v, ClearContext: clears}
}

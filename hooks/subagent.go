package hooks

import (
	"context"

	"minigem/hooks/protocol"
)

// Subagent is the agent that an event is about, where another agent started it.
// The zero Subagent is the main agent.
type Subagent struct {
	ID   string // of this run of it
	Type string // its name
	File string // where it is defined; empty: nobody knows
}

type subagentKey struct{}

// InSubagent says that the events fired with the context it returns are about s.
// Hooks read that as agent_id and agent_type.
func InSubagent(ctx context.Context, s Subagent) context.Context {
	return context.WithValue(ctx, subagentKey{}, s)
}

// SubagentOf is the subagent that ctx belongs to; the zero one: the main agent.
func SubagentOf(ctx context.Context) Subagent {
	s, _ := ctx.Value(subagentKey{}).(Subagent)
	return s
}

// SubagentStart fires before an agent begins that another one called; ctx is that
// of [InSubagent], and prompt is its task.
func (e *Engine) SubagentStart(ctx context.Context, prompt string) SubagentStartOutcome {
	if e.idle(protocol.SubagentStart) {
		return SubagentStartOutcome{}
	}
	added, v := fire(ctx, e, event[string]{
		name:    protocol.SubagentStart,
		subject: subject{name: SubagentOf(ctx).Type},
		stdin: func(b protocol.Base, _ string) Payload {
			return payload(protocol.SubagentStartInput{Base: b, Prompt: prompt})
		},
		apply:  addContext,
		effect: contextEffect,
	})
	return SubagentStartOutcome{Verdict: v, Context: wrapContext(added)}
}

// SubagentStop fires when an agent's work ended, but for a cancel and where a hook
// ended the run. Bounding how often it is sent on is the caller's, see
// Config.MaxRetries.
func (e *Engine) SubagentStop(ctx context.Context, end SubagentEnd) SubagentStopOutcome {
	if e.idle(protocol.SubagentStop) {
		return SubagentStopOutcome{}
	}
	added, v := fire(ctx, e, event[string]{
		name:    protocol.SubagentStop,
		subject: subject{name: SubagentOf(ctx).Type},
		stdin: func(b protocol.Base, _ string) Payload {
			return payload(protocol.SubagentStopInput{Base: b, Prompt: end.Prompt, PromptResponse: end.Response,
				Ending:         end.Ending,
				StopHookActive: end.Again, AgentTranscriptPath: end.Transcript})
		},
		apply: addContext,
		effect: func(added string, v Verdict) Effect {
			switch {
			case v.Decision == Deny:
				return Effect{Kind: EffectRetry, After: encode(v.Reason)}
			case v.Decision < Deny && added != "":
				return Effect{Kind: EffectRetry, After: encode(wrapContext(added))}
			}
			return Effect{Kind: EffectNone}
		},
	})
	out := SubagentStopOutcome{Verdict: v}
	if v.Decision != Stop {
		out.Context = wrapContext(added)
	}
	return out
}

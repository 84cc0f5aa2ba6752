package hooks

import (
	"context"

	"minigem/hooks/protocol"
)

// Subagent identifies a run of an agent that another agent started. The zero Subagent is
// the main agent.
type Subagent struct {
	// ID identifies this run (agent_id).
	ID string
	// Type is the agent's name (agent_type). Matchers of SubagentStart and SubagentStop
	// see it.
	Type string
	// File is the path of the agent's definition; empty if unknown. Hooks in an agent's
	// front matter run only for the agent of the same file.
	File string
}

// subagentKey is the key of a context's Subagent.
type subagentKey struct{}

// In returns a context for events about s. Hooks read its ID and Type as agent_id and
// agent_type.
func (s Subagent) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, subagentKey{}, s)
}

// SubagentOf returns the subagent that ctx belongs to, or the zero Subagent for the main
// agent.
func SubagentOf(ctx context.Context) Subagent {
	s, _ := ctx.Value(subagentKey{}).(Subagent)
	return s
}

// SubagentStart fires before an agent begins that another agent called. ctx must come
// from [Subagent.In]; prompt is the agent's task. Hooks can deny or stop it, so that it
// does not begin, and add context, which the subagent reads with its task.
func (e *Engine) SubagentStart(ctx context.Context, prompt string) Outcome {
	return e.adds(ctx, event[string]{
		name:    protocol.SubagentStart,
		subject: subject{name: SubagentOf(ctx).Type},
		stdin: func(b protocol.Base, _ string) Payload {
			return payload(protocol.SubagentStartInput{Base: b, Prompt: prompt})
		},
	})
}

// SubagentStop fires when a subagent's work ended, unless it was cancelled or a hook
// ended the run. ctx must come from [Subagent.In]. Hooks can send the subagent on: Deny
// makes Reason its next prompt, and so does a Context without a denial. The caller must
// bound how often; see [Config.MaxRetries]. The Context is empty if the decision is Stop.
func (e *Engine) SubagentStop(ctx context.Context, end SubagentEnd) Outcome {
	out := e.adds(ctx, event[string]{
		name:    protocol.SubagentStop,
		subject: subject{name: SubagentOf(ctx).Type},
		stdin: func(b protocol.Base, _ string) Payload {
			return payload(protocol.SubagentStopInput{Base: b, Prompt: end.Prompt, PromptResponse: end.Response,
				Ending:         end.Ending,
				StopHookActive: end.Again, AgentTranscriptPath: end.Transcript})
		},
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
	if out.Decision == Stop {
		out.Context = ""
	}
	return out
}

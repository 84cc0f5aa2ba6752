package hooks

import (
	"context"
	"maps"
	"reflect"
	"time"

	"minigem/hooks/protocol"
	"minigem/llm"
)

// BeforeTool fires after a tool was found and its arguments validated, before
// policy and permission.
func (e *Engine) BeforeTool(ctx context.Context, use ToolUse) BeforeToolOutcome {
	if e.idle(protocol.BeforeTool) {
		return BeforeToolOutcome{Args: use.Call.Args}
	}
	args, v := fire(ctx, e, event[map[string]any]{
		name:    protocol.BeforeTool,
		subject: subject{use.Call.Name, use.MCP},
		use:     use,
		state:   use.Call.Args,
		stdin: func(b protocol.Base, args map[string]any) Payload {
			return payload(protocol.BeforeToolInput{
				Base: b, ToolName: use.Call.Name, ToolUseID: llm.WireID(use.Call.Name, use.Call.ID), ToolInput: orEmpty(args),
				MCPContext: use.MCP, OriginalRequestName: use.OriginalName,
			})
		},
		apply: changeArgs,
		effect: func(args map[string]any, _ Verdict) Effect {
			if sameArgs(args, use.Call.Args) {
				return Effect{Kind: EffectNone}
			}
			return Effect{Kind: EffectRewrite, Before: encode(orEmpty(use.Call.Args)), After: encode(orEmpty(args))}
		},
	})
	return BeforeToolOutcome{Verdict: v, Args: args, Changed: !sameArgs(args, use.Call.Args)}
}

// NotOffered reports a call that does not run, so that no BeforeTool hook is
// asked about it: the request that the model answered did not offer the tool.
func (e *Engine) NotOffered(use ToolUse, why string) {
	if e == nil || e.Report == nil {
		return
	}
	seq, config, origin := e.begin()
	p := e.plan(config, protocol.BeforeTool, subject{use.Call.Name, use.MCP}, use.Call.Args, origin)
	for i := range p.runs {
		if p.runs[i].Skipped == "" {
			p.runs[i].Skipped = why
		}
	}
	e.Report(Report{
		Seq: seq, Event: protocol.BeforeTool, Subject: use.Call.Name, Started: time.Now(), Runs: p.runs,
		Effect: Effect{Kind: EffectNone}, Warnings: []string{"not fired: " + why}, mask: e.Mask,
	})
}

// changeArgs merges an answer's tool_input over the arguments; null deletes.
func changeArgs(args map[string]any, a *answer) map[string]any {
	if a.ToolInput == nil {
		return args
	}
	merged := map[string]any{}
	if a.WholeToolInput {
		a.note("replaces the arguments by %s", encode(a.ToolInput))
	} else {
		a.note("merges %s over the arguments", encode(a.ToolInput))
		maps.Copy(merged, args)
	}
	for k, v := range a.ToolInput {
		if v == nil {
			delete(merged, k)
		} else {
			merged[k] = v
		}
	}
	return merged
}

func sameArgs(a, b map[string]any) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// afterTool is what AfterTool hooks can change.
type afterTool struct {
	context string
	tail    *llm.ToolCall
	instead *string // of a Player
}

// AfterTool fires after a tool ran, successful or not. use.Call.Args are the
// arguments that ran.
func (e *Engine) AfterTool(ctx context.Context, use ToolUse, response protocol.ToolResponse) AfterToolOutcome {
	if e.idle(protocol.AfterTool) {
		return AfterToolOutcome{}
	}
	s, v := fire(ctx, e, event[afterTool]{
		name:    protocol.AfterTool,
		subject: subject{use.Call.Name, use.MCP},
		use:     use,
		stdin: func(b protocol.Base, _ afterTool) Payload {
			return payload(protocol.AfterToolInput{
				Base: b, ToolName: use.Call.Name, ToolUseID: llm.WireID(use.Call.Name, use.Call.ID), ToolInput: orEmpty(use.Call.Args), ToolResponse: response,
				MCPContext: use.MCP, OriginalRequestName: use.OriginalName, OriginalToolInput: use.OriginalArgs,
			})
		},
		apply: func(s afterTool, a *answer) afterTool {
			s.context = addContext(s.context, a)
			if a.instead != nil {
				s.instead = a.instead
			}
			if t := a.TailToolCall; t != nil {
				a.note("asks for %s to be called next", t.Name)
				s.tail = &llm.ToolCall{Name: t.Name, Args: t.Args}
			}
			return s
		},
		effect: func(s afterTool, _ Verdict) Effect {
			if s.tail != nil {
				return Effect{Kind: EffectTail, After: encode(protocol.TailToolCall{Name: s.tail.Name, Args: s.tail.Args})}
			}
			return contextEffect(s.context, Verdict{})
		},
	})
	out := AfterToolOutcome{Verdict: v, Context: wrapContext(s.context), Tail: s.tail, Instead: s.instead}
	if v.Denied() {
		out.Tail = nil
	}
	return out
}

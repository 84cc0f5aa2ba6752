package hooks

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"minigem/hooks/protocol"
	"minigem/llm"
)

// BeforeTool fires after a tool was found and its arguments were validated, before policy
// and permission. Hooks can deny or stop the call, force the permission prompt, change
// the arguments and add context. use.Call.Args is not changed in place.
func (e *Engine) BeforeTool(ctx context.Context, use ToolUse) BeforeToolOutcome {
	if e.idle(protocol.BeforeTool) {
		return BeforeToolOutcome{Args: use.Call.Args}
	}
	s, v := fire(ctx, e, event[beforeTool]{
		name:    protocol.BeforeTool,
		subject: subject{use.Call.Name, use.MCP},
		use:     use,
		state:   beforeTool{args: use.Call.Args},
		stdin: func(b protocol.Base, s beforeTool) Payload {
			return payload(use.input(b, s.args))
		},
		apply: func(s beforeTool, a *answer) beforeTool {
			return beforeTool{changeArgs(s.args, a), addContext(s.context, a)}
		},
		effect: func(s beforeTool, v Verdict) Effect {
			if sameArgs(s.args, use.Call.Args) {
				return contextEffect(s.context, v)
			}
			return use.rewrite(s.args)
		},
	})
	out := BeforeToolOutcome{Verdict: v, Args: s.args, Changed: !sameArgs(s.args, use.Call.Args)}
	if !v.Denied() {
		out.Context = wrapContext(s.context)
	}
	return out
}

// input returns what hooks read of a call that has not run, with args as its arguments.
func (u ToolUse) input(b protocol.Base, args map[string]any) protocol.BeforeToolInput {
	return protocol.BeforeToolInput{
		Base: b, ToolName: u.Call.Name, ToolUseID: llm.WireID(u.Call.Name, u.Call.ID), ToolInput: orEmpty(args),
		MCPContext: u.MCP, OriginalRequestName: u.OriginalName,
	}
}

// rewrite returns the effect of replacing the arguments by args.
func (u ToolUse) rewrite(args map[string]any) Effect {
	return Effect{Kind: EffectRewrite, Before: encode(orEmpty(u.Call.Args)), After: encode(orEmpty(args))}
}

// permission holds what PermissionRequest hooks say, apart from a denial. A permission
// holds for the arguments that the hook read, so it does not count if another hook
// changes them.
type permission struct {
	args    map[string]any
	by      []string // hooks that allow the call
	another bool     // a hook that does not allow the call changed its arguments
}

// allowed returns the hooks whose permission counts. There are none if another hook
// changed what they were asked about.
func (p permission) allowed() []string {
	if p.another {
		return nil
	}
	return p.by
}

// PermissionRequest fires when the user is about to be asked about a call, or would be if
// there were a user to ask. Hooks can deny or stop the call, allow it, or change its
// arguments. An allow counts only if the hook may allow ([Hook.MayAllow]) and its answer
// is valid JSON on stdout of a run that did not fail. Otherwise the call is asked about
// as before, with a warning in the report.
func (e *Engine) PermissionRequest(ctx context.Context, use ToolUse) PermissionRequestOutcome {
	if e.idle(protocol.PermissionRequest) {
		return PermissionRequestOutcome{Args: use.Call.Args}
	}
	s, v := fire(ctx, e, event[permission]{
		name:    protocol.PermissionRequest,
		subject: subject{use.Call.Name, use.MCP},
		use:     use,
		state:   permission{args: use.Call.Args},
		stdin: func(b protocol.Base, s permission) Payload {
			return payload(protocol.PermissionRequestInput(use.input(b, s.args)))
		},
		apply: func(s permission, a *answer) permission {
			next := permission{changeArgs(s.args, a), allow(s.by, a), s.another}
			next.another = s.another || a.ToolInput != nil && len(next.by) == len(s.by)
			if next.another && len(next.by) > 0 {
				a.warn("an allow does not count if another hook changed the arguments: the user is asked about the call")
			}
			return next
		},
		effect: func(s permission, v Verdict) Effect {
			effect := Effect{Kind: EffectNone}
			if !sameArgs(s.args, use.Call.Args) {
				effect = use.rewrite(s.args)
			}
			if len(s.allowed()) > 0 {
				effect.Kind = EffectAllow
			}
			return effect
		},
	})
	out := PermissionRequestOutcome{Verdict: v, Args: s.args, Changed: !sameArgs(s.args, use.Call.Args)}
	if !v.Denied() {
		out.Allowed = s.allowed()
	}
	return out
}

// allow adds a's hook to by if it allows the call and may do so.
func allow(by []string, a *answer) []string {
	switch r := a.run; {
	case a.Decision != protocol.Allow || a.Stop:
		return by
	case !r.Hook.MayAllow:
		a.warn("its allow does not count: hooks of the user and the system may allow, and those that the user names in " +
			"hooksConfig.mayAllow")
		return by
	case r.Failed != "" || r.Reading.Garbled || r.Reading.From != "stdout":
		a.warn("its allow does not count: it is not a clean answer on stdout")
		return by
	}
	a.note("allows the call")
	return append(slices.Clip(by), a.hook)
}

// beforeTool holds what BeforeTool hooks can change.
type beforeTool struct {
	args    map[string]any
	context string
}

// NotOffered reports a call that does not run because the request that the model answered
// did not offer its tool. No hook is run. The [Report] lists the BeforeTool hooks of the
// call as skipped; why is the reason. It does nothing without [Engine.Report].
func (e *Engine) NotOffered(use ToolUse, why string) {
	if e == nil || e.Report == nil {
		return
	}
	seq, config, origin := e.begin()
	f := Firing{Event: protocol.BeforeTool, Subject: use.Call.Name, Use: use, Origin: origin, Config: config}
	p := ownRules{e}.planAt(f, at{skill: e.skills.has})
	for i := range p.Runs {
		if p.Runs[i].Skipped == "" {
			p.Runs[i].Skipped = why
		}
	}
	e.Report(Report{
		Seq: seq, Event: protocol.BeforeTool, Subject: use.Call.Name, Started: time.Now(), Runs: p.Runs,
		Effect: Effect{Kind: EffectNone}, Warnings: []string{"not fired: " + why}, mask: e.Mask,
	})
}

// changeArgs returns args with an answer's tool_input merged over them, in a new map;
// null deletes an argument.
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

// sameArgs reports whether two sets of arguments are equal. nil and empty are.
func sameArgs(a, b map[string]any) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

// orEmpty returns m, or an empty map for nil, so that hooks read {} and not null.
func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// afterTool holds what AfterTool hooks can change.
type afterTool struct {
	context string
	tail    *llm.ToolCall
	instead *string
}

// AfterTool fires after a tool ran, successfully or not. use.Call.Args are the arguments
// that ran. Hooks can replace the result by a reason or by other text, add context, and
// ask for a tail call.
func (e *Engine) AfterTool(ctx context.Context, use ToolUse, response protocol.ToolResponse) AfterToolOutcome {
	if e.idle(protocol.AfterTool) {
		return AfterToolOutcome{}
	}
	s, v := fire(ctx, e, event[afterTool]{
		name:    protocol.AfterTool,
		subject: subject{use.Call.Name, use.MCP},
		use:     use.with(response),
		stdin: func(b protocol.Base, s afterTool) Payload {
			response := response
			if s.instead != nil {
				response.LLMContent, response.ReturnDisplay = *s.instead, *s.instead
			}
			return payload(protocol.AfterToolInput{
				Base: b, ToolName: use.Call.Name, ToolUseID: llm.WireID(use.Call.Name, use.Call.ID),
				ToolInput: orEmpty(use.Call.Args), ToolResponse: response,
				MCPContext: use.MCP, OriginalRequestName: use.OriginalName, OriginalToolInput: use.OriginalArgs,
			})
		},
		apply: func(s afterTool, a *answer) afterTool {
			s.context = addContext(s.context, a)
			if a.UpdatedOutput != nil && s.instead != nil {
				a.note("replaces the output of an earlier hook: %s", *a.UpdatedOutput)
			} else if a.UpdatedOutput != nil {
				a.note("replaces the tool's output by %s", *a.UpdatedOutput)
			}
			if instead := cmp.Or(a.instead, a.UpdatedOutput); instead != nil {
				s.instead = instead
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
			if s.instead != nil {
				return Effect{Kind: EffectReplace, Before: encode(response.LLMContent), After: encode(*s.instead)}
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

// with returns u with Failed set.
func (u ToolUse) with(response protocol.ToolResponse) ToolUse {
	u.Failed = response.Error != nil || u.Exit != 0
	return u
}

// PostToolUseFailure fires after AfterTool if the tool failed, that is, if response has
// an Error or use.Exit is not 0. After any other call it does nothing. Hooks can replace
// the result by a reason, with Deny, and append context to it.
func (e *Engine) PostToolUseFailure(ctx context.Context, use ToolUse, response protocol.ToolResponse) Outcome {
	use = use.with(response)
	if !use.Failed {
		return Outcome{}
	}
	why := fmt.Sprintf("Exit code %d", use.Exit)
	if response.Error != nil {
		why = response.Error.Message
	}
	return e.adds(ctx, event[string]{
		name:    protocol.PostToolUseFailure,
		subject: subject{use.Call.Name, use.MCP},
		use:     use,
		stdin: func(b protocol.Base, _ string) Payload {
			return payload(protocol.PostToolUseFailureInput{
				Base: b, ToolName: use.Call.Name, ToolUseID: llm.WireID(use.Call.Name, use.Call.ID),
				ToolInput: orEmpty(use.Call.Args), ToolResponse: response,
				Error: why, MCPContext: use.MCP, OriginalRequestName: use.OriginalName,
			})
		},
	})
}

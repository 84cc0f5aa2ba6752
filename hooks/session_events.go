package hooks

import (
	"context"

	"minigem/hooks/protocol"
)

// SessionStart fires when a session begins: at start-up, on resume, after /clear and
// after a compression. source is "startup", "resume", "clear" or "compact". Hooks can add
// context, which SessionStart returns for the model, and show the user a message. They
// cannot block.
func (e *Engine) SessionStart(ctx context.Context, source string) (added string) {
	return e.adds(ctx, event[string]{
		name:    protocol.SessionStart,
		subject: subject{name: source},
		stdin: func(b protocol.Base, _ string) Payload {
			return payload(protocol.SessionStartInput{Base: b, Source: source})
		},
	}).Context
}

// SessionEnd fires once when a session ends. reason is "exit", "clear", "logout",
// "prompt_input_exit" or "other". Hooks can only show the user a message. They are not
// cancelled with ctx. They are waited for as long as [Engine.Patience] lasts, those with
// async too, and then left running.
func (e *Engine) SessionEnd(ctx context.Context, reason string) {
	e.inform(ctx, protocol.SessionEnd, reason, true, func(b protocol.Base) any {
		return protocol.SessionEndInput{Base: b, Reason: reason}
	})
}

// inform fires an event at which hooks can only show a message. If survive is set, the
// end of ctx does not end them.
func (e *Engine) inform(ctx context.Context, name protocol.Event, about string, survive bool,
	input func(protocol.Base) any) (v Verdict) {
	if !e.idle(name) {
		_, v = fire(ctx, e, event[struct{}]{
			name:    name,
			subject: subject{name: about},
			stdin:   func(b protocol.Base, _ struct{}) Payload { return payload(input(b)) },
			leave:   true,
			survive: survive,
		})
	}
	return v
}

// PreCompress fires when the history is about to be compressed; trigger is "auto" or
// "manual". Hooks can show the user a message and say what the summary should keep, which
// PreCompress returns; they cannot block. They are waited for as long as
// [Engine.Patience] lasts; what a later one adds is lost.
func (e *Engine) PreCompress(ctx context.Context, trigger string) (keep string) {
	return e.adds(ctx, event[string]{
		name:    protocol.PreCompress,
		subject: subject{name: trigger},
		stdin: func(b protocol.Base, _ string) Payload {
			return payload(protocol.PreCompressInput{Base: b, Trigger: trigger})
		},
		leave: true,
	}).Context
}

// PostCompact fires after the history was compressed. trigger is "auto" or "manual".
// summary is the text that replaced older messages; empty if there is none. Hooks can
// only show the user a message.
func (e *Engine) PostCompact(ctx context.Context, trigger, summary string) {
	e.inform(ctx, protocol.PostCompact, trigger, false, func(b protocol.Base) any {
		return protocol.PostCompactInput{Base: b, Trigger: trigger, CompactSummary: summary}
	})
}

// Notification fires when a permission prompt is about to be shown, or when the user has
// sent nothing for a while. kind is "ToolPermission" or "Idle"; details must be
// marshallable to JSON. Hooks can only show the user a message, which is returned. Only
// what they say within [Engine.Patience] is part of it, so that no hook delays the prompt
// for longer.
func (e *Engine) Notification(ctx context.Context, kind, message string, details any) (systemMessage string) {
	return e.inform(ctx, protocol.Notification, kind, false, func(b protocol.Base) any {
		return protocol.NotificationInput{Base: b, NotificationType: kind, Message: message, Details: details}
	}).SystemMessage
}

// addContext appends an answer's additional context, not yet wrapped.
func addContext(added string, a *answer) string {
	if a.AdditionalContext != "" {
		a.note("adds context: %s", a.AdditionalContext)
	}
	return joinLines(added, a.AdditionalContext)
}

// contextEffect is the effect of hooks that only add context.
func contextEffect(added string, _ Verdict) Effect {
	if added == "" {
		return Effect{Kind: EffectNone}
	}
	return Effect{Kind: EffectContext, After: encode(wrapContext(added))}
}

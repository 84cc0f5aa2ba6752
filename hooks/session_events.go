package hooks

import (
	"context"

	"minigem/hooks/protocol"
)

// SessionStart fires at start-up, on resume and after /clear; source is
// "startup", "resume", "clear" or "compact". Hooks can add context and tell the user.
func (e *Engine) SessionStart(ctx context.Context, source string) SessionStartOutcome {
	if e.idle(protocol.SessionStart) {
		return SessionStartOutcome{}
	}
	added, v := fire(ctx, e, event[string]{
		name:    protocol.SessionStart,
		subject: subject{name: source},
		stdin: func(b protocol.Base, _ string) Payload {
			return payload(protocol.SessionStartInput{Base: b, Source: source})
		},
		apply:  addContext,
		effect: contextEffect,
	})
	return SessionStartOutcome{Context: wrapContext(added), SystemMessage: v.SystemMessage}
}

// SessionEnd fires once, whatever ends the session; reason is "exit", "clear",
// "logout", "prompt_input_exit" or "other". The end of ctx does not end the
// hooks: they are waited for as long as the engine's patience lasts, then left
// running.
func (e *Engine) SessionEnd(ctx context.Context, reason string) {
	if e.idle(protocol.SessionEnd) {
		return
	}
	fire(ctx, e, event[struct{}]{
		name:    protocol.SessionEnd,
		subject: subject{name: reason},
		stdin: func(b protocol.Base, _ struct{}) Payload {
			return payload(protocol.SessionEndInput{Base: b, Reason: reason})
		},
		leave:   true,
		survive: true,
	})
}

// PreCompress fires when the history is about to be compressed; trigger is
// "auto" or "manual". Hooks can tell the user something, and the model what its
// summary is to keep; they are waited for as long as the engine's patience
// lasts.
func (e *Engine) PreCompress(ctx context.Context, trigger string) PreCompressOutcome {
	if e.idle(protocol.PreCompress) {
		return PreCompressOutcome{}
	}
	added, _ := fire(ctx, e, event[string]{
		name:    protocol.PreCompress,
		subject: subject{name: trigger},
		stdin: func(b protocol.Base, _ string) Payload {
			return payload(protocol.PreCompressInput{Base: b, Trigger: trigger})
		},
		apply:  addContext,
		effect: contextEffect,
		leave:  true,
	})
	return PreCompressOutcome{Context: wrapContext(added)}
}

// PostCompact fires when the history was compressed; summary is what took the place
// of older messages, empty where none did. Hooks can only tell the user.
func (e *Engine) PostCompact(ctx context.Context, trigger, summary string) {
	if e.idle(protocol.PostCompact) {
		return
	}
	fire(ctx, e, event[struct{}]{
		name:    protocol.PostCompact,
		subject: subject{name: trigger},
		stdin: func(b protocol.Base, _ struct{}) Payload {
			return payload(protocol.PostCompactInput{Base: b, Trigger: trigger, CompactSummary: summary})
		},
		leave: true,
	})
}

// Notification fires when a permission prompt is about to be shown, or the user has
// sent nothing for a while; kind is "ToolPermission" or "Idle", details must have a JSON form. Hooks can only tell the
// user: the result is what they say within the engine's patience, so that no
// hook keeps the prompt from being shown.
func (e *Engine) Notification(ctx context.Context, kind, message string, details any) (systemMessage string) {
	if e.idle(protocol.Notification) {
		return ""
	}
	_, v := fire(ctx, e, event[struct{}]{
		name:    protocol.Notification,
		subject: subject{name: kind},
		stdin: func(b protocol.Base, _ struct{}) Payload {
			return payload(protocol.NotificationInput{Base: b, NotificationType: kind, Message: message, Details: details})
		},
		leave: true,
	})
	return v.SystemMessage
}

// addContext collects additional context, which is not wrapped yet.
func addContext(added string, a *answer) string {
	if a.AdditionalContext != "" {
		a.note("adds context: %s", a.AdditionalContext)
	}
	return joinLines(added, a.AdditionalContext)
}

func contextEffect(added string, _ Verdict) Effect {
	if added == "" {
		return Effect{Kind: EffectNone}
	}
	return Effect{Kind: EffectContext, After: encode(wrapContext(added))}
}

package main

import (
	"context"

	"minigem/notify"
	"minigem/tools/toolcall"
)

// A bell stands before the user: it fires the Notification hook for each
// permission prompt, lets the terminal ring where the settings want that, and
// falls silent about a prompt that was answered. Prompts never overlap.
type bell struct {
	*notify.Desk
	approver toolcall.Approver
	waiting  string // the message of the prompt that is shown now
}

// newBell makes the bell of a session in which somebody can be asked. Only a
// chat in a terminal rings.
func (r *rig) newBell(sys *system, w *wiring) *bell {
	b := &bell{Desk: &notify.Desk{Title: "minigem", Hooks: notify.HookSink{Hooks: r.engine}, Now: sys.Now}, approver: w.approver}
	if w.signals != nil && r.settings.General.EnableNotifications {
		method, err := notify.ParseMethod(r.settings.General.NotificationMethod)
		if err != nil {
			w.warn("general.notificationMethod: " + err.Error())
		}
		b.Terminal = notify.NewTerminal(w.signals, method, sys.LookupEnv)
	}
	return b
}

// Notify implements toolcall.Notifier.
func (b *bell) Notify(ctx context.Context, kind, message string, details any) {
	b.waiting = message
	b.Desk.Notify(ctx, kind, message, details)
}

// Approve implements toolcall.Approver.
func (b *bell) Approve(ctx context.Context, q toolcall.Question) toolcall.Answer {
	defer b.Settle(b.waiting)
	return b.approver.Approve(ctx, q)
}

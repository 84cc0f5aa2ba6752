package wiring

import (
	"context"

	"minigem/notify"
	"minigem/tools/toolcall"
)

// alerter notifies the user of permission prompts. It fires the Notification hook for
// each, rings the terminal if the settings say so, and withdraws the alert once the
// prompt is answered. Prompts never overlap.
type alerter struct {
	notifier *notify.Notifier
	approver toolcall.Approver
	waiting  string // the message of the current prompt
}

// newAlerter makes the alerter of a session whose user can be asked. Only a chat in a
// terminal rings.
func (r *Runtime) newAlerter() *alerter {
	b := &alerter{notifier: &notify.Notifier{Title: "minigem", Hooks: notify.HookSink{Hooks: r.Engine}, Now: r.now},
		approver: r.front.Approver}
	if r.front.Bell != nil && r.Config.Settings.General.EnableNotifications {
		method, err := notify.ParseMethod(r.Config.Settings.General.NotificationMethod)
		if err != nil {
			r.warn("general.notificationMethod: " + err.Error())
		}
		b.notifier.Terminal = notify.NewTerminal(r.front.Bell, method, r.sys.LookupEnv)
	}
	return b
}

// Notify implements toolcall.Notifier.
func (b *alerter) Notify(ctx context.Context, kind, message string, details any) {
	b.waiting = message
	b.notifier.Notify(ctx, kind, message, details)
}

// Approve implements toolcall.Approver.
func (b *alerter) Approve(ctx context.Context, q toolcall.Question) toolcall.Answer {
	defer b.notifier.Settle(b.waiting)
	return b.approver.Approve(ctx, q)
}

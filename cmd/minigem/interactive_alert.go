package main

import (
	"context"

	"minigem/notify"
	"minigem/tools/toolcall"
)

// alerts tells the terminal that somebody is waited for, where the settings ask
// for it (spec/agent.md 16). Hooks hear of permission prompts in any case. nil:
// nothing is told.
func (t *chat) alerts(c *configuration) *notify.Desk {
	if !c.settings.General.EnableNotifications {
		return nil
	}
	method, err := notify.ParseMethod(c.settings.General.NotificationMethod)
	if err != nil {
		t.warn(err.Error())
	}
	env := system{Env: c.env}
	return &notify.Desk{Title: "minigem", Terminal: notify.NewTerminal(rawOutput{t}, method, env.LookupEnv), Now: t.sys.Now}
}

// rawOutput lets sequences of ours through.
type rawOutput struct{ t *chat }

// Write implements io.Writer.
func (w rawOutput) Write(b []byte) (int, error) {
	w.t.term.Signal(string(b))
	return len(b), nil
}

// alertingApprover tells of each question before it is asked.
type alertingApprover struct {
	toolcall.Approver
	desk *notify.Desk
}

// Approve implements toolcall.Approver.
func (a alertingApprover) Approve(ctx context.Context, q toolcall.Question) toolcall.Answer {
	key := "permission " + q.Call.ID
	a.desk.Alert(ctx, notify.Alert{Kind: notify.Attention, Key: key, Title: "minigem", Subtitle: "waits for your permission", Body: q.Info.DisplayName + ": " + q.Intent.Description})
	defer a.desk.Settle(key)
	return a.Approver.Approve(ctx, q)
}

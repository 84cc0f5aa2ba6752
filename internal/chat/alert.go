package chat

import (
	"context"
	"time"

	"minigem/hooks/protocol"
	"minigem/internal/terminal"
	"minigem/notify"
	"minigem/tools/builtin"
)

// focused records that the window gained or lost the focus. There are no alerts about
// what the user is looking at (cli/utils/terminalNotifications.ts).
func (t *Chat) focused(yes bool) {
	if notifier := t.notifier.Load(); notifier != nil {
		notifier.Focus(t.Ctx, yes)
	}
}

// done alerts the user that the work is done. It fires no hooks.
func (t *live) done(prompt string) {
	t.notifier.Load().Alert(t.ctx, notify.Alert{Kind: notify.SessionComplete, Title: "minigem", Subtitle: "is done",
		Body: prompt})
}

// idleTime is how long the prompt waits for the user before hooks are notified.
const idleTime = time.Minute

// whenIdle notifies hooks once if the prompt stays unanswered for idleTime. The caller
// calls stop when the prompt is over.
func (t *Chat) whenIdle() (stop func()) {
	shown, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		timer := time.NewTimer(idleTime)
		defer timer.Stop()
		select {
		case <-shown:
			return
		case <-t.Idle:
		case <-timer.C:
		}
		t.runtime.Engine.Notification(t.Ctx, protocol.Idle, "minigem waits for your input", map[string]string{"type": "idle"})
	}()
	return func() {
		close(shown)
		<-over // takes no longer than the engine's hook timeout
	}
}

// signalWriter passes our own control sequences to the terminal.
type signalWriter struct{ term *terminal.Terminal }

// Write implements [io.Writer].
func (w signalWriter) Write(b []byte) (int, error) {
	w.term.Signal(string(b))
	return len(b), nil
}

// alertingAsker alerts the user before each question. It is a builtin.Dialogue.
type alertingAsker struct {
	builtin.Asker
	t *live
}

// AskQuestions implements builtin.Asker.
func (a alertingAsker) AskQuestions(ctx context.Context, qs []builtin.Question) (map[int]string, bool, error) {
	const key = "questions"
	notifier := a.t.notifier.Load()
	notifier.Alert(ctx, notify.Alert{Kind: notify.Attention, Key: key, Title: "minigem", Subtitle: "has a question",
		Body: qs[0].Question})
	defer notifier.Settle(key)
	return a.Asker.AskQuestions(ctx, qs)
}

// Together implements builtin.Dialogue.
func (a alertingAsker) Together(ask func(builtin.Asker)) {
	builtin.Together(a.Asker, func(asker builtin.Asker) { ask(alertingAsker{asker, a.t}) })
}

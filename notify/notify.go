// Package notify tells people that something waits for them, or is done: the Notification
// hooks first, then the terminal by a bell or an escape sequence
// (cli/utils/terminalNotifications.ts). Who waits and why is the caller's business. It
// writes only to the [Terminal.Out] that it is given.
//
// The rules:
//   - Hooks see every alert. The terminal stays quiet while it has the focus, and for 20
//     s after an alert of the same key.
//   - An alert that was suppressed because of the focus is shown once the focus is lost,
//     unless it is settled by then.
//   - A headless session has no Notifier: the nil Notifier does nothing.
//
// A session that owns a terminal makes one:
//
//	n := &notify.Notifier{
//		Hooks:    notify.HookSink{Hooks: engine},
//		Terminal: notify.NewTerminal(os.Stdout, notify.Auto, os.LookupEnv),
//	}
//	n.Notify(ctx, "ToolPermission", "Tool Confirm Edit: a.go requires editing", details)
package notify

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Kind says why people are notified.
type Kind string

// The kinds of an [Alert].
const (
	// something waits for the user
	Attention Kind = "attention"
	// the work is done and nothing waits
	SessionComplete Kind = "session_complete"
)

// Alert is one notification. An empty text is left out.
type Alert struct {
	// Kind says why. Only [Attention] is shown later, or held back as a repetition.
	Kind Kind
	// Key identifies what waits; alerts with the same key are not repeated
	// within 20 s. An alert without a key is never suppressed for that reason,
	// and not shown later.
	Key string

	// Title is cut after 48 columns, Subtitle after 64 and Body after 180. Control
	// characters in them are made harmless.
	Title string
	// Subtitle says more in a few words.
	Subtitle string
	// Body is the text, which hooks read as the message.
	Body string

	// HookType is notification_type of the hook's input, such as "ToolPermission"; empty
	// fires no hook. Body is its message.
	HookType string
	// Details is the input's details; it must marshal to JSON.
	Details any
}

// Sink shows alerts. It does not fail: if people cannot be notified, nothing happens.
// Alert may be called concurrently. It may block, as hooks do: whoever alerts waits.
type Sink interface {
	// Alert shows a, or leaves it out if it is not for this Sink.
	Alert(ctx context.Context, a Alert)
}

// Hooks fires the one event of this package; *hooks.Engine implements it.
type Hooks interface {
	// Notification fires the event and returns the hooks' messages for the user, joined;
	// hooks cannot change or suppress the alert.
	Notification(ctx context.Context, kind, message string, details any) (systemMessage string)
}

// HookSink is a [Sink] that fires the Notification event. The zero HookSink does nothing.
type HookSink struct {
	// Hooks is nil if no hook runs.
	Hooks Hooks
	// Show shows what hooks return for the user; may be nil.
	Show func(systemMessage string)
}

// Alert fires the event and waits for the hooks, unless a.HookType is empty.
func (s HookSink) Alert(ctx context.Context, a Alert) {
	if s.Hooks == nil || a.HookType == "" {
		return
	}
	if message := s.Hooks.Notification(ctx, a.HookType, a.Body, a.Details); message != "" && s.Show != nil {
		s.Show(message)
	}
}

// repeatAfter is how long an alert of the same key is not repeated.
const repeatAfter = 20 * time.Second

// Notifier passes alerts on to hooks and terminal. It is safe for concurrent use; the nil
// Notifier does nothing. The exported fields must not be changed once it is used.
type Notifier struct {
	// Title is the title of the alerts that Notify makes.
	Title string
	// Hooks gets every alert; nil means none.
	Hooks Sink
	// Terminal gets the alerts that are not suppressed; nil means none.
	Terminal Sink
	// Now returns the time; nil means [time.Now].
	Now func() time.Time

	mu        sync.Mutex
	focused   bool // as the terminal last reported; false until it reports
	announced map[string]time.Time
	waiting   []Alert // suppressed alerts of things that still wait, in order
}

// Alert gives a to Hooks and waits for them, then to Terminal unless that should stay
// quiet.
func (d *Notifier) Alert(ctx context.Context, a Alert) {
	if d == nil {
		return
	}
	if d.Hooks != nil {
		d.Hooks.Alert(ctx, a)
	}
	if d.Terminal != nil && d.due(a) {
		d.Terminal.Alert(ctx, a)
	}
}

// Notify makes an alert of a permission prompt; it implements the Notifier of
// tools/toolcall. The message is the key: call [Notifier.Settle] with it once the prompt
// is answered.
func (d *Notifier) Notify(ctx context.Context, kind, message string, details any) {
	if d == nil {
		return
	}
	d.Alert(ctx, Alert{Kind: Attention, Key: message, Title: d.Title, Body: message, HookType: kind, Details: details})
}

// due reports whether to notify the terminal now, and keeps a suppressed alert
// for later.
func (d *Notifier) due(a Alert) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.focused {
		d.keep(a)
		return false
	}
	return d.fresh(a)
}

// keep stores an alert until the focus is lost.
func (d *Notifier) keep(a Alert) {
	if a.Kind != Attention || a.Key == "" {
		return
	}
	if i := d.indexOf(a.Key); i >= 0 {
		d.waiting[i] = a
		return
	}
	d.waiting = append(d.waiting, a)
}

// indexOf returns where the alert with this key waits; -1 if none does.
func (d *Notifier) indexOf(key string) int {
	return slices.IndexFunc(d.waiting, func(w Alert) bool { return w.Key == key })
}

// fresh reports whether the key was not notified lately, and records that it is
// notified now.
func (d *Notifier) fresh(a Alert) bool {
	if a.Kind != Attention || a.Key == "" {
		return true
	}
	now := time.Now
	if d.Now != nil {
		now = d.Now
	}
	if last, ok := d.announced[a.Key]; ok && now().Sub(last) < repeatAfter {
		return false
	}
	if d.announced == nil {
		d.announced = map[string]time.Time{}
	}
	d.announced[a.Key] = now()
	return true
}

// Focus records that the terminal got or lost the focus. When it is lost, alerts of what
// still waits are shown, in their order. Until the first call the terminal counts as not
// focused.
func (d *Notifier) Focus(ctx context.Context, focused bool) {
	if d == nil {
		return
	}
	d.mu.Lock()
	d.focused = focused
	var due []Alert
	if !focused && d.Terminal != nil {
		due = slices.DeleteFunc(slices.Clone(d.waiting), func(a Alert) bool { return !d.fresh(a) })
		d.waiting = nil
	}
	d.mu.Unlock()
	for _, a := range due {
		d.Terminal.Alert(ctx, a)
	}
}

// Settle forgets what waited under key, because it was answered. An unknown key does
// nothing.
func (d *Notifier) Settle(key string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := d.indexOf(key); i >= 0 {
		d.waiting = slices.Delete(d.waiting, i, i+1)
	}
}

// Package notify tells people that something waits for them, or is done: the
// Notification hooks first, then the terminal by a bell or an escape sequence
// (cli/utils/terminalNotifications.ts). It keeps out who waits and why, imports
// nothing of ours, and writes only where it is told to.
//
// The rules:
//   - Hooks see every alert. The terminal stays quiet while it has the focus,
//     and for 20 s after an alert of the same key.
//   - What waited in silence is shown once the focus is lost, unless it is
//     settled by then.
//   - A headless session has no Notifier: the nil Notifier does nothing.
package notify

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Kind says why people are notified.
type Kind string

const (
	Attention       Kind = "attention"        // something waits for the user
	SessionComplete Kind = "session_complete" // the work is done and nothing waits
)

// Alert is one notification.
type Alert struct {
	Kind Kind
	// Key identifies what waits; alerts with the same key are not repeated
	// within 20 s. An alert without a key is never suppressed for that reason,
	// and not shown later.
	Key string

	Title    string // up to 48 columns are shown
	Subtitle string // up to 64
	Body     string // up to 180

	// For hooks; empty HookType: no hook is fired. Body is their message.
	HookType string // notification_type, such as "ToolPermission"
	Details  any
}

// Sink shows alerts. It does not fail: if people cannot be notified, nothing
// happens.
type Sink interface {
	Alert(ctx context.Context, a Alert)
}

// Hooks fires the one event of this package; *hooks.Engine implements it.
type Hooks interface {
	Notification(ctx context.Context, kind, message string, details any) (systemMessage string)
}

// HookSink fires the Notification event.
type HookSink struct {
	Hooks Hooks
	Show  func(systemMessage string) // shows what hooks return for the user; may be nil
}

// Alert fires the event and waits for the hooks.
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

// Notifier distributes alerts. It is safe for concurrent use; the nil Notifier
// does nothing.
type Notifier struct {
	Title    string           // title of the alerts that Notify makes
	Hooks    Sink             // nil: none
	Terminal Sink             // nil: none
	Now      func() time.Time // nil: time.Now

	mu        sync.Mutex
	focused   bool // as the terminal last reported; false until it reports
	announced map[string]time.Time
	waiting   []Alert // suppressed alerts of things that still wait, in order
}

// Alert fires the hooks, then notifies the terminal unless it should stay
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
// tools/toolcall. The message is the key: call [Notifier.Settle] with it once
// the prompt is answered.
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

// Focus records that the terminal got or lost the focus. When it is lost,
// alerts of what still waits are shown.
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

// Settle removes what waited under key.
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

// Package notify tells people that something waits for them, or is done: the
// Notification hooks first, then the terminal by a bell or an escape sequence
// (cli/utils/terminalNotifications.ts). It keeps out who waits and why, imports
// nothing of ours, and writes only where it is told to.
//
// The rules:
//   - Hooks hear of every alert. The terminal stays quiet while it has the focus,
//     and for 20 s after an alert of the same key.
//   - What waited in silence is told once the focus is lost, unless it is
//     settled by then.
//   - A headless session has no Notifier: the nil Notifier does nothing.
package notify

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Kind says why people are told.
type Kind string

const (
	Attention       Kind = "attention"        // something waits for the user
	SessionComplete Kind = "session_complete" // the work is done and nothing waits
)

// Alert is one thing to tell.
type Alert struct {
	Kind Kind
	// Key names what waits; alerts of one key are not repeated within 20 s.
	// Empty: never held back for that reason, and not told later.
	Key string

	Title    string // up to 48 columns are shown
	Subtitle string // up to 64
	Body     string // up to 180

	// For hooks; empty HookType: they are not told. Body is their message.
	HookType string // notification_type, such as "ToolPermission"
	Details  any
}

// Sink is told of alerts. It does not fail: people who cannot be told are not
// told.
type Sink interface {
	Alert(ctx context.Context, a Alert)
}

// Hooks is the one hook event that is fired here; *hooks.Engine satisfies it.
type Hooks interface {
	Notification(ctx context.Context, kind, message string, details any) (systemMessage string)
}

// HookSink fires the Notification event.
type HookSink struct {
	Hooks Hooks
	Show  func(systemMessage string) // what hooks want to be shown; nil: it is not
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

// Notifier hands alerts on. It is safe for concurrent use; the nil Notifier does
// nothing.
type Notifier struct {
	Title    string           // of alerts made by Notify
	Hooks    Sink             // nil: none
	Terminal Sink             // nil: none
	Now      func() time.Time // nil: time.Now

	mu        sync.Mutex
	focused   bool // as the terminal last reported; false until it does
	announced map[string]time.Time
	waiting   []Alert // attention that was not told, by key, in order
}

// Alert tells hooks, then the terminal unless it is to stay quiet.
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

// Notify is Alert for a permission prompt, in the words of tools/toolcall. The
// message is the key: Settle it when the prompt was answered.
func (d *Notifier) Notify(ctx context.Context, kind, message string, details any) {
	if d == nil {
		return
	}
	d.Alert(ctx, Alert{Kind: Attention, Key: message, Title: d.Title, Body: message, HookType: kind, Details: details})
}

// due decides whether the terminal is told now, and keeps in mind what is not.
func (d *Notifier) due(a Alert) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.focused {
		d.keep(a)
		return false
	}
	return d.fresh(a)
}

// keep remembers an alert for the moment when the focus is lost.
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

// fresh reports whether the key has not been told of lately, and notes that it
// is told of now.
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

// Focus takes in that the terminal got or lost the focus. When it is lost, what
// still waits is told.
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

// Settle says that what waited under key no longer does.
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

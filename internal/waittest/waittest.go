// Package waittest waits for the effects of a test. What does not come within
// [Limit], or shortly before the end that go test -timeout sets, fails the test with
// a message.
package waittest

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// Limit is the maximum length of one wait, on any machine.
const Limit = 60 * time.Second

// Context returns a context that ends after [Limit], or with [Lifetime]. Use it for one
// wait.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(Lifetime(t), Limit)
	t.Cleanup(cancel)
	return ctx
}

// Lifetime returns a context that ends with t, or shortly before go test ends all
// tests. Use it for processes and servers that must not outlive a test.
func Lifetime(t testing.TB) context.Context {
	limited, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return t.Context() // a benchmark has no deadline
	}
	end, ok := limited.Deadline()
	if !ok {
		return t.Context()
	}
	ctx, cancel := context.WithDeadline(t.Context(), end.Add(-min(30*time.Second, time.Until(end)/2)))
	t.Cleanup(cancel)
	return ctx
}

// Until waits until done returns true. If that does not happen in time, t fails with
// message, a format and its arguments.
func Until(t testing.TB, done func() bool, message ...any) {
	t.Helper()
	ctx := Context(t)
	for wait := time.Millisecond; !done(); wait = min(2*wait, 20*time.Millisecond) {
		select {
		case <-ctx.Done():
			t.Fatal("this never came: " + text(message))
		case <-time.After(wait):
		}
	}
}

// Watch calls seen repeatedly until it returns true or ctx ends.
func Watch(ctx context.Context, seen func() bool) {
	for !seen() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Closed waits until c is closed or yields a value.
func Closed[T any](t testing.TB, c <-chan T, message ...any) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-Context(t).Done():
		t.Fatal("this never came: " + text(message))
	}
	return v
}

func text(message []any) string {
	if len(message) == 0 {
		return "what the test waits for"
	}
	format, ok := message[0].(string)
	if !ok {
		return fmt.Sprint(message...)
	}
	return fmt.Sprintf(format, message[1:]...)
}

package subagent

import (
	"context"
	"errors"
	"sync"
	"time"

	"minigem/tools/toolcall"
)

// errTimeout ends the context of an agent that has worked for too long.
var errTimeout = errors.New("the agent's time is over")

// clock ends a context after a time that does not run while the clock is stopped. It is
// the Approver of an agent that stops it while the user is asked.
type clock struct {
	toolcall.Approver
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer
	since time.Time
	left  time.Duration
}

// startClock returns a context that ends with the cause errTimeout after d of running
// time.
func startClock(ctx context.Context, d time.Duration) (context.Context, *clock) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &clock{cancel: cancel, left: d}
	c.goOn()
	return ctx, c
}

// goOn starts the clock again with the time that is left.
func (c *clock) goOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since = time.Now()
	c.timer = time.AfterFunc(c.left, func() { c.cancel(errTimeout) })
}

// stop stops the clock, and reports whether it still ran.
func (c *clock) stop() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = max(0, c.left-time.Since(c.since))
	return c.timer.Stop()
}

// end ends the context.
func (c *clock) end() {
	c.stop()
	c.cancel(nil)
}

// Approve implements toolcall.Approver.
func (c *clock) Approve(ctx context.Context, q toolcall.Question) toolcall.Answer {
	if c.stop() {
		defer c.goOn()
	}
	return c.Approver.Approve(ctx, q)
}

package command

import (
	"context"
	"sync"
	"time"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/proc"
)

// Children holds the processes that hooks left behind with their streams open. Each is
// stopped at the deadline of its hook, and all of them by Close at the end of the
// session. The zero value is ready to use; it must not be copied. It is safe for
// concurrent use.
type Children struct {
	mu      sync.Mutex
	running map[*proc.Process]bool
	closed  bool
}

// Close stops the processes and returns when they are gone, after two seconds at most.
// Processes that are added later are stopped at once. Those of SessionEnd hooks are not
// held, because they may outlive the session. The error is always nil.
func (c *Children) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	var wg sync.WaitGroup
	for p := range c.running {
		wg.Go(p.Stop)
	}
	wg.Wait()
	return nil
}

// Running returns the number of processes that are running now.
func (c *Children) Running() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.running)
}

// add records p. A nil c does nothing.
func (c *Children) add(p *proc.Process, h hooks.Hook) {
	if c == nil || h.Event == protocol.SessionEnd {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		go p.Stop()
		return
	}
	if c.running == nil {
		c.running = map[*proc.Process]bool{}
	}
	c.running[p] = true
}

// remove forgets p, which has ended. A nil c does nothing.
func (c *Children) remove(p *proc.Process) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, p)
}

// leave stops what h left behind with its streams open at ctx's deadline, or
// when the session ends, unless it ends by itself before.
func (r Runner) leave(ctx context.Context, p *proc.Process, h hooks.Hook) {
	r.Children.add(p, h)
	deadline, ok := ctx.Deadline()
	go func() {
		defer r.Children.remove(p)
		var due <-chan time.Time
		if ok {
			timer := time.NewTimer(time.Until(deadline))
			defer timer.Stop()
			due = timer.C
		}
		select {
		case <-p.Released():
		case <-due:
			p.Stop()
		}
	}()
}

package hooks

// Hooks with async: the engine starts them and does not wait. When one ends, its answer
// can only add context to the next request to the model, and a message for the user. It
// cannot decide anything, because the event has gone on. They end with their session.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"minigem/hooks/protocol"
	"minigem/llm"
)

// mostLate limits how many hooks with async are running or have an answer that no
// request has taken yet.
const mostLate = 16

// late holds the state of an engine's hooks with async.
type late struct {
	mu      sync.Mutex
	running int
	session string // the session to which they belong
	end     context.CancelFunc
	ctx     context.Context
	said    []string // context for the next request
	reports sync.WaitGroup
}

// claim makes room for a hook and returns the context that ends with the session, or
// nil if there is no room.
func (l *late) claim(session string) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx == nil || l.session != session {
		l.reset(session)
	}
	if l.running+len(l.said) >= mostLate {
		return nil
	}
	l.running++
	return l.ctx
}

// reset ends the hooks that run for another session. l.mu is held.
func (l *late) reset(session string) {
	if l.end != nil {
		l.end()
	}
	l.session, l.running, l.said = session, 0, nil
	l.ctx, l.end = context.WithCancel(context.Background())
}

// done releases the slot that claim reserved and keeps said for the next request. It
// does nothing if ctx's session is over.
func (l *late) done(ctx context.Context, said string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx != l.ctx {
		return
	}
	l.running--
	if said != "" {
		l.said = append(l.said, said)
	}
}

// takeLate returns what was said since the last request, and forgets it.
func (e *Engine) takeLate() []string {
	if e == nil {
		return nil
	}
	e.late.mu.Lock()
	defer e.late.mu.Unlock()
	said := e.late.said
	e.late.said = nil
	return said
}

// putBack keeps said for the next request, because this one is not sent.
func (e *Engine) putBack(said []string) {
	if len(said) == 0 {
		return
	}
	e.late.mu.Lock()
	defer e.late.mu.Unlock()
	e.late.said = append(said, e.late.said...)
}

// Close cancels the hooks with async that are still running, and returns when they have
// ended and were reported. The error is always nil. Hooks that were left running after
// [Engine.Patience] are not cancelled.
func (e *Engine) Close() error {
	if e == nil {
		return nil
	}
	e.late.mu.Lock()
	e.late.reset("")
	e.late.end()
	e.late.mu.Unlock()
	e.late.reports.Wait()
	return nil
}

// withLate returns req with said, the context of hooks with async, added at its end.
func (e *Engine) withLate(req *ModelRequest, said []string) *ModelRequest {
	if len(said) == 0 {
		return req
	}
	next, more := req.Request, llm.UserText(wrapContext(strings.Join(said, "\n")))
	next.Messages = slices.Clone(next.Messages)
	if n := len(next.Messages) - 1; n >= 0 && next.Messages[n].Role == llm.RoleUser {
		last := next.Messages[n]
		last.Parts = append(slices.Clone(last.Parts), more.Parts...)
		next.Messages[n] = last // roles alternate
	} else {
		next.Messages = append(next.Messages, more)
	}
	return req.Next(next)
}

// startLate starts the hooks of the plan that are not waited for. The returned function
// must be called once, with the event's first report, when the event is over.
func (f *firing[S]) startLate(ctx context.Context, todo []int) (over func(Report)) {
	if len(todo) == 0 {
		return func(Report) {}
	}
	own := f.copied()
	own.todo = nil
	var wg sync.WaitGroup
	for _, i := range todo {
		r := &f.report.Runs[i]
		until := f.e.late.claim(f.Origin.SessionID)
		if until == nil {
			r.Skipped = fmt.Sprintf("%d async hooks are already running or waiting to be read", mostLate)
			r.Warnings = append(r.Warnings, "it did not run: "+r.Skipped)
			continue
		}
		r.Left = true
		own.todo = append(own.todo, i)
		wg.Go(func() {
			running, cancel := detached(ctx)
			defer context.AfterFunc(until, cancel)()
			own.runOne(running, i, own.report.Input)
			f.e.late.done(until, own.settleLate(i))
			cancel()
		})
	}
	if len(own.todo) == 0 {
		return func(Report) {}
	}
	first := make(chan Report, 1)
	f.e.late.reports.Go(func() {
		wg.Wait()
		own.reportLate(<-first)
	})
	return func(rep Report) { first <- rep }
}

// settleLate reduces an answer to what can still have an effect, and returns its
// context.
func (f *firing[S]) settleLate(i int) (said string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &f.report.Runs[i]
	o := &r.Reading.Output
	left := protocol.Output{SystemMessage: o.SystemMessage, SuppressOutput: o.SuppressOutput,
		AdditionalContext: o.AdditionalContext}
	if r.Decision != Proceed {
		r.Warnings = append(r.Warnings, fmt.Sprintf("it said %s, which has no effect: a hook with async is not waited for",
			r.Decision))
	}
	if o.ToolInput != nil || o.LLMRequest != nil || o.LLMResponse != nil || o.ToolConfig != nil ||
		o.UpdatedOutput != nil || o.TailToolCall != nil || o.ClearContext {
		r.Warnings = append(r.Warnings, "what it wanted to change has no effect: a hook with async is not waited for")
	}
	r.Decision, *o = Proceed, left
	return left.AdditionalContext
}

// reportLate makes the second report of an event, when the hooks that were not waited
// for have ended.
func (f *firing[S]) reportLate(rep Report) {
	rep.Late, rep.Runs, rep.Merge = true, slices.Clone(rep.Runs), slices.Clone(rep.Merge)
	ended := Report{Event: rep.Event}
	for _, i := range f.todo {
		rep.Runs[i] = f.report.Runs[i]
		ended.Runs = append(ended.Runs, f.report.Runs[i])
		if said := f.report.Runs[i].Reading.Output.AdditionalContext; said != "" {
			rep.Merge = append(rep.Merge, Step{f.report.Runs[i].Hook.ID(), "adds context to the next request: " + said})
		}
	}
	rep.Messages = f.e.messages(&ended)
	if f.e.Report != nil {
		f.e.Report(rep)
	}
}

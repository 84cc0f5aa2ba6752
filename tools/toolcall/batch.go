package toolcall

import (
	"context"
	"slices"
	"sync"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
	"minigem/tools"
)

// batch runs the calls of one model message in waves (core/scheduler/scheduler.ts).
// Neighbouring calls that may run in parallel form one wave; any other call forms one
// alone. In a wave, all calls are first decided on, their BeforeTool hooks together and
// their prompts one by one; then all run together, each with its own AfterTool.
type batch struct {
	*Runner
	Hooks  Hooks // never nil
	sink   serial
	calls  []*call
	offers func(name string) bool // reports whether the request offered a tool; nil means that all were

	asking chan struct{} // a semaphore of one, held from a policy check to the user's answer

	mu      sync.Mutex
	halt    string // why no more calls start; empty if they do
	stop    bool   // a hook ended the run
	flushed int    // records that the sink has received
}

// newBatch makes a batch whose calls have no result yet. Without hooks it gets those
// that allow everything, so that no step has to ask.
func newBatch(r *Runner, calls []llm.ToolCall, offers func(string) bool) *batch {
	b := &batch{Runner: r, Hooks: r.Hooks, offers: offers, sink: serial{sink: r.Sink}, asking: make(chan struct{}, 1)}
	if b.Hooks == nil {
		b.Hooks = noHooks{}
	}
	for _, c := range calls {
		b.calls = append(b.calls, &call{batch: b, asked: c, step: c})
	}
	return b
}

// waves sorts the calls into waves, those that go first at the front.
func (b *batch) waves() [][]*call {
	var first, others []*call
	for _, c := range b.calls {
		var info tools.Info
		if t := b.lookup(c.asked.Name); t != nil {
			info = t.Info()
		}
		wait, _ := c.asked.Args[waitForPrevious].(bool)
		if c.alone = wait || info.Sequential; info.First {
			first = append(first, c)
		} else {
			others = append(others, c)
		}
	}
	var waves [][]*call
	together := false
	for _, c := range append(first, others...) {
		if n := len(waves) - 1; together && !c.alone {
			waves[n] = append(waves[n], c)
		} else {
			waves = append(waves, []*call{c})
		}
		together = !c.alone
	}
	return waves
}

// run takes a wave from finding its tools to their results.
func (b *batch) run(ctx context.Context, wave []*call) {
	for _, c := range wave {
		c.record.Started = b.now()
		if c.mayStart(ctx) {
			c.find()
		}
	}
	parallel(open(wave), func(c *call) { c.before(ctx) })
	for _, c := range open(wave) {
		c.permit(ctx)
	}
	if why, stopped := b.halted(); stopped {
		for _, c := range open(wave) {
			c.dismiss(notRun + why)
		}
	}
	for _, c := range open(wave) {
		c.start(ctx)
	}
	parallel(open(wave), func(c *call) { c.execute(ctx) })
}

// open returns the calls that have no result yet.
func open(calls []*call) []*call {
	return slices.DeleteFunc(slices.Clone(calls), func(c *call) bool { return c.finished })
}

// parallel calls do for each call at once and waits for all.
func parallel(calls []*call, do func(*call)) {
	if len(calls) == 1 {
		do(calls[0])
		return
	}
	var wg sync.WaitGroup
	for _, c := range calls {
		wg.Go(func() { do(c) })
	}
	wg.Wait()
}

// stopAll prevents further calls from starting. A hook's stop is stronger than
// a user's no: calls that were allowed already do not start either.
func (b *batch) stopAll(why string, byHook bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.halt == "" || byHook && !b.stop {
		b.halt = why
	}
	b.stop = b.stop || byHook
}

// halted returns why no more calls start, and whether a hook said so; empty if they do.
func (b *batch) halted() (why string, byHook bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.halt, b.stop
}

// finish announces results in the order of the calls, each as soon as all
// before it are there.
func (b *batch) finish(c *call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.finished = true
	for b.flushed < len(b.calls) && b.calls[b.flushed].finished {
		b.sink.emit(event.ToolFinished{Record: b.calls[b.flushed].record})
		b.flushed++
	}
}

// verdict returns the strongest decision: the first stop in the order of calls, or a
// denial if the user declined all calls.
func (b *batch) verdict() hooks.Verdict {
	declined := false
	wanted := false
	for _, c := range b.calls {
		if c.stop != nil {
			b.sink.emit(event.Stopped{Event: c.stoppedBy, Reason: c.stop.Reason})
			return *c.stop
		}
		declined = declined || c.declined
		wanted = wanted || c.record.Status != event.ToolCancelled || c.feedback
	}
	if declined && !wanted {
		return hooks.Verdict{Decision: hooks.Deny, Reason: "cancelled by the user"}
	}
	return hooks.Verdict{}
}

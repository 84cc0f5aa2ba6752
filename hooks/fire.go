package hooks

// The life of one event: plan, run, read, merge, report.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"minigem/hooks/protocol"
)

// event holds what differs between hook events. S is the state that hooks of the event
// read and change; it is passed by value and never changed in place.
type event[S any] struct {
	name    protocol.Event
	subject subject
	state   S

	// stdin is the payload that a hook reads, given the state.
	stdin func(protocol.Base, S) Payload
	// apply returns the state after one hook's answer. It is called in configured
	// order. If it is nil, answers change nothing.
	apply func(S, *answer) S
	// next returns the state for the next sequential hook. It is called once more when
	// all have answered. If it is nil, the state stays as it is.
	next func(S) S
	// effect returns what the answers changed. If it is nil, they change nothing but
	// the decision.
	effect func(S, Verdict) Effect

	use   ToolUse  // of the tool events
	tools []string // what the model is offered, BeforeToolSelection only
	// leave says that hooks which take longer than the engine's patience are left running.
	leave bool
	// survive says that the end of ctx does not end the hooks.
	survive bool
}

// answer is a hook's answer before it is applied.
type answer struct {
	protocol.Output
	hook    string
	report  *Report
	run     *Run
	instead *string // see Settled
}

// note records a step of the merge.
func (a *answer) note(format string, args ...any) {
	a.report.Merge = append(a.report.Merge, Step{a.hook, fmt.Sprintf(format, args...)})
}

// warn records something that was ignored.
func (a *answer) warn(format string, args ...any) {
	a.run.Warnings = append(a.run.Warnings, fmt.Sprintf(format, args...))
}

// firing is the state of one event while its hooks run.
type firing[S any] struct {
	Firing
	e       *Engine
	ev      event[S]
	rules   Rules
	settler func([]Run) Settled // see Plan.Settle
	settled Run                 // what settler made of all runs
	todo    []int
	report  Report

	mu sync.Mutex // guards report.Runs while hooks run
}

// copied returns a firing of the same event with a separate report.
func (f *firing[S]) copied() *firing[S] {
	c := &firing[S]{
		Firing: f.Firing, e: f.e, ev: f.ev, rules: f.rules, settler: f.settler, todo: f.todo, report: f.report,
	}
	c.report.Runs = slices.Clone(f.report.Runs)
	return c
}

// newFiring returns what is known of an event before its hooks are planned.
func newFiring[S any](ctx context.Context, e *Engine, ev event[S], started time.Time) *firing[S] {
	seq, config, origin := e.begin()
	agent := SubagentOf(ctx)
	f := &firing[S]{e: e, ev: ev, rules: e.RulesAt[ev.name], Firing: Firing{
		Event: ev.name, Subject: ev.subject.name, Use: ev.use, Tools: ev.tools, Agent: agent, Origin: origin, Config: config,
		PromptID: e.promptID(origin.SessionID),
		Base: protocol.Base{
			SessionID: origin.SessionID, TranscriptPath: origin.TranscriptPath, Cwd: origin.Cwd, HookEventName: ev.name,
			Timestamp: started.UTC().Format(protocol.TimeLayout), PermissionMode: e.mode(ev.name),
			AgentID: agent.ID, AgentType: agent.Type,
		},
	}}
	if f.Base.PermissionMode != "" && agent == (Subagent{}) {
		f.Base.AgentType = "main"
	}
	if f.rules == nil {
		f.rules = ownRules{e}
	}
	f.Input = func() Payload {
		if f.report.Input == nil {
			f.report.Input = ev.stdin(f.Base, ev.state)
		}
		return f.report.Input
	}
	f.report = Report{Seq: seq, Event: ev.name, Subject: ev.subject.name, Agent: agent, Started: started, mask: e.Mask}
	return f
}

// fire runs ev's hooks and returns the final state and the merged decision.
func fire[S any](ctx context.Context, e *Engine, ev event[S]) (S, Verdict) {
	f := newFiring(ctx, e, ev, time.Now())
	p := f.rules.Plan(f.Firing)
	f.report.Event, f.report.Subject = cmp.Or(p.Event, ev.name), cmp.Or(p.Subject, ev.subject.name)
	f.report.Sequential, f.report.Runs, f.settler = p.InTurn, p.Runs, p.Settle
	var late []int
	f.todo, late = p.split(ev.name)
	if len(f.todo)+len(late) > 0 || e.ReportIdle {
		f.Input()
	}
	over := f.startLate(ctx, late)
	if len(f.todo) > 0 && e.Starting != nil {
		e.Starting(ev.name, f.planned())
	}
	state := ev.state
	switch {
	case len(f.todo) == 0:
		state = f.settle(state)
	case ev.leave:
		state = f.runPatiently(ctx)
	default:
		state = f.runAll(ctx)
	}
	v := f.finish(state)
	over(f.report)
	return state, v
}

// planned returns the hooks that are about to run.
func (f *firing[S]) planned() []Hook {
	hooks := make([]Hook, len(f.todo))
	for n, i := range f.todo {
		hooks[n] = f.report.Runs[i].Hook
	}
	return hooks
}

// runAll runs the planned hooks and applies their answers in configured order.
func (f *firing[S]) runAll(ctx context.Context) S {
	state := f.ev.state
	if f.report.Sequential {
		state = f.runInTurn(ctx)
	} else {
		f.runTogether(ctx)
		for _, i := range f.todo {
			state = f.absorb(state, i)
		}
	}
	state = f.settle(state)
	if f.ev.next != nil {
		state = f.ev.next(state)
	}
	return state
}

// runTogether runs the hooks concurrently, all with the same payload, and waits for them.
func (f *firing[S]) runTogether(ctx context.Context) {
	var wg sync.WaitGroup
	for _, i := range f.todo {
		wg.Go(func() { f.runOne(ctx, i, f.report.Input) })
	}
	wg.Wait()
}

// runInTurn runs the hooks one after the other. Each reads the state that the one before
// left, and its condition is evaluated on that state.
func (f *firing[S]) runInTurn(ctx context.Context) S {
	state, stdin, stopped := f.ev.state, f.report.Input, ""
	for n, i := range f.todo {
		switch {
		case stopped != "":
			f.skip(i, fmt.Sprintf("hook %q stopped the run first", stopped))
			continue
		case ctx.Err() != nil:
			f.skip(i, "cancelled before it began")
			continue
		case n > 0:
			if f.ev.next != nil {
				state = f.ev.next(state)
			}
			stdin = f.ev.stdin(f.Base, state)
		}
		if why := f.unmet(i, stdin); why != "" {
			f.skip(i, why)
			continue
		}
		f.runOne(ctx, i, stdin)
		state = f.absorb(state, i)
		if r := &f.report.Runs[i]; f.rules.Halts(f.Firing, *r) {
			stopped = r.Hook.ID()
		}
	}
	return state
}

// skip records why hook i does not run.
func (f *firing[S]) skip(i int, why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.report.Runs[i].Skipped = why
}

// runPatiently runs hooks but waits only briefly for them. Those still running when
// patience ends go on until their timeouts. A second report follows when they have
// ended, and no answer counts.
func (f *firing[S]) runPatiently(ctx context.Context) S {
	running, cancel := detached(ctx)
	whole := f.copied()
	done := make(chan struct{})
	state := f.ev.state // of whole, which done guards
	go func() {
		defer cancel()
		defer close(done)
		state = whole.runAll(running)
	}()
	var cancelled <-chan struct{}
	if !f.ev.survive {
		cancelled = ctx.Done()
	}
	timer := time.NewTimer(f.e.patience())
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-cancelled:
		cancel()
		<-done
	}
	var all bool
	if f.report.Runs, f.report.Merge, all = whole.snapshot(done); all {
		return state
	}
	go func() {
		<-done
		whole.report.Late = true
		whole.finish(whole.ev.state)
	}()
	return f.ev.state
}

// snapshot returns a copy of the runs so far, in which unfinished ones are marked as
// left. all reports that every run has finished, and then done is closed. Hooks with
// async are not waited for and do not count.
func (f *firing[S]) snapshot(done <-chan struct{}) (runs []Run, steps []Step, all bool) {
	f.mu.Lock()
	runs, all = slices.Clone(f.report.Runs), true
	for _, i := range f.todo {
		if r := &runs[i]; r.Skipped == "" && r.Stdin == nil {
			r.Left, all = true, false
		}
	}
	f.mu.Unlock()
	if !all {
		return runs, nil, false
	}
	<-done
	return f.report.Runs, f.report.Merge, true
}

// runOne runs hook i and reads its answer.
func (f *firing[S]) runOne(ctx context.Context, i int, stdin Payload) {
	f.mu.Lock()
	r := f.report.Runs[i]
	f.mu.Unlock()
	var env []string
	r.Stdin, env = f.rules.Ask(f.Firing, r.Hook, stdin)
	limit := r.Hook.Limit()
	if why := f.e.withheld(ctx, r.Hook); why != "" {
		r.withhold(f.ev.name, why)
		f.mu.Lock()
		f.report.Runs[i] = r
		f.mu.Unlock()
		return
	}
	r.Started = time.Now()
	limited, cancel := context.WithTimeout(ctx, limit)
	r.Exit = f.e.Runner.Run(limited, r.Hook, r.Stdin, env)
	cancel()
	if f.e.Watch != nil {
		f.e.Watch.Ran(r.Hook)
	}
	if r.Exit.Duration == 0 {
		r.Exit.Duration = time.Since(r.Started)
	}
	r.TimedOut = r.Exit.Err != nil && ctx.Err() == nil && errors.Is(r.Exit.Err, context.DeadlineExceeded)
	if r.Exit.Warning != "" {
		r.Warnings = append(r.Warnings, r.Exit.Warning)
	}
	r.Failed = r.failure(ctx, limit)
	f.rules.Read(f.Firing, &r, stdin)
	f.e.hasRun(r, f.Origin.SessionID)
	f.mu.Lock()
	f.report.Runs[i] = r
	f.mu.Unlock()
}

// absorb applies the answer of run i to state.
func (f *firing[S]) absorb(state S, i int) S {
	r := &f.report.Runs[i]
	if r.Skipped != "" || f.settler != nil {
		return state
	}
	a := &answer{Output: r.Reading.Output, hook: r.Hook.ID(), report: &f.report, run: r}
	if r.Reading.From == "stderr" {
		a.note("answered on stderr, stdout being empty")
	}
	if r.Decision != Proceed {
		a.note("%s: %s", r.Decision, r.GivenReason())
	}
	if f.ev.apply != nil {
		state = f.ev.apply(state, a)
	}
	return state
}

// settle applies the joint effect of all answers, if the rules define one.
func (f *firing[S]) settle(state S) S {
	if f.settler == nil {
		return state
	}
	s := f.settler(f.report.Runs)
	f.settled = Run{Hook: Hook{Name: s.Hook}, Reading: protocol.Reading{Output: s.Output}, Decision: s.Decision}
	if f.ev.apply != nil {
		state = f.ev.apply(state, &answer{
			Output: s.Output, report: &f.report, run: &f.settled, hook: s.Hook, instead: s.Instead,
		})
	}
	return state
}

// finish merges the decisions, completes the report and hands it over.
func (f *firing[S]) finish(state S) Verdict {
	rep := &f.report
	v := merge(rep.Runs)
	if f.settler != nil {
		v = merge([]Run{f.settled})
	}
	rep.Verdict = v
	rep.Effect = Effect{Kind: EffectNone}
	if f.ev.effect != nil {
		rep.Effect = f.ev.effect(state, v)
	}
	switch v.Decision {
	case Ask:
		rep.Effect.Kind = EffectAsk
	case Deny:
		if rep.Effect.Kind != EffectRetry {
			rep.Effect.Kind = EffectDeny
		}
	case Stop:
		rep.Effect.Kind = EffectStop
	}
	rep.Messages = f.e.messages(rep)
	rep.Duration = time.Since(rep.Started)
	if f.e.Report != nil && (len(rep.Runs) > 0 || f.e.ReportIdle) {
		f.e.Report(*rep)
	}
	return v
}

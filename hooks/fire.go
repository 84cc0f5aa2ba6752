package hooks

// The life of one event: plan, run, read, merge, report.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"minigem/hooks/protocol"
)

// event is what differs between them. S is what hooks of the event read
// and change; it is passed by value and never changed in place.
type event[S any] struct {
	name    Event
	subject subject
	state   S

	// stdin is the payload that a hook reads, given the state.
	stdin func(protocol.Base, S) Payload
	// apply is the state as one hook's answer leaves it; nil: answers change
	// nothing. It is called in configured order.
	apply func(S, *answer) S
	// next is the state as the next sequential hook reads it, and as it stands
	// when all have answered; nil: as it is.
	next func(S) S
	// effect says what the answers changed; nil: nothing but the decision.
	effect func(S, Verdict) Effect

	use   ToolUse  // of the tool events
	tools []string // what the model is offered, BeforeToolSelection only
	// leave: hooks that take longer than the engine's patience are left running.
	leave bool
	// survive: the end of ctx does not end the hooks.
	survive bool
}

// answer is one hook's, on its way into the state.
type answer struct {
	protocol.Output
	hook    string
	report  *Report
	run     *Run
	instead *string // of a Player: see Settled
}

// note records a step of the merge.
func (a *answer) note(format string, args ...any) {
	a.report.Merge = append(a.report.Merge, Step{a.hook, fmt.Sprintf(format, args...)})
}

// warn records something that was ignored.
func (a *answer) warn(format string, args ...any) {
	a.run.Warnings = append(a.run.Warnings, fmt.Sprintf(format, args...))
}

// firing is one event on its way.
type firing[S any] struct {
	e        *Engine
	config   Config
	ev       event[S]
	base     protocol.Base
	origin   Origin
	env      []string
	promptID string
	todo     []int
	report   Report
	player   Player // nil: our own rules
	what     Firing // for the player
	settled  Run    // what the player makes of all runs

	mu sync.Mutex // guards report.Runs while hooks run
}

// fire runs ev and returns the state and the decision that came of it.
func fire[S any](ctx context.Context, e *Engine, ev event[S]) (S, Verdict) {
	started := time.Now()
	seq, config, origin := e.begin()
	f := &firing[S]{e: e, config: config, ev: ev, origin: origin, env: origin.env(),
		promptID: e.promptID(origin.SessionID), base: protocol.Base{
			SessionID: origin.SessionID, TranscriptPath: origin.TranscriptPath, Cwd: origin.Cwd,
			HookEventName: ev.name, Timestamp: started.UTC().Format(protocol.TimeLayout), PermissionMode: e.mode(ev.name),
		}}
	agent := SubagentOf(ctx)
	f.base.AgentID, f.base.AgentType = agent.ID, agent.Type
	if f.base.PermissionMode != "" && agent == (Subagent{}) {
		f.base.AgentType = "main"
	}
	f.report = Report{Seq: seq, Event: ev.name, Subject: ev.subject.name, Agent: agent, Started: started, mask: e.Mask}
	if e.Player != nil && e.Player.Plays(ev.name) {
		f.player, f.report.Input = e.Player, ev.stdin(f.base, ev.state)
		f.what = Firing{Event: ev.name, Subject: ev.subject.name, Call: ev.use.Call, Exit: ev.use.Exit, Origin: origin,
			Input: f.report.Input}
		f.report.Event, f.report.Subject = f.player.Name(f.what)
	}
	p := f.plan(config)
	f.todo, f.report.Sequential, f.report.Runs = p.todo, p.sequential, p.runs
	if f.report.Input == nil && (len(p.todo)+len(p.late) > 0 || e.ReportIdle) {
		f.report.Input = ev.stdin(f.base, ev.state)
	}
	over := f.startLate(ctx, p.late)
	if len(p.todo) > 0 && e.Starting != nil {
		e.Starting(ev.name, f.planned())
	}
	state := ev.state
	switch {
	case len(p.todo) == 0:
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

// planned are the hooks that are about to run.
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

func (f *firing[S]) runTogether(ctx context.Context) {
	var wg sync.WaitGroup
	for _, i := range f.todo {
		wg.Go(func() { f.runOne(ctx, i, f.report.Input) })
	}
	wg.Wait()
}

func (f *firing[S]) runInTurn(ctx context.Context) S {
	state, stdin, stopped := f.ev.state, f.report.Input, ""
	for n, i := range f.todo {
		switch {
		case stopped != "":
			f.skip(i, fmt.Sprintf("hook %q stopped the run before it", stopped))
			continue
		case ctx.Err() != nil:
			f.skip(i, "cancelled before it began")
			continue
		case n > 0:
			if f.ev.next != nil {
				state = f.ev.next(state)
			}
			stdin = f.ev.stdin(f.base, state)
		}
		if why := f.unmet(i, stdin); why != "" {
			f.skip(i, why)
			continue
		}
		f.runOne(ctx, i, stdin)
		state = f.absorb(state, i)
		if r := &f.report.Runs[i]; r.Decision == Stop && f.player == nil || f.player != nil && f.player.Halts(f.what, *r) {
			stopped = r.Hook.ID()
		}
	}
	return state
}

func (f *firing[S]) skip(i int, why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.report.Runs[i].Skipped = why
}

// runPatiently runs hooks that nobody needs to wait for long for. Those that
// are still running when patience ends are left to their own time-outs; a
// second report follows when they have ended, and no answer counts.
func (f *firing[S]) runPatiently(ctx context.Context) S {
	running, cancel := detached(ctx)
	whole := &firing[S]{e: f.e, config: f.config, ev: f.ev, base: f.base, origin: f.origin, env: f.env,
		promptID: f.promptID, todo: f.todo, report: f.report, player: f.player, what: f.what}
	whole.report.Runs = slices.Clone(f.report.Runs)
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

// snapshot returns the runs so far; those without an end are marked as left, in a
// copy. all: there are none of these, and done is closed. Hooks with async, which
// nobody waits for, do not count.
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
	if f.player != nil {
		r.Stdin, env = f.player.Payload(f.what, r.Hook), f.player.Env(f.what, r.Hook)
	} else {
		r.Stdin, env = f.inDialect(r.Hook, stdin)
	}
	limit := r.Hook.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	if why := f.e.withheld(r.Hook); why != "" && f.player == nil {
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
	f.read(&r, r.failure(ctx, limit), stdin)
	f.e.hasRun(r, f.origin.SessionID)
	f.mu.Lock()
	f.report.Runs[i] = r
	f.mu.Unlock()
}

// read says what a run means.
func (f *firing[S]) read(r *Run, failed string, stdin Payload) {
	if f.player != nil {
		r.Failed = failed
		f.player.Read(f.what, r)
		return
	}
	var input []byte
	if f.ev.name == protocol.BeforeTool || f.ev.name == protocol.PermissionRequest {
		input = stdin.Bytes()
	}
	r.Reading = protocol.DialectOf(r.Hook.Dialect).Parse(f.ev.name, protocol.Ran{
		Input: input, Code: r.Exit.Code, Failed: failed,
		Cut:    protocol.CutStreams(r.Exit.StdoutTruncated, r.Exit.StderrTruncated),
		Stdout: r.Exit.Stdout, Stderr: r.Exit.Stderr, Tool: f.ev.subject.name, Tools: f.ev.tools,
		Read: r.Stdin.Bytes,
	})
	if f.e.BlockFailed && f.ev.name == protocol.BeforeTool && r.Hook.OnError == "" && r.Reading.Failed != "" {
		r.block("in a sandbox a call is blocked if a hook fails and has no onError", r.Reading.Failed)
	}
	r.judge(f.ev.name)
}

// absorb applies the answer of run i to state.
func (f *firing[S]) absorb(state S, i int) S {
	r := &f.report.Runs[i]
	if r.Skipped != "" || f.player != nil {
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

// finish merges the decisions, completes the report and hands it over.
func (f *firing[S]) finish(state S) Verdict {
	rep := &f.report
	v := merge(rep.Runs)
	if f.player != nil {
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

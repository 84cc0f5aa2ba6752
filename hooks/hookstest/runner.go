// Package hookstest has what tests of hooks share: a [Runner] without processes, and a
// [Stimulus] that fires any event with sample data.
//
//	r := &hookstest.Runner{Scripts: map[string]hookstest.Script{
//		"guard.sh": {Stdout: `{"decision": "deny", "reason": "no"}`},
//	}}
//	e := &hooks.Engine{Config: config, Runner: r, Origin: hookstest.Origin}
//	outcome := hookstest.Stimulus{Event: protocol.BeforeTool}.Fire(e)
//
// Its testdata holds the contract of the hook system as cases, which its tests run with
// and without processes. Only tests import it.
package hookstest

import (
	"context"
	"slices"
	"sync"
	"time"

	"minigem/hooks"
)

// Runner is a [hooks.Runner] without processes: it looks a hook's command up in Scripts.
// It waits by timers, so that delays cost nothing under testing/synctest. The zero Runner
// has no scripts, and every hook exits with 127. It is safe for concurrent use if Scripts
// is not changed meanwhile.
type Runner struct {
	// Scripts holds what hooks do, by [hooks.Hook.Command].
	Scripts map[string]Script

	mu    sync.Mutex
	calls []Call
}

// Script is what a hook does. The zero Script exits with 0 and prints nothing.
type Script struct {
	// Delay is how long it takes until it ends.
	Delay time.Duration
	// Exit is the exit status.
	Exit int
	// Signal is the signal that ends the hook instead of an exit.
	Signal string
	// Err says that the hook cannot be started.
	Err error
	// OnTerm is the exit status if the context ends during Delay.
	OnTerm int
	// Stdout and Stderr are printed at once, before Delay.
	Stdout, Stderr string
	// Truncated says that Stdout was cut.
	Truncated bool
	// Do, if not nil, is called after Delay with what the hook read, and returns the
	// Exit. The other fields do not count then.
	Do func(stdin []byte) hooks.Exit
}

// Call is one run of a hook.
type Call struct {
	// Hook is the hook that was run.
	Hook hooks.Hook
	// Stdin is what the hook read.
	Stdin string
	// Env is the session's variables, a copy.
	Env []string
}

var _ hooks.Runner = (*Runner)(nil)

// Run implements [hooks.Runner]. It notes the call first. A command that is not in
// Scripts exits with 127, as in bash. If ctx ends during Delay, the Exit has OnTerm as
// its code and the error of ctx.
func (r *Runner) Run(ctx context.Context, h hooks.Hook, stdin hooks.Payload, env []string) hooks.Exit {
	r.mu.Lock()
	r.calls = append(r.calls, Call{h, stdin.String(), slices.Clone(env)})
	s, known := r.Scripts[h.Command]
	r.mu.Unlock()
	if !known {
		return hooks.Exit{Code: 127, Stderr: []byte("bash: line 1: " + h.Command + ": command not found\n")}
	}
	printed := hooks.Exit{Stdout: []byte(s.Stdout), Stderr: []byte(s.Stderr), StdoutTruncated: s.Truncated}
	started := time.Now()
	timer := time.NewTimer(s.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		printed.Code, printed.Err, printed.Duration = s.OnTerm, ctx.Err(), time.Since(started)
		return printed
	}
	if s.Do != nil {
		printed = s.Do(stdin.Bytes())
	} else {
		printed.Code, printed.Signal, printed.Err = s.Exit, s.Signal, s.Err
	}
	printed.Duration = time.Since(started)
	return printed
}

// Calls returns the runs so far, in the order in which they began. The slice is the
// caller's.
func (r *Runner) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Commands returns the commands of the runs so far, in the order in which they began.
// It returns nil if nothing has run.
func (r *Runner) Commands() []string {
	var out []string
	for _, c := range r.Calls() {
		out = append(out, c.Hook.Command)
	}
	return out
}

// Package hookstest is what tests of hooks share: a Runner without processes and
// sample data for each event. Its testdata holds the contract of the hook system
// as cases, which its own tests run with and without processes. Nothing of the
// product imports it.
package hookstest

import (
	"context"
	"slices"
	"sync"
	"time"

	"minigem/hooks"
)

// Runner is a hooks.Runner without processes: a hook's command is looked up
// among Scripts. It sleeps by time.Sleep's clock, so that testing/synctest
// makes delays free. The zero Runner knows no script: every hook exits 127.
type Runner struct {
	Scripts map[string]Script // by Hook.Command

	mu    sync.Mutex
	calls []Call
}

// Script is what a hook does.
type Script struct {
	Delay          time.Duration // before it ends
	Exit           int
	Signal         string // it dies of a signal instead of exiting
	Err            error  // it cannot be started
	OnTerm         int    // exit status when the context ends
	Stdout, Stderr string // printed at once, before Delay
	Truncated      bool   // stdout was cut
	// Do, if not nil, gives the exit from what was read, after Delay.
	Do func(stdin []byte) hooks.Exit
}

// Call is one run.
type Call struct {
	Hook  hooks.Hook
	Stdin string
	Env   []string
}

var _ hooks.Runner = (*Runner)(nil)

// Run implements hooks.Runner.
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

// Calls returns the runs so far, in the order in which they began.
func (r *Runner) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Commands returns the commands of the runs so far, in the order in which they
// began.
func (r *Runner) Commands() []string {
	var out []string
	for _, c := range r.Calls() {
		out = append(out, c.Hook.Command)
	}
	return out
}

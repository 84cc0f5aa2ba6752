// Package command runs hooks as shell commands: the only code of hooks that is
// near a process. It knows nothing of events or of what a hook's output means.
//
// The rules:
//   - The command is given to the shell as it was configured; with "args" it is a
//     program, and there is no shell. The variables that every hook gets are one
//     word each, as in Gemini CLI, even without quotes where the project's path
//     has a space. Their values stay in the environment.
//   - A hook has a process group of its own. When ctx ends, the group gets
//     TERM and a second later KILL, and with it whatever descends from it.
//   - Where the working directory is gone, it is started in an empty folder.
//   - The answer is there when the shell has exited: a child that it left with
//     open streams is waited for a moment only. Such a child is stopped at ctx's
//     deadline or with the session; one that closed or redirected its streams
//     has left the hook, as a service does, and stays.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/proc"
)

const (
	// drain is how long more output is awaited from children that hold the
	// streams open after the shell has exited: an answer on its way through a
	// process substitution, such as exec > >(tee log), must not be lost.
	drain = 500 * time.Millisecond
	// grace is the time between TERM and KILL.
	grace = time.Second
)

var _ hooks.Runner = Runner{}

// Runner runs hooks. It implements hooks.Runner, is a value, and is safe for
// concurrent use.
type Runner struct {
	// Dir is the working directory of hooks: the session's cwd.
	Dir string
	// Env is the environment, "NAME=value", that every hook starts from, with
	// what must not be seen already taken out. nil: none.
	Env []string
	// ProjectEnv is in the place of Env for hooks that came with the project. nil:
	// they start from Env too.
	ProjectEnv []string
	// Children, if not nil, keeps what hooks leave behind, to be closed when the
	// session ends.
	Children *Children
	// Within is where hooks are started in. nil: they may do what minigem may.
	Within func(only []string, begin func() error) error
}

// Run runs h.Command with stdin on its standard input, which it need not read.
// Its environment is r.Env or r.ProjectEnv, then env, then h's own, the later
// winning.
//
// It returns as soon as the shell has exited, and at most two seconds after ctx
// has ended. What was printed until then is in the Exit, whatever happened.
func (r Runner) Run(ctx context.Context, h hooks.Hook, stdin hooks.Payload, env []string) hooks.Exit {
	began := time.Now()
	fail := func(err error) hooks.Exit {
		return hooks.Exit{Code: -1, Err: err, Duration: time.Since(began)}
	}
	switch {
	case ctx.Err() != nil:
		return fail(ctx.Err())
	case strings.TrimSpace(h.Command) == "":
		return fail(errors.New("the command is empty"))
	case strings.ContainsRune(h.Command, 0):
		return fail(errors.New("the command contains a NUL byte"))
	}
	if stdin == nil {
		stdin = hooks.Payload{} // closed at once, not the terminal
	}
	c := proc.Command{
		Dir: r.Dir, Env: environment(r.base(h), env, h), Stdin: stdin,
		Out: kept, Err: kept,
		Grace: grace, Drain: drain, Outlives: h.Event == protocol.SessionEnd, Within: r.Within,
	}
	if h.Args == nil {
		setShell(&c, h.Command, c.Env)
	} else {
		c.Path, c.Args = program(h, c.Env)
	}
	p, elsewhere, err := start(c)
	if err != nil {
		return fail(fmt.Errorf("starting the hook: %w", err))
	}
	if elsewhere != "" {
		defer os.Remove(elsewhere) // unless something is in it
	}
	stopped := await(ctx, p)
	res := p.Result()
	if res.Held && stopped == nil {
		r.leave(ctx, p, h)
	}
	e := exit(res, stopped, time.Since(began))
	e.Stdout, e.Stderr = res.Stdout.Bytes(), res.Stderr.Bytes()
	if elsewhere != "" {
		e.Warning = fmt.Sprintf("it was started in an empty folder, because nothing can be started in %s", r.Dir)
	}
	return e
}

// start starts c where it says or, where that cannot be, in an empty folder
// elsewhere, and returns that folder's name: a guard must not fall silent
// because the working directory was deleted. In a folder that exists already,
// such as the parent, relative names in the hook would mean other files.
func start(c proc.Command) (p *proc.Process, elsewhere string, err error) {
	p, err = proc.Start(c)
	if err == nil || c.Dir == "" {
		return p, "", err
	}
	elsewhere, failed := os.MkdirTemp("", "minigem-hook-")
	if failed != nil {
		return nil, "", err
	}
	c.Dir = elsewhere
	if p, failed = proc.Start(c); failed != nil {
		os.Remove(elsewhere)
		return nil, "", err
	}
	return p, elsewhere, nil
}

func (r Runner) base(h hooks.Hook) []string {
	if r.ProjectEnv != nil && h.Source.OfProject() {
		return r.ProjectEnv
	}
	return r.Env
}

// await returns ctx's error if it was that which ended the hook.
func await(ctx context.Context, p *proc.Process) error {
	select {
	case <-p.Done():
		return nil
	case <-ctx.Done():
	}
	select {
	case <-p.Done(): // both at once: it ended by itself
		return nil
	default:
	}
	p.Stop()
	return ctx.Err()
}

func exit(res proc.Result, stopped error, took time.Duration) hooks.Exit {
	e := hooks.Exit{
		Code: res.ExitCode, Err: stopped, Duration: took,
		StdoutTruncated: res.Stdout.Dropped > 0, StderrTruncated: res.Stderr.Dropped > 0,
	}
	if res.Signal != 0 {
		e.Signal = syscall.Signal(res.Signal).String()
	}
	return e
}

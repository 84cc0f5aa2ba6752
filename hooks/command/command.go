// Package command runs hooks as shell commands. Its [Runner] is the [hooks.Runner] of
// hooks of the type "command"; what their output means is left to hooks/protocol.
//
//	var children command.Children
//	defer children.Close()
//	engine.Runner = command.Runner{Dir: cwd, Env: os.Environ(), Children: &children}
//
// The rules:
//   - The command is given to the shell as it was configured: bash, or sh if there is no
//     bash; on Windows PowerShell. With "args" the command is a program and there is no
//     shell. The variables that every hook gets are one word each, as in Gemini CLI, even
//     unquoted and with a space in the project's path. Their values stay in the
//     environment.
//   - A hook runs in a new process group. When ctx ends, the group and all descendants
//     get TERM and, a second later, KILL.
//   - If the working directory is gone, the hook is started in an empty folder.
//   - The answer is complete when the shell has exited. A child that still holds the
//     streams open is waited for half a second only; it is stopped at ctx's deadline or
//     with the session. A child that closed or redirected its streams has left the hook,
//     as a service does, and is not stopped.
package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"minigem/hooks"
	"minigem/hooks/dotenv"
	"minigem/hooks/protocol"
	"minigem/internal/proc"
	"minigem/internal/stage"
)

// How long a hook's processes are waited for.
const (
	// drain is how long to wait for more output from children that hold the streams open
	// after the shell has exited. An answer on its way through a process substitution,
	// such as exec > >(tee log), must not be lost.
	drain = 500 * time.Millisecond
	// grace is the time between TERM and KILL.
	grace = time.Second
)

var _ hooks.Runner = Runner{}

// Runner runs hooks as processes. It implements [hooks.Runner], is a value, and is safe
// for concurrent use. The zero Runner runs hooks in this process's working directory with
// an empty environment.
type Runner struct {
	// Dir is the working directory of hooks: the session's cwd.
	Dir string
	// Env is the environment, "NAME=value", that every hook starts with. The caller must
	// already have removed what hooks must not see. nil means empty.
	Env []string
	// ProjectEnv replaces Env for hooks that came with the project
	// ([hooks.Source.OfProject]). If it is nil, they get Env too; an empty slice is an
	// empty environment.
	ProjectEnv []string
	// Children, if not nil, keeps the processes that hooks leave behind, so that they can
	// be stopped when the session ends. If it is nil, they are stopped only at their
	// hook's deadline.
	Children *Children
	// Within, if not nil, starts hooks inside a sandbox: it calls begin in it, and
	// returns its error. If it is nil, hooks may do what minigem may.
	Within func(only []string, begin func() error) error
}

// Run runs h.Command with stdin on its standard input, which the hook need not read; a
// nil stdin is closed at once. Its environment is r.Env or r.ProjectEnv, then env, then
// h.Env; later variables win. $NAME, ${NAME} and ${NAME:-default} in the values of h.Env
// are expanded, except in hooks of extensions.
//
// Run returns when the shell has exited, up to half a second later if a child holds the
// streams open, and at most two seconds after ctx has ended. The Exit has what was
// printed until then, whatever happened: the first 960 KiB and the last 64 KiB of each
// stream.
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
		c.Path, c.Args = h.Expanded(func(name string) (string, bool) { return dotenv.Lookup(c.Env, name) })
	}
	p, remove, err := start(c)
	if err != nil {
		return fail(fmt.Errorf("starting the hook: %w", err))
	}
	if remove != nil {
		defer remove()
	}
	stopped := await(ctx, p)
	res := p.Result()
	if res.Held && stopped == nil {
		r.leave(ctx, p, h)
	}
	e := exit(res, stopped, time.Since(began))
	e.Stdout, e.Stderr = res.Stdout.Bytes(), res.Stderr.Bytes()
	if remove != nil {
		e.Warning = fmt.Sprintf("it was started in an empty folder, because nothing can be started in %s", r.Dir)
	}
	return e
}

// start starts c in its directory or, if that fails, in a new empty folder elsewhere,
// which remove removes: a guard must not fall silent because the working directory was
// deleted. In an existing folder, such as the parent, relative names in the hook would
// mean other files.
func start(c proc.Command) (p *proc.Process, remove func(), err error) {
	p, err = proc.Start(c)
	if err == nil || c.Dir == "" {
		return p, nil, err
	}
	elsewhere, remove, failed := stage.Temp()
	if failed != nil {
		return nil, nil, err
	}
	c.Dir = elsewhere
	if p, failed = proc.Start(c); failed != nil {
		remove()
		return nil, nil, err
	}
	return p, remove, nil
}

// base returns the environment that h starts with.
func (r Runner) base(h hooks.Hook) []string {
	if r.ProjectEnv != nil && h.Source.OfProject() {
		return r.ProjectEnv
	}
	return r.Env
}

// await waits for the hook, and returns ctx's error if ctx ended it.
func await(ctx context.Context, p *proc.Process) error {
	select {
	case <-p.Done():
		return nil
	case <-ctx.Done():
	}
	select {
	case <-p.Done(): // if both happen at once, it ended by itself
		return nil
	default:
	}
	p.Stop()
	return ctx.Err()
}

// exit describes how a process ended, without its output.
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

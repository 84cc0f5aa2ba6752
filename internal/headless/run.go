package headless

import (
	"cmp"
	"context"
	"fmt"

	"minigem/agent"
	"minigem/internal/app"
	"minigem/internal/commands"
	"minigem/internal/exit"
	"minigem/internal/inspection"
	"minigem/internal/wiring"
)

// Observer follows a run. If it is nil, nothing does.
type Observer interface {
	Check() error                                  // called before anything runs; an error ends the run
	Join(c *app.Configuration, w *wiring.Frontend) // called before the session is opened
	Opened(r *wiring.Runtime)
	Prompt(text, filled string) // filled is what the model gets
	Finished(res agent.Result)
	Write(err error) error // called at the end of a run that was opened; returns its error, err as a rule
}

// Run runs one prompt, from the command line and standard input, and ends.
func Run(ctx context.Context, sys *app.System, f *app.Options, o Observer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	broken := func(error) { cancel(exit.ErrStdoutClosed) }
	out := New(sys, f, broken)
	prompt, err := promptOf(sys, f)
	if err == nil && o != nil {
		err = o.Check()
	}
	if err != nil {
		return out.Refuse(err)
	}
	exit.SurvivePipe()
	stop := exit.OnSignals(cancel, nil)
	defer stop()

	if err := EnterWorktree(ctx, sys, f); err != nil {
		return out.Refuse(err)
	}
	c, err := app.Configure(sys, f)
	if err == nil {
		err = c.Trust.RequireTrusted()
		f.OutputFormat = cmp.Or(f.OutputFormat, c.Settings.Output.Format)
		out = New(sys, f, broken)
	}
	if err != nil {
		return out.Refuse(err)
	}
	w := wiring.Frontend{Sink: endOnFatalTool(out, cancel), Reports: out.Report, Warn: out.Notice, Notice: out.Notice}
	if f.Debug {
		if n := inspection.WithoutEffect(c); n != "" {
			fmt.Fprintf(sys.Stderr, "[DEBUG] %s\n", c.ShortenIn(n))
		}
	}
	if o != nil {
		o.Join(c, &w)
	}
	r, err := wiring.Open(ctx, sys, f, c, w.Debugging(f.Debug, sys.Stderr))
	if err != nil {
		return out.Refuse(err)
	}
	defer r.Close()
	if o != nil {
		o.Opened(r)
	}
	res, err := oneShot(r, ctx, out, prompt, o)
	if err = out.End(res, err); err == nil {
		err = Blocked(res, cmp.Or(f.BlockedExitCode, c.Hooks.BlockedExitCode))
	}
	if o != nil {
		err = o.Write(err)
	}
	return exit.Lost(err, r.Close())
}

// EnterWorktree calls [app.EnterWorktree] and prints where the session works.
func EnterWorktree(ctx context.Context, sys *app.System, f *app.Options) error {
	notice, err := app.EnterWorktree(ctx, sys, f)
	if notice != "" {
		fmt.Fprintln(sys.Stderr, notice)
	}
	return err
}

// oneShot begins the session, runs prompt and ends the session, even if the run failed.
func oneShot(r *wiring.Runtime, ctx context.Context, out Output, prompt string, o Observer) (agent.Result, error) {
	out.Start(r, prompt)
	defer r.Session.End(context.WithoutCancel(ctx), "exit")
	before := r.Session.Begin(ctx)
	p, err := commands.Expand(ctx, r, prompt, before, nil, out.Notice)
	if err != nil {
		return agent.Result{}, err
	}
	if o != nil {
		o.Prompt(prompt, p.Text)
	}
	res := r.Agent.Run(ctx, p)
	if o != nil {
		o.Finished(res)
	}
	return res, EndingError(ctx, res)
}

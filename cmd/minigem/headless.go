package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/internal/acp"
	"minigem/internal/app"
	"minigem/internal/cases"
	"minigem/internal/commands"
	"minigem/internal/exit"
	"minigem/internal/headless"
	"minigem/internal/inspection"
	"minigem/internal/wiring"
)

// withoutTerminal reports whether the run is not interactive (core/utils/headless.ts).
func withoutTerminal(sys *app.System, f *app.Options) bool {
	if f.PromptInteractive != "" {
		return false
	}
	ci := sys.Getenv("CI") == "true" || sys.Getenv("GITHUB_ACTIONS") == "true"
	if sys.Getenv("GEMINI_CLI_INTEGRATION_TEST") == "true" {
		ci = false
	}
	return ci || f.PromptSet || !sys.StdinTTY || !sys.StdoutTTY
}

// runAgent runs minigem without a subcommand.
func runAgent(ctx context.Context, sys *app.System, f *app.Options) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if done, err := runInstead(sys, f); done {
		return err
	}
	if f.ACP {
		return acp.Serve(ctx, sys, f)
	}
	if withoutTerminal(sys, f) {
		return runHeadless(ctx, sys, f)
	}
	return runInteractive(ctx, sys, f)
}

// runHeadless runs one prompt and ends.
func runHeadless(ctx context.Context, sys *app.System, f *app.Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := headless.New(sys, f, func(error) { cancel(exit.ErrStdoutClosed) })
	prompt, err := promptOf(sys, f)
	if err != nil {
		return out.Refuse(err)
	}
	exit.SurvivePipe()
	stop := exit.OnSignals(cancel, nil)
	defer stop()

	if err := enterWorktree(ctx, sys, f); err != nil {
		return out.Refuse(err)
	}
	c, err := app.Configure(sys, f)
	if err != nil {
		return out.Refuse(err)
	}
	if f.OutputFormat == "" && c.Settings.Output.Format != "" {
		f.OutputFormat = c.Settings.Output.Format
		out = headless.New(sys, f, func(error) { cancel(exit.ErrStdoutClosed) })
	}
	if err := c.Trust.RequireTrusted(); err != nil {
		return out.Refuse(err)
	}
	w := wiring.Frontend{Sink: event.Tee(out, headless.EndOnFatalTool(cancel)), Reports: out.Report, Warn: out.Notice}
	if n := inspection.WithoutEffect(c); f.Debug && n != "" {
		fmt.Fprintf(sys.Stderr, "[DEBUG] %s\n", c.ShortenIn(n))
	}
	rec := cases.StartRecording(f, sys, c, false)
	rec.Join(&w)
	r, err := wiring.Open(ctx, sys, f, c, w)
	if err != nil {
		return out.Refuse(err)
	}
	defer r.Close()
	rec.Opened(r)
	res, err := oneShot(r, ctx, out, prompt, rec)
	if err = out.End(res, err); err == nil {
		err = headless.Blocked(res, cmp.Or(f.BlockedExitCode, c.Hooks.BlockedExitCode))
	}
	return exit.Lost(rec.Write(err), r.Close())
}

// enterWorktree calls app.EnterWorktree and prints where the session works.
func enterWorktree(ctx context.Context, sys *app.System, f *app.Options) error {
	notice, err := app.EnterWorktree(ctx, sys, f)
	if notice != "" {
		fmt.Fprintln(sys.Stderr, notice)
	}
	return err
}

// promptOf returns the prompt from the command line and standard input.
func promptOf(sys *app.System, f *app.Options) (string, error) {
	piped, err := readPiped(sys, stdinWait)
	if err != nil {
		return "", exit.With(exit.Input, err)
	}
	prompt := strings.TrimSpace(joinPrompt(piped, strings.Join(append(f.Query, f.Prompt), " ")))
	if prompt == "" {
		return "", exit.Errorf(exit.Input, "there is no prompt: give one with -p, as an argument, or on standard input")
	}
	return prompt, cases.CheckRecording(f, sys)
}

// oneShot begins the session, runs prompt and ends the session, even if the run failed.
func oneShot(r *wiring.Runtime, ctx context.Context, out headless.Output, prompt string,
	rec *cases.Recording) (agent.Result, error) {
	for _, n := range inspection.Notices(r.Config) {
		out.Notice(n)
	}
	out.Start(r, prompt)
	defer r.Session.End(context.WithoutCancel(ctx), "exit")
	before := r.Session.Begin(ctx)
	p, err := commands.Expand(ctx, r, prompt, before, nil, out.Notice)
	if err != nil {
		return agent.Result{}, err
	}
	rec.Prompt(prompt, p.Text)
	res := r.Agent.Run(ctx, p)
	rec.Finished(res)
	return res, headless.EndingError(ctx, res)
}

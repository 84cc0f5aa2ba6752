package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/internal/app"
	"minigem/internal/cases"
	"minigem/internal/exit"
	"minigem/internal/headless"
	"minigem/internal/proc"
)

// withoutTerminal reports whether nobody sits at a terminal (core/utils/headless.ts).
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

// runAgent is minigem without a subcommand.
func runAgent(ctx context.Context, sys *app.System, f *app.Options) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if done, err := runInstead(sys, f); done {
		return err
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
	stop := onSignals(cancel, nil)
	defer stop()

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
	w := app.Frontend{Sink: event.Tee(out, headless.EndOnFatalTool(cancel)), Reports: out.Report, Warn: out.Notice}.Debugging(f.Debug, sys.Stderr)
	if n := c.WithoutEffect(); f.Debug && n != "" {
		fmt.Fprintf(sys.Stderr, "[DEBUG] %s\n", c.ShortenIn(n))
	}
	rec := cases.StartRecording(f, sys, c, false)
	rec.Join(&w)
	r, err := app.Build(ctx, sys, f, c, w)
	if err != nil {
		return out.Refuse(err)
	}
	defer r.Close()
	rec.Opened(r)
	res, err := oneShot(r, ctx, out, prompt, rec)
	if err = out.End(res, err); err == nil {
		err = headless.Blocked(res, cmp.Or(f.BlockedExitCode, c.Hooks.BlockedExitCode))
	}
	return rec.Write(err)
}

// promptOf is what the command line and standard input ask for.
func promptOf(sys *app.System, f *app.Options) (string, error) {
	if f.PromptInteractive != "" && !sys.StdinTTY {
		return "", exit.Errorf(exit.Input, "--prompt-interactive needs a terminal: standard input is piped; use --prompt")
	}
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

// oneShot begins the session, runs prompt and ends the session, however it went.
func oneShot(r *app.Runtime, ctx context.Context, out headless.Output, prompt string, rec *cases.Recording) (agent.Result, error) {
	for _, n := range append(r.Config.Notices, r.Config.HookNotices()...) {
		out.Notice(n)
	}
	out.Start(r, prompt)
	defer r.Session.End(context.WithoutCancel(ctx), "exit")
	before := r.Session.Begin(ctx)
	p, err := r.Expand(ctx, prompt, before, nil, out.Notice)
	if err != nil {
		return agent.Result{}, err
	}
	rec.Prompt(prompt, p.Text)
	res := r.Agent.Run(ctx, p)
	rec.Finished(res)
	return res, headless.EndingError(ctx, res)
}

// moment is how long after the first signal another one is taken for the same
// end: timeout(1) signals its child and then the group, and a closing terminal
// hangs up twice.
const moment = 300 * time.Millisecond

// impatient says whether a signal that came so long after the first one ends
// the program at once. HUP and TERM count once, for nobody sits there who waits.
func impatient(s os.Signal, after time.Duration) bool { return s == os.Interrupt && after >= moment }

// onSignals cancels with the cause that fits the signal. An impatient one ends
// the program at once, after last, which may be nil. So does QUIT where there is
// a last: the runtime then tells what the program was at. A closed standard
// output must not kill it: the write says so. Once a signal came, stop leaves
// the others without effect: what has ended has its exit code.
func onSignals(cancel context.CancelCauseFunc, last func()) (stop func()) {
	ch := make(chan os.Signal, 8)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if last != nil {
		signal.Notify(ch, syscall.SIGQUIT)
	}
	signal.Ignore(syscall.SIGPIPE)
	var first atomic.Pointer[time.Time]
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-ch:
				cause, code := exit.ErrTerminated, exit.Terminated
				if s == os.Interrupt {
					cause, code = exit.ErrInterrupted, exit.Interrupted
				}
				now := time.Now()
				if !first.CompareAndSwap(nil, &now) && impatient(s, now.Sub(*first.Load())) || s == syscall.SIGQUIT {
					quit(s, code, last)
				}
				cancel(cause)
			}
		}
	}()
	return func() {
		if first.Load() == nil {
			signal.Stop(ch)
		}
		close(done)
	}
}

// lastTime is how long the last thing before an end by signal may take.
const lastTime = time.Second

// quit ends the program, as s does where that tells more than a code.
func quit(s os.Signal, code int, last func()) {
	if last != nil {
		ended := make(chan struct{})
		go func() { last(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(lastTime):
		}
	}
	proc.KillAll()
	if s == syscall.SIGQUIT {
		signal.Reset(s)
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
			time.Sleep(lastTime) // the signal ends it
		}
	}
	os.Exit(code)
}

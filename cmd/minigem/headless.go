package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/llm"
)

// headless reports whether nobody sits at a terminal (core/utils/headless.ts).
func headless(sys *system, f *flags) bool {
	if f.promptInteractive != "" {
		return false
	}
	ci := sys.Getenv("CI") == "true" || sys.Getenv("GITHUB_ACTIONS") == "true"
	if sys.Getenv("GEMINI_CLI_INTEGRATION_TEST") == "true" {
		ci = false
	}
	return ci || f.promptSet || !sys.StdinTTY || !sys.StdoutTTY
}

// runAgent is minigem without a subcommand.
func runAgent(ctx context.Context, sys *system, f *flags) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if done, err := runInstead(sys, f); done {
		return err
	}
	if headless(sys, f) {
		return runHeadless(ctx, sys, f)
	}
	return runInteractive(ctx, sys, f)
}

// What ends a run from outside, as the cause of its context.
var (
	errInterrupted  = errors.New("interrupted")
	errTerminated   = errors.New("terminated")
	errStdoutClosed = errors.New("standard output was closed")
)

// runHeadless runs one prompt and ends.
func runHeadless(ctx context.Context, sys *system, f *flags) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := newOutput(sys, f, func(error) { cancel(errStdoutClosed) })
	prompt, err := promptOf(sys, f)
	if err != nil {
		return out.fatal(err)
	}
	stop := onSignals(cancel, nil)
	defer stop()

	c, err := configure(sys, f)
	if err != nil {
		return out.fatal(err)
	}
	if f.outputFormat == "" && c.settings.Output.Format != "" {
		f.outputFormat = c.settings.Output.Format
		out = newOutput(sys, f, func(error) { cancel(errStdoutClosed) })
	}
	if err := c.trust.requireTrusted(); err != nil {
		return out.fatal(err)
	}
	w := f.debugging(sys, wiring{sink: event.Tee(out, endOnFatalTool(cancel)), reports: out.hook, warn: out.warn})
	rec := f.startRecording(sys, c, false)
	rec.join(&w)
	r, err := build(ctx, sys, f, c, w)
	if err != nil {
		return out.fatal(err)
	}
	defer r.close()
	rec.opened(r)
	return rec.write(out.finish(r.oneShot(ctx, out, prompt, rec)))
}

// promptOf is what the command line and standard input ask for.
func promptOf(sys *system, f *flags) (string, error) {
	if f.promptInteractive != "" && !sys.StdinTTY {
		return "", exitf(exitInput, "--prompt-interactive needs a terminal: standard input is piped; use --prompt")
	}
	piped, err := readPiped(sys, stdinWait)
	if err != nil {
		return "", withCode(exitInput, err)
	}
	prompt := strings.TrimSpace(joinPrompt(piped, strings.Join(append(f.query, f.prompt), " ")))
	if prompt == "" {
		return "", exitf(exitInput, "there is no prompt: give one with -p, as an argument, or on standard input")
	}
	return prompt, f.checkRecording(sys)
}

// oneShot begins the session, runs prompt and ends the session, however it went.
func (r *rig) oneShot(ctx context.Context, out headlessOutput, prompt string, rec *recording) (agent.Result, error) {
	for _, n := range append(r.notices, r.hookNotices()...) {
		out.warn(n)
	}
	out.begin(r, prompt)
	defer r.session.End(context.WithoutCancel(ctx), "exit")
	before := r.session.Begin(ctx)
	p, err := r.expand(ctx, prompt, before, out.warn)
	if err != nil {
		return agent.Result{}, err
	}
	rec.prompt(p.Text)
	res := r.agent.Run(ctx, p)
	rec.finished(res)
	return res, endingError(ctx, res)
}

// endingError turns the ending of a run into the exit code that goes with it.
func endingError(ctx context.Context, res agent.Result) error {
	var fatal *fatalToolError
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStdoutClosed):
		return nil // the reader has had enough
	case errors.Is(cause, errInterrupted):
		return exitf(exitInterrupt, "interrupted")
	case errors.Is(cause, errTerminated):
		return exitf(exitTerminate, "terminated")
	case errors.As(cause, &fatal):
		return withCode(exitTool, fatal)
	}
	switch res.Ending {
	case agent.MaxTurns:
		return exitf(exitTurnLimit, "the limit of turns for this session is reached: raise model.maxSessionTurns in the settings")
	case agent.Failed, agent.InvalidStream:
		var e *llm.Error
		if errors.As(res.Err, &e) && e.Kind == llm.ErrAuth {
			return withCode(exitAuth, res.Err)
		}
		return withCode(exitGeneric, res.Err)
	case agent.Cancelled:
		return exitf(exitInterrupt, "cancelled")
	}
	return nil
}

// onSignals cancels with the cause that fits the signal. A second one ends the
// program at once, after last, which may be nil. So does QUIT where there is a
// last: the runtime then tells what the program was at. A closed standard output
// must not kill it: the write says so.
func onSignals(cancel context.CancelCauseFunc, last func()) (stop func()) {
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if last != nil {
		signal.Notify(ch, syscall.SIGQUIT)
	}
	signal.Ignore(syscall.SIGPIPE)
	done := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case s := <-ch:
				cause, code := errTerminated, exitTerminate
				if s == os.Interrupt {
					cause, code = errInterrupted, exitInterrupt
				}
				if n > 0 || s == syscall.SIGQUIT {
					quit(s, code, last)
				}
				cancel(cause)
			}
		}
	}()
	return func() { signal.Stop(ch); close(done) }
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
	if s == syscall.SIGQUIT {
		signal.Reset(s)
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
			time.Sleep(lastTime) // the signal ends it
		}
	}
	os.Exit(code)
}

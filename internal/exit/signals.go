package exit

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"minigem/internal/proc"
)

// moment is how soon a second signal counts as part of the first: timeout(1) signals
// its child and then the group, and a closing terminal hangs up twice.
const moment = 300 * time.Millisecond

// impatient reports whether a signal, that long after an earlier one, asks for more
// than that one did. HUP and TERM never do: no person is waiting.
func impatient(s os.Signal, after time.Duration) bool { return s == os.Interrupt && after >= moment }

// OnSignals cancels with [ErrInterrupted] on INT, and with [ErrTerminated] on TERM and
// HUP. The first impatient signal kills the running commands, so that the session can
// end. The next one calls last, which may be nil, and ends the program at once. So does
// QUIT if last is set: Go's runtime then prints the goroutines. stop stops watching.
// After a first signal, later ones remain without effect even then, because the exit
// code is decided.
func OnSignals(cancel context.CancelCauseFunc, last func()) (stop func()) {
	ch := make(chan os.Signal, 8)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if last != nil {
		signal.Notify(ch, syscall.SIGQUIT)
	}
	var first atomic.Pointer[time.Time]
	var killed time.Time
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-ch:
				cause, code := ErrTerminated, Terminated
				if s == os.Interrupt {
					cause, code = ErrInterrupted, Interrupted
				}
				now := time.Now()
				again := !first.CompareAndSwap(nil, &now) && impatient(s, now.Sub(*first.Load()))
				switch {
				case s == syscall.SIGQUIT, again && !killed.IsZero() && impatient(s, now.Sub(killed)):
					quit(s, code, last)
				case again && killed.IsZero(): // running commands may ignore the first signal
					killed = now
					proc.KillRunning()
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

// SurvivePipe makes writing to a closed standard output an error instead of the end of
// the program. The signal is caught rather than ignored, because tools and hooks would
// inherit that, and "yes | head" would fail in them.
func SurvivePipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// lastTime is how long last may take.
const lastTime = time.Second

// quit ends the program, with the signal s if that says more than an exit code.
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
			time.Sleep(lastTime) // the signal ends the program
		}
	}
	os.Exit(code)
}

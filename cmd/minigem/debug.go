package main

import (
	"fmt"
	"io"
	"sync"

	"minigem/agent/event"
	"minigem/hooks"
)

// debugLog is what --debug says on standard error: rounds, tools and hooks as
// they happen, and for hooks that did not run the reason.
type debugLog struct {
	mu  sync.Mutex
	out io.Writer
}

func (d *debugLog) printf(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(d.out, "[DEBUG] "+format+"\n", args...)
}

// Emit implements event.Sink.
func (d *debugLog) Emit(e event.Event) {
	switch e := e.(type) {
	case event.RoundStarted:
		d.printf("round %d: asking %s", e.Round, e.Model)
	case event.RoundFinished:
		tokens := "tokens not told"
		if e.Usage != nil {
			tokens = fmt.Sprintf("%d tokens in, %d out", e.Usage.Prompt, e.Usage.Candidates)
		}
		d.printf("answered with %s after %s, %s", e.FinishReason, milliseconds(e.Latency), tokens)
	case event.RoundFailed:
		d.printf("failed after %s: %v", milliseconds(e.Latency), e.Err)
	case event.ToolStarted:
		d.printf("running %s: %s", e.Call.Name, e.Description)
	case event.ToolFinished:
		r := e.Record
		d.printf("%s: %s after %s %s", r.Call.Name, r.Status, milliseconds(r.Finished.Sub(r.Started)), r.ErrorMessage)
	case event.Masked:
		d.printf("%d older tool outputs went to files: %d tokens are %d now", e.Outputs, e.Before, e.After)
	case event.Compressed:
		d.printf("compressed %d tokens to %d (status %d)", e.Before, e.After, e.Status)
	}
}

func (d *debugLog) report(r hooks.Report) {
	d.printf("%s", hookLine(r))
	for _, run := range r.Runs {
		if !run.Ran() {
			d.printf("  %s did not run: %s", run.Hook.ID(), run.Skipped)
		}
	}
}

// debugging adds the log to w where the flags ask for it.
func (f *flags) debugging(sys *system, w wiring) wiring {
	if !f.debug {
		return w
	}
	log := &debugLog{out: sys.Stderr}
	reports := w.reports
	w.sink = event.Tee(w.sink, log)
	w.reports = func(r hooks.Report) {
		log.report(r)
		if reports != nil {
			reports(r)
		}
	}
	return w
}

package output

import (
	"fmt"
	"io"
	"sync"

	"minigem/agent/event"
	"minigem/hooks"
)

// Debug prints what --debug shows on standard error: rounds, tools and hooks as they
// happen, and why hooks did not run.
type Debug struct {
	mu  sync.Mutex
	Out io.Writer
}

func (d *Debug) printf(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(d.Out, "[DEBUG] "+format+"\n", args...)
}

// Emit implements event.Sink.
func (d *Debug) Emit(e event.Event) {
	switch e := e.(type) {
	case event.RoundStarted:
		d.printf("round %d: asking %s", e.Round, e.Model)
	case event.RoundFinished:
		tokens := "no token counts"
		if e.Usage != nil {
			tokens = fmt.Sprintf("%d tokens in, %d out", e.Usage.Prompt, e.Usage.Candidates)
		}
		d.printf("answered with %s after %s, %s", e.FinishReason, Milliseconds(e.Latency), tokens)
	case event.RoundFailed:
		d.printf("failed after %s: %v", Milliseconds(e.Latency), e.Err)
	case event.ToolStarted:
		d.printf("running %s: %s", e.Call.Name, e.Description)
	case event.ToolFinished:
		r := e.Record
		d.printf("%s: %s after %s %s", r.Call.Name, r.Status, Milliseconds(r.Finished.Sub(r.Started)), r.ErrorMessage)
	case event.Masked:
		d.printf("%d older tool outputs went to files: %d tokens are %d now", e.Outputs, e.Before, e.After)
	case event.Compressed:
		d.printf("compressed %d tokens to %d (status %d)", e.Before, e.After, e.Status)
	}
}

func (d *Debug) Report(r hooks.Report) {
	d.printf("%s", HookLine(r))
	for _, run := range r.Runs {
		if !run.Ran() {
			d.printf("  %s did not run: %s", run.Hook.Label(), run.Skipped)
		}
	}
}

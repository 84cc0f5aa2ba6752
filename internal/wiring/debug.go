package wiring

import (
	"io"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/internal/output"
)

// Debugging returns w with a debug log on out added, if asked is set.
func (w Frontend) Debugging(asked bool, out io.Writer) Frontend {
	if !asked {
		return w
	}
	log := &output.Debug{Out: out}
	reports := w.Reports
	w.Sink = event.Tee(w.Sink, log)
	w.Reports = func(r hooks.Report) {
		log.Report(r)
		if reports != nil {
			reports(r)
		}
	}
	return w
}

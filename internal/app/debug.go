package app

import (
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/internal/output"
)

// Debugging adds the log to w where the flags ask for it.
func (f *Options) Debugging(sys *System, w Frontend) Frontend {
	if !f.Debug {
		return w
	}
	log := &output.Debug{Out: sys.Stderr}
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

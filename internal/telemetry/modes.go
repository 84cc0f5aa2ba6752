package telemetry

import (
	"fmt"
	"time"
)

// modes tracks the approval mode. No event reports a change, so the mode is compared at
// every event.
type modes struct {
	present func() string // returns the current mode; nil before Begin
	mode    string
	since   time.Time
}

// updateMode logs the end of a mode, and the change to the next. At the end of the
// session, it logs the end of the last one.
func (t *Telemetry) updateMode(end bool) {
	t.mu.Lock()
	was := t.modes
	if was.present == nil {
		t.mu.Unlock()
		return
	}
	mode, now := was.present(), t.o.Now()
	t.modes.mode, t.modes.since = mode, now
	if mode == was.mode && !end {
		t.modes.since = was.since
	}
	t.mu.Unlock()
	if mode == was.mode && !end {
		return
	}
	took := now.Sub(was.since).Milliseconds()
	t.log("gemini_cli.plan.approval_mode_duration", fmt.Sprintf("Approval mode %s was active for %dms.", was.mode, took),
		"mode", was.mode, "duration_ms", took)
	if mode != was.mode {
		t.log("gemini_cli.plan.approval_mode_switch", fmt.Sprintf("Approval mode switched from %s to %s.", was.mode, mode),
			"from_mode", was.mode, "to_mode", mode)
	}
}

// routed logs which model a prompt goes to, and why. It only distinguishes a requested
// model from the default one.
func (t *Telemetry) routed() {
	t.mu.Lock()
	s, mode := t.setup, t.modes.mode
	t.mu.Unlock()
	if s.Model == "" {
		return
	}
	source, why := "agent-router/default", "Routing to the default model: "
	if s.ModelChosen {
		source, why = "agent-router/override", "Routing bypassed by forced model directive. Using: "
	}
	t.log("gemini_cli.model_routing", fmt.Sprintf("Model routing decision. Model: %s, Source: %s", s.Model, source),
		"decision_model", s.Model, "decision_source", source,
		"routing_latency_ms", 0,
		"failed", false, "approval_mode", mode, "reasoning", why+s.Model)
	t.measure(t.counts.routingLatency, 0, "routing.decision_model", s.Model,
		"routing.decision_source", source,
		"routing.failed", false, "routing.approval_mode", mode,
		"routing.reasoning", why+s.Model)
}

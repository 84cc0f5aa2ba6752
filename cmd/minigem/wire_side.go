package main

import (
	"context"
	"time"

	"minigem/agent/event"
	"minigem/llm"
)

// beside is the model for side work in a role: telemetry and the numbers of the
// session hear of each request.
func (r *rig) beside(sys *system, role string) llm.Generator {
	return &sideModel{r.telemetry.Model(r.model, role), role, sys.Now, func(e event.Event) {
		if r.sink != nil {
			r.sink.Emit(e)
		}
	}}
}

type sideModel struct {
	llm.Generator
	role string
	now  func() time.Time
	emit func(event.Event)
}

// Generate implements llm.Generator.
func (m *sideModel) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	start := m.now()
	chunk, err := m.Generator.Generate(ctx, req)
	m.emit(event.SideRequest{Role: m.role, Model: req.Model, Latency: m.now().Sub(start), Usage: chunk.Usage, Err: err})
	return chunk, err
}

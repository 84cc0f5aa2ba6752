package wiring

import (
	"context"
	"time"

	"minigem/agent/event"
	"minigem/llm"
)

// sideModel returns the model for side requests in a role. Each request is reported to
// telemetry and to the session's statistics.
func (r *Runtime) sideModel(role string) llm.Generator {
	return adjusted{r.sideModelOf(r.Model, role), r.Models.Beside}
}

// adjusted is a Generator that changes requests before they are made.
type adjusted struct {
	llm.Generator
	change func(llm.Request) llm.Request
}

// Generate implements llm.Generator.
func (m adjusted) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	return m.Generator.Generate(ctx, m.change(req))
}

func (r *Runtime) sideModelOf(model llm.Provider, role string) llm.Generator {
	return &sideGenerator{r.telemetry.Model(model, role), role, r.now, func(e event.Event) {
		if r.sink != nil {
			r.sink.Emit(e)
		}
	}}
}

type sideGenerator struct {
	llm.Generator
	role string
	now  func() time.Time
	emit func(event.Event)
}

// Generate implements llm.Generator.
func (m *sideGenerator) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	start := m.now()
	chunk, err := m.Generator.Generate(ctx, req)
	m.emit(event.SideRequest{Role: m.role, Model: req.Model, Latency: m.now().Sub(start), Usage: chunk.Usage, Err: err})
	return chunk, err
}

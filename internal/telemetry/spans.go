package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// span begins a span if spans are on. end ends it.
func (t *Telemetry) span(name string, start time.Time,
	attrs ...any) (ctx context.Context, end func(time.Time)) {
	ctx = context.Background()
	if t.tracer == nil {
		return ctx, func(time.Time) {}
	}
	ctx, s := t.tracer.Start(ctx, name, trace.WithTimestamp(start),
		trace.WithAttributes(append(t.common(), attributesOf(attrs)...)...))
	return ctx, func(at time.Time) { s.End(trace.WithTimestamp(at)) }
}

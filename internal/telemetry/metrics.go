package telemetry

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/metric"
)

// instruments are the metrics of Gemini CLI that are recorded here.
type instruments struct {
	sessions, toolCalls, requests, tokens, fileOperations, lines, hookCalls metric.Int64Counter
	toolLatency, requestLatency, hookLatency, genTokens, routingLatency     metric.Int64Histogram
	genDuration                                                             metric.Float64Histogram
}

func newInstruments(m metric.Meter) (instruments, error) {
	var i instruments
	var faults []error
	for _, c := range []struct {
		to         *metric.Int64Counter
		name, what string
	}{
		{&i.sessions, "gemini_cli.session.count", "Sessions that were started."},
		{&i.toolCalls, "gemini_cli.tool.call.count", "Calls of tools, by name and success."},
		{&i.requests, "gemini_cli.api.request.count", "Requests to the model, by model and status."},
		{&i.tokens, "gemini_cli.token.usage", "Tokens, by model and type."},
		{&i.fileOperations, "gemini_cli.file.operation.count", "Operations on files, by kind."},
		{&i.lines, "gemini_cli.lines.changed", "Lines that edits added and removed."},
		{&i.hookCalls, "gemini_cli.hook_call.count", "Runs of hooks, by event and success."},
	} {
		var err error
		*c.to, err = m.Int64Counter(c.name, metric.WithDescription(c.what))
		faults = append(faults, err)
	}
	for _, h := range []struct {
		to               *metric.Int64Histogram
		name, unit, what string
	}{
		{&i.toolLatency, "gemini_cli.tool.call.latency", "ms", "How long calls of tools took."},
		{&i.requestLatency, "gemini_cli.api.request.latency", "ms", "How long requests to the model took."},
		{&i.hookLatency, "gemini_cli.hook_call.latency", "ms", "How long hooks took."},
		{&i.routingLatency, "gemini_cli.model_routing.latency", "ms", "How long the choice of a model took."},
		{&i.genTokens, "gen_ai.client.token.usage", "token", "Tokens of one request."},
	} {
		var err error
		*h.to, err = m.Int64Histogram(h.name, metric.WithUnit(h.unit), metric.WithDescription(h.what))
		faults = append(faults, err)
	}
	var err error
	i.genDuration, err = m.Float64Histogram("gen_ai.client.operation.duration", metric.WithUnit("s"),
		metric.WithDescription("How long requests took."))
	return i, errors.Join(append(faults, err)...)
}

func (t *Telemetry) with(attrs ...any) metric.MeasurementOption {
	return metric.WithAttributes(append(t.common(), attributesOf(attrs)...)...)
}

func (t *Telemetry) count(c metric.Int64Counter, n int64, attrs ...any) {
	c.Add(context.Background(), n, t.with(attrs...))
}

func (t *Telemetry) measure(h metric.Int64Histogram, n int64, attrs ...any) {
	h.Record(context.Background(), n, t.with(attrs...))
}

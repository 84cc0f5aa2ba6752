package telemetry

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// exporters export logs, metrics and spans. spans may be nil.
type exporters struct {
	logs    sdklog.Exporter
	metrics sdkmetric.Exporter
	spans   sdktrace.SpanExporter
}

// exporters opens the exporters. Their first failure goes to Options.Warn, because the
// libraries would print it to standard error.
func (o *Options) exporters(ctx context.Context) (out exporters, err error) {
	switch {
	case o.Outfile != "":
		f, err := openOutfile(o.Outfile)
		if err != nil {
			return exporters{}, err
		}
		out = exporters{fileLogs{f}, fileMetrics{f}, fileSpans{f}}
	case o.Protocol == ProtocolHTTP:
		out, err = overHTTP(ctx, strings.TrimRight(cmp.Or(o.Endpoint, DefaultEndpoint), "/"))
	default:
		out, err = overGRPC(ctx, cmp.Or(o.Endpoint, DefaultEndpoint))
	}
	once := &onceWarned{warn: o.Warn}
	return exporters{quietLogs{out.logs, once}, quietMetrics{out.metrics, once}, quietSpans{out.spans, once}}, err
}

func overHTTP(ctx context.Context, url string) (out exporters, err error) {
	if out.logs, err = otlploghttp.New(ctx, otlploghttp.WithEndpointURL(url+"/v1/logs"),
		otlploghttp.WithTimeout(closeTimeout), otlploghttp.WithRetry(otlploghttp.RetryConfig{})); err != nil {
		return out, err
	}
	if out.metrics, err = otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(url+"/v1/metrics"),
		otlpmetrichttp.WithTimeout(closeTimeout), otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{})); err != nil {
		return out, err
	}
	out.spans, err = otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(url+"/v1/traces"),
		otlptracehttp.WithTimeout(closeTimeout), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	return out, err
}

func overGRPC(ctx context.Context, url string) (out exporters, err error) {
	if out.logs, err = otlploggrpc.New(ctx, otlploggrpc.WithEndpointURL(url),
		otlploggrpc.WithTimeout(closeTimeout), otlploggrpc.WithRetry(otlploggrpc.RetryConfig{})); err != nil {
		return out, err
	}
	if out.metrics, err = otlpmetricgrpc.New(ctx, otlpmetricgrpc.WithEndpointURL(url),
		otlpmetricgrpc.WithTimeout(closeTimeout), otlpmetricgrpc.WithRetry(otlpmetricgrpc.RetryConfig{})); err != nil {
		return out, err
	}
	out.spans, err = otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(url),
		otlptracegrpc.WithTimeout(closeTimeout), otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{}))
	return out, err
}

// onceWarned reports the first failure and drops all others.
type onceWarned struct {
	once sync.Once
	warn func(string)
}

func (w *onceWarned) note(err error) error {
	if err != nil {
		w.once.Do(func() { w.warn("telemetry cannot be sent: " + err.Error()) })
	}
	return nil
}

type quietLogs struct {
	sdklog.Exporter
	*onceWarned
}

func (q quietLogs) Export(ctx context.Context, records []sdklog.Record) error {
	return q.note(q.Exporter.Export(ctx, records))
}

type quietMetrics struct {
	sdkmetric.Exporter
	*onceWarned
}

func (q quietMetrics) Export(ctx context.Context, rm *metricdata.ResourceMetrics) error {
	return q.note(q.Exporter.Export(ctx, rm))
}

type quietSpans struct {
	sdktrace.SpanExporter
	*onceWarned
}

func (q quietSpans) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	return q.note(q.SpanExporter.ExportSpans(ctx, spans))
}

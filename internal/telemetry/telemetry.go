// Package telemetry reports what an agent does, as the log events and metrics of Gemini
// CLI 0.61 (core/telemetry), to a file of JSON objects or to an OpenTelemetry
// collector. It decides nothing. If it fails, the session continues and the failure is
// reported once. It has three inputs: it is an [event.Sink], Hook receives the reports
// of hook events, and Model wraps a model to see requests and answers.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

const (
	scope = "gemini-cli"

	// The file can be read while a session runs: logs are delayed by one second,
	// metrics by five (docs/spec/contract.md 9 asks for ten).
	logInterval    = time.Second
	metricInterval = 5 * time.Second
)

// Options configures a [Telemetry], in addition to its [Config].
type Options struct {
	Config
	Installation string              // id of this installation
	Version      string              // version of the program
	Auth         string              // how the user signed in; may be empty
	Interactive  bool                // a user is present who can be asked
	Session      func() string       // returns the current session's id
	Mask         func(string) string // masks secrets; may be nil
	Warn         func(string)        // called once if telemetry fails; may be nil
	Now          func() time.Time    // nil means time.Now
}

// Telemetry reports what happens. All methods are safe for concurrent use, and do
// nothing on a nil Telemetry.
type Telemetry struct {
	o       Options
	logs    *sdklog.LoggerProvider
	metrics *sdkmetric.MeterProvider
	traces  *sdktrace.TracerProvider // nil if spans are off
	logger  log.Logger
	tracer  trace.Tracer
	counts  instruments

	mu      sync.Mutex
	prompts int   // number of prompts
	rounds  int   // so far
	setup   Setup // passed to Begin
	modes   modes
	left    map[int][]left // by a report's Seq: hooks that were still running
}

// Start opens the file or the connection to the collector. A nil Telemetry
// without an error means that telemetry is off.
func Start(ctx context.Context, o Options) (*Telemetry, error) {
	if !o.Enabled {
		return nil, nil
	}
	o.fill()
	out, err := o.exporters(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting telemetry: %w", err)
	}
	who := resource.NewSchemaless(
		attributesOf([]any{"service.name", scope, "service.version", o.Version})...,
	)
	t := &Telemetry{o: o, left: map[int][]left{}}
	t.logs = sdklog.NewLoggerProvider(sdklog.WithResource(who),
		sdklog.WithProcessor(sdklog.NewBatchProcessor(out.logs, sdklog.WithExportInterval(logInterval))))
	t.metrics = sdkmetric.NewMeterProvider(sdkmetric.WithResource(who),
		sdkmetric.WithReader(sdkmetric.NewPeriodicReader(out.metrics, sdkmetric.WithInterval(metricInterval))))
	t.logger = t.logs.Logger(scope)
	if o.Traces {
		t.traces = sdktrace.NewTracerProvider(sdktrace.WithResource(who), sdktrace.WithBatcher(out.spans))
		t.tracer = t.traces.Tracer(scope)
	}
	t.counts, err = newInstruments(t.metrics.Meter(scope))
	return t, err
}

func (o *Options) fill() {
	if o.Mask == nil {
		o.Mask = func(s string) string { return s }
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Session == nil {
		o.Session = func() string { return "" }
	}
}

// closeTimeout is how long the end of the program may wait for a collector.
const closeTimeout = 3 * time.Second

// Close logs the end of the conversation, and exports what is still pending.
func (t *Telemetry) Close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	turns := t.rounds
	t.mu.Unlock()
	t.updateMode(true)
	t.log("gemini_cli.conversation_finished", "Conversation finished.", "turnCount", turns)
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var faults []error
	if t.traces != nil {
		faults = append(faults, t.traces.Shutdown(ctx))
	}
	// Metrics go last: readers take them as the end of the file.
	faults = append(faults, t.logs.Shutdown(ctx), t.metrics.Shutdown(ctx))
	return errors.Join(faults...)
}

// common returns the attributes of all events.
func (t *Telemetry) common() []attribute.KeyValue {
	return attributesOf([]any{"session.id", t.o.Session(), "installation.id", t.o.Installation,
		"interactive", t.o.Interactive, optional("auth_type", t.o.Auth)})
}

// log logs one event. Attributes without a key are left out.
func (t *Telemetry) log(name, body string, attrs ...any) {
	t.logIn(context.Background(), name, body, attrs...)
}

// logIn logs one event within the span of ctx.
func (t *Telemetry) logIn(ctx context.Context, name, body string, attrs ...any) {
	now := t.o.Now()
	all := append(t.common(), attribute.String("event.name", name), attribute.String("event.timestamp", stamp(now)))
	for _, kv := range attributesOf(attrs) {
		if kv.Value.Type() == attribute.STRING {
			kv.Value = attribute.StringValue(t.o.Mask(kv.Value.AsString()))
		}
		all = append(all, kv)
	}
	var r log.Record
	r.SetTimestamp(now)
	r.SetObservedTimestamp(now)
	r.SetBody(attribute.StringValue(t.o.Mask(body)))
	r.AddAttributes(all...)
	t.logger.Emit(ctx, r)
}

// attributesOf makes attributes of keys that are each followed by a value, as log/slog
// does. Whole attributes may stand between them; those without a key are left out.
func attributesOf(list []any) (out []attribute.KeyValue) {
	for i := 0; i < len(list); i++ {
		key, ok := list[i].(string)
		if !ok {
			if kv, _ := list[i].(attribute.KeyValue); kv.Key != "" {
				out = append(out, kv)
			}
			continue
		}
		i++
		switch v := list[i].(type) {
		case bool:
			out = append(out, attribute.Bool(key, v))
		case int:
			out = append(out, attribute.Int(key, v))
		case int64:
			out = append(out, attribute.Int64(key, v))
		case []string:
			out = append(out, attribute.StringSlice(key, v))
		default:
			out = append(out, attribute.String(key, fmt.Sprint(v)))
		}
	}
	return out
}

// payload returns an attribute that is logged only if prompts are.
func (t *Telemetry) payload(key, value string) attribute.KeyValue {
	if !t.o.LogPrompts {
		return attribute.KeyValue{}
	}
	return attribute.String(key, value)
}

// optional returns an attribute that is left out if value is empty.
func optional(key, value string) attribute.KeyValue {
	if value == "" {
		return attribute.KeyValue{}
	}
	return attribute.String(key, value)
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// promptID returns the id of the current prompt, as in Gemini CLI.
func (t *Telemetry) promptID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.o.Interactive {
		return t.o.Session()
	}
	return fmt.Sprintf("%s########%d", t.o.Session(), max(0, t.prompts-1))
}

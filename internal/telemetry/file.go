package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// outfile writes objects one after the other, indented, each followed by a newline.
// Readers split at "}\n{" (core/telemetry/file-exporters.ts), which indented objects do
// not contain.
type outfile struct {
	mu   sync.Mutex
	file *os.File
}

func openOutfile(path string) (*outfile, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &outfile{file: f}, nil
}

// write appends objects in one write.
func (o *outfile) write(objects ...any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	for _, v := range objects {
		if err := e.Encode(v); err != nil {
			return fmt.Errorf("writing telemetry: %w", err)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := o.file.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing telemetry: %w", err)
	}
	return nil
}

// hrTime returns a time as seconds and nanoseconds.
func hrTime(t time.Time) [2]int64 { return [2]int64{t.Unix(), int64(t.Nanosecond())} }

// attributes is a JSON object that keeps the order of its members.
type attributes []attribute.KeyValue

// MarshalJSON implements json.Marshaler.
func (a attributes) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, kv := range a {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(string(kv.Key)); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(kv.Value.AsInterface()); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

type fileResource struct {
	Attributes attributes `json:"attributes"`
}

func resourceOf(r *resource.Resource) fileResource { return fileResource{r.Attributes()} }

type fileScope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type fileSpanContext struct {
	TraceID    string `json:"traceId"`
	SpanID     string `json:"spanId"`
	TraceFlags int    `json:"traceFlags"`
}

type fileLog struct {
	Time      [2]int64         `json:"hrTime"`
	Observed  [2]int64         `json:"hrTimeObserved"`
	Span      *fileSpanContext `json:"spanContext,omitempty"`
	Resource  fileResource     `json:"resource"`
	Scope     fileScope        `json:"instrumentationScope"`
	Attrs     attributes       `json:"attributes"`
	Body      any              `json:"_body"`
	Count     int              `json:"_attributesCount"`
	Dropped   int              `json:"_droppedAttributesCount"`
	ReadOnly  bool             `json:"_isReadonly"`
	LogLimits struct {
		Count  int  `json:"attributeCountLimit"`
		Length *int `json:"attributeValueLengthLimit"`
	} `json:"_logRecordLimits"`
}

// fileLogs exports logs.
type fileLogs struct{ *outfile }

func (f fileLogs) Export(_ context.Context, records []sdklog.Record) error {
	var objects []any
	for _, r := range records {
		l := fileLog{
			Time: hrTime(r.Timestamp()), Observed: hrTime(r.ObservedTimestamp()), Resource: resourceOf(r.Resource()),
			Scope: fileScope{r.InstrumentationScope().Name, r.InstrumentationScope().Version},
			Body:  r.Body().AsInterface(), Count: r.AttributesLen(), Dropped: r.DroppedAttributes(), ReadOnly: true,
		}
		l.LogLimits.Count = 128
		if r.SpanID().IsValid() {
			l.Span = &fileSpanContext{r.TraceID().String(), r.SpanID().String(), int(r.TraceFlags())}
		}
		r.WalkAttributes(func(kv attribute.KeyValue) bool { l.Attrs = append(l.Attrs, kv); return true })
		objects = append(objects, l)
	}
	return f.write(objects...)
}

func (f fileLogs) ForceFlush(context.Context) error { return nil }
func (f fileLogs) Shutdown(context.Context) error   { return nil }

type fileSpan struct {
	Context  fileSpanContext `json:"_spanContext"`
	Resource fileResource    `json:"resource"`
	Scope    fileScope       `json:"instrumentationScope"`
	Name     string          `json:"name"`
	Kind     int             `json:"kind"`
	Start    [2]int64        `json:"startTime"`
	End      [2]int64        `json:"endTime"`
	Duration [2]int64        `json:"_duration"`
	Attrs    attributes      `json:"attributes"`
	Status   struct {
		Code int `json:"code"`
	} `json:"status"`
	Ended bool `json:"_ended"`
}

// fileSpans exports spans.
type fileSpans struct{ *outfile }

func (f fileSpans) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	var objects []any
	for _, s := range spans {
		took := s.EndTime().Sub(s.StartTime())
		o := fileSpan{
			Context: spanContext(s.SpanContext()), Resource: resourceOf(s.Resource()), Scope: fileScope{Name: scope},
			Name: s.Name(), Kind: int(s.SpanKind()) - 1, Start: hrTime(s.StartTime()), End: hrTime(s.EndTime()),
			Duration: [2]int64{int64(took / time.Second), int64(took % time.Second)}, Attrs: s.Attributes(), Ended: true,
		}
		o.Status.Code = int(s.Status().Code)
		objects = append(objects, o)
	}
	return f.write(objects...)
}

func (f fileSpans) Shutdown(context.Context) error { return nil }

func spanContext(c trace.SpanContext) fileSpanContext {
	return fileSpanContext{c.TraceID().String(), c.SpanID().String(), int(c.TraceFlags())}
}

// fileMetrics exports metrics.
type fileMetrics struct{ *outfile }

func (f fileMetrics) Temporality(k sdkmetric.InstrumentKind) metricdata.Temporality {
	return sdkmetric.DefaultTemporalitySelector(k)
}

func (f fileMetrics) Aggregation(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(k)
}

func (f fileMetrics) Export(_ context.Context, rm *metricdata.ResourceMetrics) error {
	if len(rm.ScopeMetrics) == 0 {
		return nil
	}
	return f.write(metricsObject(rm))
}

func (f fileMetrics) ForceFlush(context.Context) error { return nil }

// Shutdown closes the file. It is called last.
func (f fileMetrics) Shutdown(context.Context) error { return f.file.Close() }

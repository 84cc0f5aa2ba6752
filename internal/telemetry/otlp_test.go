package telemetry

import (
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collectlogs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collecttraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"minigem/agent/event"
)

// collector is an OpenTelemetry collector that keeps names.
type collector struct {
	collectlogs.UnimplementedLogsServiceServer

	mu    sync.Mutex
	names []string
}

func (c *collector) note(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names = append(c.names, name)
}

func (c *collector) sorted() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.names)
	return slices.Compact(c.names)
}

func (c *collector) logs(r *collectlogs.ExportLogsServiceRequest) {
	for _, rl := range r.ResourceLogs {
		for _, sl := range rl.ScopeLogs {
			for _, l := range sl.LogRecords {
				for _, a := range l.Attributes {
					if a.Key == "event.name" {
						c.note("log " + a.Value.GetStringValue())
					}
				}
			}
		}
	}
}

// ServeHTTP implements OTLP over HTTP.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		body, _ = gzip.NewReader(r.Body)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch r.URL.Path {
	case "/v1/logs":
		var m collectlogs.ExportLogsServiceRequest
		if err = proto.Unmarshal(data, &m); err == nil {
			c.logs(&m)
		}
	case "/v1/metrics":
		var m collectmetrics.ExportMetricsServiceRequest
		err = proto.Unmarshal(data, &m)
		for _, rm := range m.ResourceMetrics {
			for _, sm := range rm.ScopeMetrics {
				for _, one := range sm.Metrics {
					c.note("metric " + one.Name)
				}
			}
		}
	case "/v1/traces":
		var m collecttraces.ExportTraceServiceRequest
		err = proto.Unmarshal(data, &m)
		for _, rs := range m.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					c.note("span " + s.Name)
				}
			}
		}
	default:
		http.NotFound(w, r)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// Export implements the logs of OTLP over gRPC.
func (c *collector) Export(_ context.Context, r *collectlogs.ExportLogsServiceRequest) (*collectlogs.ExportLogsServiceResponse, error) {
	c.logs(r)
	return &collectlogs.ExportLogsServiceResponse{}, nil
}

func TestOTLPOverHTTP(t *testing.T) {
	t.Parallel()
	c := &collector{}
	server := httptest.NewServer(c)
	defer server.Close()
	var warned []string
	tel, err := Start(t.Context(), Options{
		Config: Config{Enabled: true, Endpoint: server.URL + "/", Protocol: ProtocolHTTP, Traces: true},
		Warn:   func(s string) { warned = append(warned, s) },
	})
	require.NoError(t, err)
	tel.Begin(Setup{Model: "gemini-x"})
	tel.Emit(event.ToolFinished{Record: failed})
	require.NoError(t, tel.Close())
	assert.Empty(t, warned)
	assert.Equal(t, []string{
		"log gemini_cli.config", "log gemini_cli.conversation_finished", "log gemini_cli.plan.approval_mode_duration", "log gemini_cli.tool_call",
		"metric gemini_cli.session.count", "metric gemini_cli.tool.call.count", "metric gemini_cli.tool.call.latency",
		"span tool_call",
	}, c.sorted())
}

func TestOTLPOverGRPC(t *testing.T) {
	t.Parallel()
	c := &collector{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	collectlogs.RegisterLogsServiceServer(server, c)
	go func() { _ = server.Serve(l) }()
	defer server.Stop()
	tel, err := Start(t.Context(), Options{Config: Config{Enabled: true, Endpoint: "http://" + l.Addr().String()}})
	require.NoError(t, err)
	tel.Begin(Setup{Model: "gemini-x"})
	require.NoError(t, tel.Close())
	assert.Equal(t, []string{"log gemini_cli.config", "log gemini_cli.conversation_finished", "log gemini_cli.plan.approval_mode_duration"}, c.sorted())
}

// Where no collector is, that is reported once, and the end does not wait long.
func TestNoCollector(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	for _, protocol := range []string{ProtocolHTTP, ProtocolGRPC} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var warned []string
			tel, err := Start(t.Context(), Options{
				Config: Config{Enabled: true, Endpoint: "http://" + address, Protocol: protocol, Traces: true},
				Warn:   func(s string) { mu.Lock(); warned = append(warned, s); mu.Unlock() },
			})
			require.NoError(t, err)
			tel.Begin(Setup{})
			tel.Emit(event.ToolFinished{Record: failed})
			_ = tel.Close()
			mu.Lock()
			defer mu.Unlock()
			require.Len(t, warned, 1)
			assert.Contains(t, warned[0], "telemetry cannot be sent: ")
		})
	}
}

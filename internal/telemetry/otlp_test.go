package telemetry

import (
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
)

// collector is an OpenTelemetry collector for HTTP and gRPC. It keeps the names of what
// it receives, extracted from the raw messages.
type collector struct {
	mu    sync.Mutex
	names []string
}

func (c *collector) sorted() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.names)
	return slices.Compact(c.names)
}

// signals maps the paths of both protocols to the kind of data sent there.
var signals = map[string]string{
	"/v1/logs": "log", "/v1/metrics": "metric", "/v1/traces": "span",
	"/opentelemetry.proto.collector.logs.v1.LogsService/Export": "log",
}

// telemetryName matches names of logs, metrics and spans in a protobuf message.
var telemetryName = regexp.MustCompile(`gemini_cli\.[a-z_.]+|tool_call`)

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	signal, known := signals[r.URL.Path]
	if !known {
		http.NotFound(w, r)
		return
	}
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		body, _ = gzip.NewReader(r.Body)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range telemetryName.FindAllString(string(data), -1) {
		if strings.HasPrefix(name, "gemini_cli.") == (signal != "span") {
			c.names = append(c.names, signal+" "+name)
		}
	}
	if r.ProtoMajor == 2 { // an empty gRPC message and its status
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		_, _ = w.Write(make([]byte, 5))
		w.Header().Set("Grpc-Status", "0")
	}
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
	server := httptest.NewUnstartedServer(c)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	tel, err := Start(t.Context(), Options{Config: Config{Enabled: true, Endpoint: server.URL}})
	require.NoError(t, err)
	tel.Begin(Setup{Model: "gemini-x"})
	require.NoError(t, tel.Close())
	assert.Equal(t, []string{"log gemini_cli.config", "log gemini_cli.conversation_finished", "log gemini_cli.plan.approval_mode_duration"}, c.sorted())
}

// A missing collector is reported once, and does not delay the end for long.
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

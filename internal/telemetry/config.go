package telemetry

import (
	"cmp"
	"fmt"
	"strings"
)

// Values of Config.Protocol.
const (
	ProtocolGRPC = "grpc"
	ProtocolHTTP = "http"
)

// Config says which telemetry to send, and where (core/telemetry/config.ts). The zero
// Config is off.
type Config struct {
	Enabled    bool
	Target     string // "local", "gcp" or empty, which means local
	Endpoint   string // URL of a collector; empty means DefaultEndpoint
	Protocol   string // ProtocolGRPC or ProtocolHTTP; empty means gRPC
	LogPrompts bool   // include payloads: prompts, arguments, input and output of hooks
	Outfile    string // a file instead of a collector; appended to
	Traces     bool   // send spans in addition to logs and metrics
}

// DefaultEndpoint is the address of a local collector.
const DefaultEndpoint = "http://localhost:4317"

// WithEnvironment returns c with the environment's values, which override it.
func (c Config) WithEnvironment(lookup func(string) string) Config {
	for name, field := range map[string]*bool{
		"GEMINI_TELEMETRY_ENABLED":        &c.Enabled,
		"GEMINI_TELEMETRY_LOG_PROMPTS":    &c.LogPrompts,
		"GEMINI_TELEMETRY_TRACES_ENABLED": &c.Traces,
	} {
		if v := lookup(name); v != "" {
			*field = v == "1" || strings.EqualFold(v, "true")
		}
	}
	c.Target = cmp.Or(lookup("GEMINI_TELEMETRY_TARGET"), c.Target)
	c.Endpoint = cmp.Or(lookup("GEMINI_TELEMETRY_OTLP_ENDPOINT"), lookup("OTEL_EXPORTER_OTLP_ENDPOINT"), c.Endpoint)
	c.Protocol = cmp.Or(lookup("GEMINI_TELEMETRY_OTLP_PROTOCOL"), c.Protocol)
	c.Outfile = cmp.Or(lookup("GEMINI_TELEMETRY_OUTFILE"), c.Outfile)
	return c
}

// Check returns an error if c is invalid. It returns nil if telemetry is off.
func (c Config) Check() error {
	switch {
	case !c.Enabled:
		return nil
	case c.Target != "" && c.Target != "local" && c.Target != "gcp":
		return fmt.Errorf(
			"the target of telemetry is %q: it must be local or gcp (telemetry.target, GEMINI_TELEMETRY_TARGET)", c.Target)
	case c.Protocol != "" && c.Protocol != ProtocolGRPC && c.Protocol != ProtocolHTTP:
		return fmt.Errorf("the protocol of telemetry is %q: it must be grpc or http (telemetry.otlpProtocol, "+
			"GEMINI_TELEMETRY_OTLP_PROTOCOL)", c.Protocol)
	}
	return nil
}

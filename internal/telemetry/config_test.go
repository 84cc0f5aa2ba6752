package telemetry

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEnvironmentOutranksSettings(t *testing.T) {
	t.Parallel()
	set := Config{Enabled: true, Target: "gcp", Endpoint: "http://a:1", Protocol: "grpc", LogPrompts: true, Outfile: "a.log"}
	env := map[string]string{}
	lookup := func(name string) string { return env[name] }
	assert.Equal(t, set, set.WithEnvironment(lookup))

	env["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://b:2"
	assert.Equal(t, "http://b:2", set.WithEnvironment(lookup).Endpoint)
	env = map[string]string{
		"GEMINI_TELEMETRY_ENABLED": "false", "GEMINI_TELEMETRY_TARGET": "local", "GEMINI_TELEMETRY_OTLP_ENDPOINT": "http://c:3",
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://b:2", "GEMINI_TELEMETRY_OTLP_PROTOCOL": "http", "GEMINI_TELEMETRY_LOG_PROMPTS": "0",
		"GEMINI_TELEMETRY_OUTFILE": "b.log", "GEMINI_TELEMETRY_TRACES_ENABLED": "TRUE",
	}
	assert.Equal(t, Config{Target: "local", Endpoint: "http://c:3", Protocol: "http", Outfile: "b.log", Traces: true}, set.WithEnvironment(lookup))
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config Config
		want   string // empty if valid
	}{
		{Config{Target: "mars"}, ""}, // off
		{Config{Enabled: true}, ""},
		{Config{Enabled: true, Target: "gcp", Protocol: "http"}, ""},
		{Config{Enabled: true, Target: "mars"}, `the target of telemetry is "mars": it must be local or gcp (telemetry.target, GEMINI_TELEMETRY_TARGET)`},
		{Config{Enabled: true, Protocol: "smoke"}, `the protocol of telemetry is "smoke": it must be grpc or http (telemetry.otlpProtocol, GEMINI_TELEMETRY_OTLP_PROTOCOL)`},
	} {
		err := c.config.Check()
		if c.want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, c.want)
	}
}

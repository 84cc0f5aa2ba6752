package app

import (
	"minigem/internal/telemetry"
	"minigem/internal/text"
)

// Telemetry returns the telemetry configuration from settings and environment.
func (c *Configuration) Telemetry() telemetry.Config {
	s := c.Settings.Telemetry
	isSet := func(b *bool, otherwise bool) bool { return b != nil && *b || b == nil && otherwise }
	t := telemetry.Config{
		Enabled: isSet(s.Enabled, false), Target: s.Target, Endpoint: s.OTLPEndpoint, Protocol: s.OTLPProtocol,
		LogPrompts: isSet(s.LogPrompts, true), Outfile: s.Outfile, Traces: isSet(s.Traces, false),
	}.WithEnvironment(c.Lookup)
	if t.Outfile != "" {
		t.Outfile = text.Abs(c.Dir, t.Outfile)
	}
	return t
}

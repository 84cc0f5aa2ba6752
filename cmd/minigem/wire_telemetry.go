package main

import (
	"cmp"
	"context"
	"path/filepath"

	"minigem/hooks"
	"minigem/internal/telemetry"
	"minigem/llm/gemini"
)

// wireTelemetry opens what observers read, where settings or environment ask
// for it. It is closed last of all.
func (r *rig) wireTelemetry(ctx context.Context, sys *system, w *wiring) error {
	s := r.settings.Telemetry
	isSet := func(b *bool, otherwise bool) bool { return b != nil && *b || b == nil && otherwise }
	c := telemetry.Config{
		Enabled: isSet(s.Enabled, false), Target: s.Target, Endpoint: s.OTLPEndpoint, Protocol: s.OTLPProtocol,
		LogPrompts: isSet(s.LogPrompts, true), Outfile: s.Outfile, Traces: isSet(s.Traces, false),
	}.WithEnvironment(r.lookup)
	if err := c.Check(); err != nil {
		return withCode(exitConfig, err)
	}
	if !c.Enabled {
		return nil
	}
	if c.Target == "gcp" && c.Outfile == "" {
		w.warn("telemetry does not go to Google Cloud directly: it goes to the collector at " + cmp.Or(c.Endpoint, telemetry.DefaultEndpoint))
	}
	if isSet(s.UseCLIAuth, false) {
		w.warn("telemetry.useCliAuth has no effect: a collector is spoken to without signing in")
	}
	if c.Outfile != "" && !filepath.IsAbs(c.Outfile) {
		c.Outfile = filepath.Join(r.dir, c.Outfile)
	}
	t, err := telemetry.Start(ctx, telemetry.Options{
		Config: c, Installation: telemetry.Installation(r.dotGemini), Version: version,
		Auth: r.authType(), Interactive: w.interactive, Session: r.sessionID, Mask: r.masker.String, Warn: w.warn, Now: sys.Now,
	})
	if err != nil {
		w.warn(err.Error())
		return nil
	}
	r.telemetry = t
	r.closers = append(r.closers, t.Close)
	return nil
}

// sessionID is empty until the session is wired.
func (r *rig) sessionID() string {
	if r.session == nil {
		return ""
	}
	return r.session.ID()
}

// authType is how the user signs in to Gemini; a scripted model needs nothing.
func (r *rig) authType() string {
	return cmp.Or(r.settings.Security.Auth.SelectedType, string(gemini.AuthFromEnv(r.lookup)))
}

func (r *rig) beginTelemetry(_ context.Context, _ *system, _ *wiring) error {
	var extensions, servers []string
	found, _ := hooks.FindExtensions(r.dir, r.extensionRoots()...) // problems were told with the hooks
	for _, e := range found {
		if e.Off == "" {
			extensions = append(extensions, e.Name)
		}
	}
	for name := range r.settings.MCPServers {
		servers = append(servers, name)
	}
	auth := r.authType()
	r.telemetry.Begin(telemetry.Setup{
		Model: r.modelName, ModelChosen: r.modelChosen(), Mode: func() string { return string(r.policy.Mode()) }, OutputFormat: cmp.Or(r.flags.outputFormat, "text"),
		CoreTools: r.settings.Tools.Core, Extensions: extensions, MCPServers: servers, Debug: r.flags.debug,
		APIKey: auth == string(gemini.AuthAPIKey), Vertex: auth == string(gemini.AuthVertex),
		RespectGitIgnore: r.settings.Context.FileFiltering.RespectGitIgnore,
	})
	return nil
}

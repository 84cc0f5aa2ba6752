package app

import (
	"cmp"
	"context"
	"path/filepath"

	"minigem/hooks"
	"minigem/internal/exit"
	"minigem/internal/telemetry"
	"minigem/llm/gemini"
)

// wireTelemetry starts telemetry if settings or environment ask for it. It is
// closed last.
func (r *Runtime) wireTelemetry(ctx context.Context, sys *System, w *Frontend) error {
	s := r.Config.Settings.Telemetry
	isSet := func(b *bool, otherwise bool) bool { return b != nil && *b || b == nil && otherwise }
	c := telemetry.Config{
		Enabled: isSet(s.Enabled, false), Target: s.Target, Endpoint: s.OTLPEndpoint, Protocol: s.OTLPProtocol,
		LogPrompts: isSet(s.LogPrompts, true), Outfile: s.Outfile, Traces: isSet(s.Traces, false),
	}.WithEnvironment(r.lookup)
	if err := c.Check(); err != nil {
		return exit.With(exit.Config, err)
	}
	if !c.Enabled {
		return nil
	}
	if c.Target == "gcp" && c.Outfile == "" {
		w.Warn("telemetry does not go to Google Cloud directly: it goes to the collector at " + cmp.Or(c.Endpoint, telemetry.DefaultEndpoint))
	}
	if isSet(s.UseCLIAuth, false) {
		w.Warn("telemetry.useCliAuth has no effect: minigem talks to a collector without signing in")
	}
	if c.Outfile != "" && !filepath.IsAbs(c.Outfile) {
		c.Outfile = filepath.Join(r.Config.Dir, c.Outfile)
	}
	t, err := telemetry.Start(ctx, telemetry.Options{
		Config: c, Installation: telemetry.Installation(r.Config.DotGemini), Version: Version,
		Auth: r.authType(), Interactive: w.Interactive, Session: r.sessionID, Mask: r.Config.Masker.String, Warn: w.Warn, Now: sys.Now,
	})
	if err != nil {
		w.Warn(err.Error())
		return nil
	}
	r.telemetry = t
	r.closers = append(r.closers, t.Close)
	return nil
}

// sessionID returns "" until there is a session.
func (r *Runtime) sessionID() string {
	if r.Session == nil {
		return ""
	}
	return r.Session.ID()
}

// authType is how the user signs in to Gemini; a scripted model needs nothing.
func (r *Runtime) authType() string {
	return cmp.Or(r.Config.Settings.Security.Auth.SelectedType, string(gemini.AuthFromEnv(r.lookup)))
}

func (r *Runtime) beginTelemetry(_ context.Context, _ *System, _ *Frontend) error {
	var extensions, servers []string
	found, _ := hooks.FindExtensions(r.Config.Dir, r.Config.ExtensionRoots()) // problems were reported with the hooks
	for _, e := range found {
		if e.Off == "" {
			extensions = append(extensions, e.Name)
		}
	}
	for name := range r.Config.Settings.MCPServers {
		servers = append(servers, name)
	}
	auth := r.authType()
	r.telemetry.Begin(telemetry.Setup{
		Model: r.ModelName, ModelChosen: r.modelChosen(), Mode: func() string { return string(r.Policy.Mode()) }, OutputFormat: cmp.Or(r.Flags.OutputFormat, "text"),
		CoreTools: r.Config.Settings.Tools.Core, Extensions: extensions, MCPServers: servers, Debug: r.Flags.Debug,
		Sandbox: r.Sandbox != nil, Worktree: r.Flags.Worktree != "", APIKey: auth == string(gemini.AuthAPIKey), Vertex: auth == string(gemini.AuthVertex),
		RespectGitIgnore: r.Config.Settings.Context.FileFiltering.RespectGitIgnore,
	})
	return nil
}

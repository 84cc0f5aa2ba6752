package wiring

import (
	"cmp"
	"context"
	"fmt"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/models"
	"minigem/internal/runslater"
	"minigem/internal/telemetry"
	"minigem/internal/text"
	"minigem/llm/gemini"
	"minigem/tools/workspace"
)

// wireTelemetry starts telemetry if settings or environment ask for it. It is closed
// last.
func (r *Runtime) wireTelemetry(ctx context.Context) error {
	s := r.Config.Settings.Telemetry
	c := app.Telemetry(r.Config)
	if own := r.Config.Own; own != nil && !inProject(r.Config, c.Outfile) {
		if without := app.Telemetry(own); without.Outfile != c.Outfile {
			r.warn(fmt.Sprintf("the project sends telemetry to %s, which is not a plain file of the project: "+
				"the project's telemetry settings are ignored", text.VisibleLine(c.Outfile)))
			c = without
		}
	}
	if err := c.Check(); err != nil {
		return exit.With(exit.Config, err)
	}
	if !c.Enabled {
		return nil
	}
	if c.Target == "gcp" && c.Outfile == "" {
		r.warn("telemetry does not go to Google Cloud directly: it goes to the collector at " +
			cmp.Or(c.Endpoint, telemetry.DefaultEndpoint))
	}
	if s.UseCLIAuth != nil && *s.UseCLIAuth {
		r.warn("telemetry.useCliAuth has no effect: minigem talks to a collector without signing in")
	}
	t, err := telemetry.Start(ctx, telemetry.Options{
		Config: c, Installation: telemetry.Installation(r.Config.DotGemini), Version: app.Version,
		Auth: string(r.source().Auth()), Interactive: r.front.Interactive, Session: r.sessionID, Mask: r.Config.Masker.String,
		Warn: r.warn,
		Now:  r.now,
	})
	if err != nil {
		r.warn(err.Error())
		return nil
	}
	r.telemetry = t
	r.closers = append(r.closers, t.Close)
	return nil
}

// inProject reports whether the file at path, with links followed, is in the project.
func inProject(c *app.Configuration, path string) bool {
	real, err := workspace.Follow(path)
	return path == "" || err == nil && runslater.Within(c.ProjectDir, real)
}

// sessionID returns "" until there is a session.
func (r *Runtime) sessionID() string {
	if r.Session == nil {
		return ""
	}
	return r.Session.ID()
}

func (r *Runtime) beginTelemetry() {
	s, source := r.Config.Settings, r.source()
	var extensions, servers []string
	found, _ := r.Config.Extensions.All() // problems were reported with the hooks
	for _, e := range found {
		if e.Off == "" {
			extensions = append(extensions, e.Name)
		}
	}
	for name := range s.MCPServers {
		servers = append(servers, name)
	}
	auth, asked := source.Auth(), source.Asked()
	r.telemetry.Begin(telemetry.Setup{
		Model: r.Models.Name, ModelChosen: asked != "" && !models.Auto(asked), Mode: func() string {
			return string(r.Policy.Mode())
		}, OutputFormat: cmp.Or(r.Flags.OutputFormat, "text"),
		CoreTools: s.Tools.Core, Extensions: extensions, MCPServers: servers, Debug: r.Flags.Debug,
		Sandbox: r.Sandbox.All, Worktree: r.Flags.Worktree != "", APIKey: auth == gemini.AuthAPIKey,
		Vertex:           auth == gemini.AuthVertex,
		RespectGitIgnore: s.Context.FileFiltering.RespectGitIgnore,
	})
}

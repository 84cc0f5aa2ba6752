package wiring

import (
	"context"
	"slices"
	"strings"

	"minigem/agent/event"
	"minigem/internal/exit"
	"minigem/internal/models"
	"minigem/internal/redact"
	"minigem/llm"
	"minigem/llm/script"
)

// source says where the session's model comes from.
func (r *Runtime) source() models.Source { return r.Config.Source(r.Flags, r.front.Sink) }

// wireModel chooses the model: a given one, a scripted one, or Gemini.
func (r *Runtime) wireModel(_ context.Context) error {
	source := r.source()
	var err error
	r.Models.Now, r.Models.Asked = func() *models.Catalog { return r.Config.Models }, source.Asked()
	if r.Models.Name, err = source.Name(); err != nil {
		return err
	}
	r.Model = r.front.Model
	if r.Model == nil {
		if r.Model, err = source.Open(); err != nil {
			return err
		}
		r.wireOwnModel(source)
	}
	if r.front.Tap != nil {
		r.Model = r.front.Tap(r.Model)
	}
	if r.Flags.Record == "" {
		return nil
	}
	rec, err := script.Record(r.Model, r.Flags.Record, func(text string) string {
		text, _ = redact.Text(r.Config.Masker.String(text))
		return text
	})
	if err != nil {
		return exit.Errorf(exit.Input, "recording the model's answers: %w", err)
	}
	r.Model = rec
	r.closers = append(r.closers, rec.Close)
	return nil
}

// wireOwnModel opens the model that judges for hooks that did not come with the
// project, because the project's settings and .env could name a server that always says
// yes. The project's key is used only if there is no other.
func (r *Runtime) wireOwnModel(all models.Source) {
	if r.Config.Own == nil || all.Fake != "" {
		return
	}
	own := r.Config.Own.Source(r.Flags, r.front.Sink)
	own.Lookup = func(name string) string {
		value := r.Config.Own.Lookup(name)
		if value == "" && strings.HasSuffix(name, "_API_KEY") {
			return all.Lookup(name)
		}
		return value
	}
	name, err := own.Name()
	if err != nil || slices.Equal(r.Config.Own.Env, r.Config.Env) && name == r.Models.Name &&
		own.Settings.Security.Auth == all.Settings.Security.Auth {
		return
	}
	if m, err := own.Open(); err == nil {
		r.ownModel = m
	}
}

// sideModel returns the model for side requests in a role, with the settings' overrides.
// Each request is reported to telemetry and to the session's statistics.
func (r *Runtime) sideModel(role string) llm.Generator {
	return &side{r.telemetry.Model(r.Model, role), role, r, true}
}

// side is a model for side requests.
type side struct {
	llm.Generator
	role       string
	r          *Runtime
	overridden bool
}

// Generate implements llm.Generator.
func (m *side) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	if m.overridden {
		req = m.r.Models.Beside(req)
	}
	start := m.r.now()
	chunk, err := m.Generator.Generate(ctx, req)
	if m.r.sink != nil {
		m.r.sink.Emit(event.SideRequest{Role: m.role, Model: req.Model, Latency: m.r.now().Sub(start), Usage: chunk.Usage,
			Err: err})
	}
	return chunk, err
}

package wiring

import (
	"context"
	"slices"
	"strings"
	"time"

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

// sideModel returns the model for side requests in a role. Each request is reported to
// telemetry and to the session's statistics.
func (r *Runtime) sideModel(role string) llm.Generator {
	return adjusted{r.sideModelOf(r.Model, role), r.Models.Beside}
}

// adjusted is a Generator that changes requests before they are made.
type adjusted struct {
	llm.Generator
	change func(llm.Request) llm.Request
}

// Generate implements llm.Generator.
func (m adjusted) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	return m.Generator.Generate(ctx, m.change(req))
}

func (r *Runtime) sideModelOf(model llm.Provider, role string) llm.Generator {
	return &sideGenerator{r.telemetry.Model(model, role), role, r.now, func(e event.Event) {
		if r.sink != nil {
			r.sink.Emit(e)
		}
	}}
}

type sideGenerator struct {
	llm.Generator
	role string
	now  func() time.Time
	emit func(event.Event)
}

// Generate implements llm.Generator.
func (m *sideGenerator) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	start := m.now()
	chunk, err := m.Generator.Generate(ctx, req)
	m.emit(event.SideRequest{Role: m.role, Model: req.Model, Latency: m.now().Sub(start), Usage: chunk.Usage, Err: err})
	return chunk, err
}

package wiring

import (
	"context"
	"slices"
	"strings"

	"minigem/internal/exit"
	"minigem/internal/models"
	"minigem/internal/redact"
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

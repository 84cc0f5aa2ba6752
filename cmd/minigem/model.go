package main

import (
	"cmp"
	"context"
	"strings"

	"minigem/agent/event"
	"minigem/llm"
	"minigem/llm/gemini"
	"minigem/llm/script"
)

const defaultModel = "gemini-2.5-pro"

// modelAliases are the short names of models (core/config/models.ts). There is no
// router: "auto" is the default model.
var modelAliases = map[string]string{
	"auto":            defaultModel,
	"auto-gemini-2.5": "gemini-2.5-pro",
	"auto-gemini-3":   "gemini-3-pro-preview",
	"pro":             "gemini-2.5-pro",
	"flash":           "gemini-2.5-flash",
	"flash-lite":      "gemini-2.5-flash-lite",
}

func resolveModel(name string) string {
	name = strings.TrimPrefix(cmp.Or(name, defaultModel), "models/")
	if full, ok := modelAliases[name]; ok {
		return full
	}
	return name
}

// samplingFor are the generation settings that Gemini CLI sends for a model.
func samplingFor(model string) llm.Sampling {
	s := llm.Sampling{Temperature: ptr(1.0), TopP: ptr(0.95), TopK: ptr(64.0)}
	switch {
	case strings.HasPrefix(model, "gemini-3"):
		s.Thinking = &llm.Thinking{IncludeThoughts: true, Level: "HIGH"}
	case strings.HasPrefix(model, "gemini-2.5"):
		s.Thinking = &llm.Thinking{IncludeThoughts: true, Budget: ptr(8192)}
	}
	return s
}

func ptr[T any](v T) *T { return &v }

// wireModel picks the model: a given one, a scripted one, or Gemini.
func (r *rig) wireModel(_ context.Context, sys *system, w *wiring) error {
	r.modelName = resolveModel(r.askedModel())
	r.model = w.model
	if r.model == nil {
		var err error
		if r.model, err = r.openModel(w); err != nil {
			return err
		}
	}
	if w.tap != nil {
		r.model = w.tap(r.model)
	}
	if r.flags.record == "" {
		return nil
	}
	rec, err := script.Record(r.model, r.flags.record, r.secrets)
	if err != nil {
		return exitf(exitInput, "recording the model's answers: %w", err)
	}
	r.model = rec
	r.closers = append(r.closers, rec.Close)
	return nil
}

// askedModel is the name that flags, environment or settings give; or none.
func (r *rig) askedModel() string {
	return cmp.Or(r.flags.model, r.lookup("GEMINI_MODEL"), r.settings.Model.Name)
}

// modelChosen: somebody asked for that very model.
func (r *rig) modelChosen() bool {
	return r.askedModel() != "" && !strings.HasPrefix(r.askedModel(), "auto")
}

func (r *rig) openModel(w *wiring) (llm.Provider, error) {
	if file := cmp.Or(r.flags.fakeNonStrict, r.flags.fake); file != "" {
		m, err := script.Open(file, r.flags.fakeNonStrict != "")
		if err != nil {
			return nil, exitf(exitInput, "%w", err)
		}
		return m, nil
	}
	return r.openGemini(w)
}

func (r *rig) openGemini(w *wiring) (llm.Provider, error) {
	auth := gemini.Auth(r.settings.Security.Auth.SelectedType)
	if auth == "" {
		auth = gemini.AuthFromEnv(r.lookup)
	}
	o, err := gemini.OptionsFor(auth, r.lookup)
	if err != nil {
		return nil, withCode(exitInput, err)
	}
	if want := r.settings.Security.Auth.EnforcedType; want != "" && want != string(auth) {
		return nil, exitf(exitAuth, "the settings enforce the sign-in %q (security.auth.enforcedType), and %q is configured", want, auth)
	}
	o.Version, o.MaxAttempts = version, r.settings.General.MaxAttempts
	o.NoFetchRetries = !r.settings.General.RetryFetchErrors
	o.Notify = func(n gemini.Retry) {
		if w.sink != nil {
			w.sink.Emit(event.Waiting{Reason: n.Reason, Attempt: n.Attempt, Max: n.Max, Delay: n.Delay})
		}
	}
	if err := o.Check(); err != nil {
		return nil, exitf(exitAuth, "%w\nTo see minigem work without a key: minigem demo", err)
	}
	return gemini.New(o), nil
}

// lookup reads the environment, .env files included.
func (r *rig) lookup(name string) string {
	s := system{Env: r.env}
	return s.Getenv(name)
}

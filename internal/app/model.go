package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"minigem/agent/event"
	"minigem/e2e/testbed"
	"minigem/internal/exit"
	"minigem/internal/models"
	"minigem/internal/settings"
	"minigem/llm"
	"minigem/llm/gemini"
	"minigem/llm/openai"
	"minigem/llm/script"
)

// modelName returns the full name of the requested model.
func (r *Runtime) modelName() (string, error) {
	choice, err := r.Config.models.Choose(models.Ask{Name: r.askedModel()})
	if err != nil {
		return "", exit.With(exit.Config, err)
	}
	return choice.Model, nil
}

// wireModel chooses the model: a given one, a scripted one, or Gemini.
func (r *Runtime) wireModel(_ context.Context, sys *System, w *Frontend) error {
	var err error
	if r.ModelName, err = r.modelName(); err != nil {
		return err
	}
	r.asked = r.askedModel()
	r.Model = w.Model
	if r.Model == nil {
		if r.Model, err = r.openModel(w); err != nil {
			return err
		}
		r.wireOwnModel(w)
	}
	if w.Tap != nil {
		r.Model = w.Tap(r.Model)
	}
	if r.Flags.Record == "" {
		return nil
	}
	rec, err := script.Record(r.Model, r.Flags.Record, r.Config.masked)
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
func (r *Runtime) wireOwnModel(w *Frontend) {
	if r.Config.own == nil || r.Flags.Fake != "" || r.Flags.FakeNonStrict != "" {
		return
	}
	own := &Runtime{Config: r.Config.own, Flags: r.Flags, keys: r.lookup}
	name, err := own.modelName()
	if err != nil || slices.Equal(own.Config.Env, r.Config.Env) && name == r.ModelName &&
		own.Config.Settings.Security.Auth == r.Config.Settings.Security.Auth {
		return
	}
	if m, err := own.openModel(w); err == nil {
		r.ownModel = m
	}
}

// askedModel returns the name that flags, environment or settings give, or "".
func (r *Runtime) askedModel() string {
	return cmp.Or(r.Flags.Model, r.lookup("GEMINI_MODEL"), r.Config.Settings.Model.Name)
}

// modelChosen reports whether a specific model was requested.
func (r *Runtime) modelChosen() bool {
	return r.askedModel() != "" && !models.Auto(r.askedModel())
}

func (r *Runtime) openModel(w *Frontend) (llm.Provider, error) {
	if file := cmp.Or(r.Flags.FakeNonStrict, r.Flags.Fake); file != "" {
		m, err := openScript(file, r.Flags.FakeNonStrict != "")
		if err != nil {
			return nil, exit.Errorf(exit.Input, "%w", err)
		}
		return m, nil
	}
	name, err := r.modelName()
	if err != nil {
		return nil, err
	}
	if openai.Named(name) {
		return r.openOpenAI(name, w)
	}
	return r.openGemini(w)
}

// openScript opens a fake-responses file, or a script in the short form used by cases.
func openScript(file string, nonStrict bool) (*script.Model, error) {
	model, err := script.Open(file, nonStrict)
	if err == nil || !strings.Contains(err.Error(), file+":1:") {
		return model, err
	}
	turns, short, wrong := testbed.ReadModel(file)
	if !short {
		return nil, err
	}
	var entries []script.Entry
	for _, t := range turns {
		if t.Repeat {
			return nil, fmt.Errorf("%s: repeat works in cases and in minigem fake-api only", file)
		}
		entries = append(entries, t.Entry)
	}
	return script.New(entries, nonStrict), wrong
}

func (r *Runtime) openOpenAI(name string, w *Frontend) (llm.Provider, error) {
	if err := enforced(r.Config.Settings, openai.Server(name)); err != nil {
		return nil, err
	}
	o, err := openai.OptionsFor(name, r.lookup)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	o.Version, o.MaxAttempts = Version, r.Config.Settings.General.MaxAttempts
	o.NoFetchRetries, o.Notify = !r.Config.Settings.General.RetryFetchErrors, w.waiting
	if err := o.Check(); err != nil {
		return nil, exit.With(exit.Auth, err)
	}
	return openai.New(o), nil
}

func (r *Runtime) openGemini(w *Frontend) (llm.Provider, error) {
	auth := gemini.Auth(r.Config.Settings.Security.Auth.SelectedType)
	if auth == "" {
		auth = gemini.AuthFromEnv(r.lookup)
	}
	o, err := gemini.OptionsFor(auth, r.lookup)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	if err := enforced(r.Config.Settings, string(auth)); err != nil {
		return nil, err
	}
	o.Version, o.MaxAttempts = Version, r.Config.Settings.General.MaxAttempts
	o.NoFetchRetries = !r.Config.Settings.General.RetryFetchErrors
	o.Notify = w.waiting
	if err := o.Check(); err != nil {
		return nil, exit.Errorf(exit.Auth, "%w\nTo see minigem work without a key: minigem demo", err)
	}
	return gemini.New(o), nil
}

// enforced returns an error if the settings enforce a sign-in other than current
// (cli/validateNonInterActiveAuth.ts).
func enforced(s settings.Settings, current string) error {
	want := s.Security.Auth.EnforcedType
	if want == "" || want == current {
		return nil
	}
	return exit.Errorf(exit.Auth, "The enforced authentication type is '%s', but the current type is '%s': "+
		"sign in that way, or ask whoever set security.auth.enforcedType", want, cmp.Or(current, "none"))
}

// waiting reports that a model request will be retried.
func (w *Frontend) waiting(n llm.Retry) {
	if w.Sink != nil {
		w.Sink.Emit(event.Waiting{Reason: n.Reason, Attempt: n.Attempt, Max: n.Max, Delay: n.Delay})
	}
}

// SameServer reports whether a session may switch between two models: both are
// Google's, or both are on the same kind of server.
func SameServer(model, other string) bool { return openai.Server(model) == openai.Server(other) }

// lookup reads a variable from the environment, including .env files.
func (r *Runtime) lookup(name string) string {
	s := System{Env: r.Config.Env}
	value := s.Getenv(name)
	if value == "" && name == "GEMINI_API_KEY" {
		value = r.Config.key
	}
	if value == "" && r.keys != nil && strings.HasSuffix(name, "_API_KEY") {
		return r.keys(name)
	}
	return value
}

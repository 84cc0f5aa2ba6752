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
	"minigem/internal/redact"
	"minigem/internal/settings"
	"minigem/llm"
	"minigem/llm/gemini"
	"minigem/llm/openai"
	"minigem/llm/script"
)

// modelSource finds the model of a run, its server and its key in flags, environment and
// settings.
type modelSource struct {
	config *Configuration
	flags  *Options
	keys   func(name string) string // looks up keys that the environment lacks; may be nil
	sink   event.Sink               // may be nil
}

func (r *Runtime) source() modelSource {
	return modelSource{config: r.Config, flags: r.Flags, sink: r.front.Sink}
}

// authType returns how the user signs in to Gemini.
func (s modelSource) authType() string {
	return cmp.Or(s.config.Settings.Security.Auth.SelectedType, string(gemini.AuthFromEnv(s.lookup)))
}

// name returns the full name of the requested model.
func (s modelSource) name() (string, error) {
	choice, err := s.config.models.Choose(models.Ask{Name: s.asked()})
	if err != nil {
		return "", exit.With(exit.Config, err)
	}
	return choice.Model, nil
}

// wireModel chooses the model: a given one, a scripted one, or Gemini.
func (r *Runtime) wireModel(_ context.Context) error {
	var err error
	r.Models.Now, r.Models.Asked = func() *models.Catalog { return r.Config.models }, r.source().asked()
	if r.Models.Name, err = r.source().name(); err != nil {
		return err
	}
	r.Model = r.front.Model
	if r.Model == nil {
		if r.Model, err = r.source().open(); err != nil {
			return err
		}
		r.wireOwnModel()
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
func (r *Runtime) wireOwnModel() {
	if r.Config.own == nil || r.Flags.Script() != "" {
		return
	}
	own := modelSource{r.Config.own, r.Flags, r.source().lookup, r.front.Sink}
	name, err := own.name()
	if err != nil || slices.Equal(own.config.Env, r.Config.Env) && name == r.Models.Name &&
		own.config.Settings.Security.Auth == r.Config.Settings.Security.Auth {
		return
	}
	if m, err := own.open(); err == nil {
		r.ownModel = m
	}
}

// asked returns the name that flags, environment or settings give, or "".
func (s modelSource) asked() string {
	return cmp.Or(s.flags.Model, s.lookup("GEMINI_MODEL"), s.config.Settings.Model.Name)
}

// chosen reports whether a specific model was requested.
func (s modelSource) chosen() bool {
	return s.asked() != "" && !models.Auto(s.asked())
}

func (s modelSource) open() (llm.Provider, error) {
	if file := s.flags.Script(); file != "" {
		m, err := openScript(file, s.flags.FakeNonStrict != "")
		if err != nil {
			return nil, exit.Errorf(exit.Input, "%w", err)
		}
		return m, nil
	}
	name, err := s.name()
	if err != nil {
		return nil, err
	}
	if openai.Named(name) {
		return s.openOpenAI(name)
	}
	return s.openGemini()
}

// OpenModel returns the model that a session with these flags would use.
func OpenModel(c *Configuration, f *Options) (llm.Provider, error) {
	return modelSource{config: c, flags: f}.open()
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

func (s modelSource) openOpenAI(name string) (llm.Provider, error) {
	if err := enforced(s.config.Settings, openai.Server(name)); err != nil {
		return nil, err
	}
	o, err := openai.OptionsFor(name, s.lookup)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	g := s.config.Settings.General
	o.Version, o.MaxAttempts, o.NoFetchRetries, o.Notify = Version, g.MaxAttempts, !g.RetryFetchErrors, s.waiting
	if err := o.Check(); err != nil {
		return nil, exit.With(exit.Auth, err)
	}
	return openai.New(o), nil
}

func (s modelSource) openGemini() (llm.Provider, error) {
	auth := gemini.Auth(s.authType())
	o, err := gemini.OptionsFor(auth, s.lookup)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	if err := enforced(s.config.Settings, string(auth)); err != nil {
		return nil, err
	}
	g := s.config.Settings.General
	o.Version, o.MaxAttempts, o.NoFetchRetries, o.Notify = Version, g.MaxAttempts, !g.RetryFetchErrors, s.waiting
	if err := o.Check(); err != nil {
		return nil, exit.Errorf(exit.Auth, "%w\nTo see minigem work without a key: minigem demo\n"+
			"A model on your machine needs no key either: minigem --model ollama/NAME", err)
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
func (s modelSource) waiting(n llm.Retry) {
	if s.sink != nil {
		s.sink.Emit(event.Waiting{Reason: n.Reason, Attempt: n.Attempt, Max: n.Max, Delay: n.Delay})
	}
}

// lookup reads a variable from the environment, including .env files.
func (s modelSource) lookup(name string) string {
	value := (&System{Env: s.config.Env}).Getenv(name)
	if value == "" && name == "GEMINI_API_KEY" {
		value = s.config.key
	}
	if value == "" && s.keys != nil && strings.HasSuffix(name, "_API_KEY") {
		return s.keys(name)
	}
	return value
}

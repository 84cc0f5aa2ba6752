package models

import (
	"cmp"
	"fmt"
	"strings"

	"minigem/agent/event"
	"minigem/e2e/testbed"
	"minigem/internal/exit"
	"minigem/internal/settings"
	"minigem/llm"
	"minigem/llm/gemini"
	"minigem/llm/openai"
	"minigem/llm/script"
)

// Source finds the model of a run, its server and its key in flags, environment and
// settings.
type Source struct {
	Settings settings.Settings
	Catalog  *Catalog
	Flag     string                   // the model that the command line names; may be empty
	Fake     string                   // a file with the model's answers; empty means that a server gives them
	Loose    bool                     // the requests need not have the order of the answers in Fake
	Lookup   func(name string) string // reads a variable; keys may come from elsewhere
	Version  string                   // of minigem
	Sink     event.Sink               // may be nil
}

// Auth returns how the user signs in to Gemini.
func (s Source) Auth() gemini.Auth {
	return cmp.Or(gemini.Auth(s.Settings.Security.Auth.SelectedType), gemini.AuthFromEnv(s.Lookup))
}

// Asked returns the name that flags, environment or settings give, or "".
func (s Source) Asked() string {
	return cmp.Or(s.Flag, s.Lookup("GEMINI_MODEL"), s.Settings.Model.Name)
}

// Name returns the full name of the requested model.
func (s Source) Name() (string, error) {
	choice, err := s.Catalog.Choose(Ask{Name: s.Asked()})
	if err != nil {
		return "", exit.With(exit.Config, err)
	}
	return choice.Model, nil
}

// Google returns the Google model that is used, or the default one if another
// provider's model is used.
func (s Source) Google() string {
	name, err := s.Name()
	if err != nil || openai.Named(name) {
		return Default
	}
	return name
}

// Open returns the model.
func (s Source) Open() (llm.Provider, error) {
	if s.Fake != "" {
		m, err := openScript(s.Fake, s.Loose)
		if err != nil {
			return nil, exit.Errorf(exit.Input, "%w", err)
		}
		return m, nil
	}
	name, err := s.Name()
	if err != nil {
		return nil, err
	}
	if openai.Named(name) {
		return s.openOpenAI(name)
	}
	return s.openGemini()
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

func (s Source) openOpenAI(name string) (llm.Provider, error) {
	if err := s.enforced(openai.Server(name)); err != nil {
		return nil, err
	}
	o, err := openai.OptionsFor(name, s.Lookup)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	g := s.Settings.General
	o.Version, o.MaxAttempts, o.NoFetchRetries, o.Notify = s.Version, g.MaxAttempts, !g.RetryFetchErrors, s.waiting
	if err := o.Check(); err != nil {
		return nil, exit.With(exit.Auth, err)
	}
	return openai.New(o), nil
}

func (s Source) openGemini() (llm.Provider, error) {
	auth := s.Auth()
	o, err := gemini.OptionsFor(auth, s.Lookup)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	if err := s.enforced(string(auth)); err != nil {
		return nil, err
	}
	g := s.Settings.General
	o.Version, o.MaxAttempts, o.NoFetchRetries, o.Notify = s.Version, g.MaxAttempts, !g.RetryFetchErrors, s.waiting
	if err := o.Check(); err != nil {
		return nil, exit.Errorf(exit.Auth, "%w\nTo see minigem work without a key: minigem demo\n"+
			"A model on your machine needs no key either: minigem --model ollama/NAME", err)
	}
	return gemini.New(o), nil
}

// enforced returns an error if the settings enforce a sign-in other than current
// (cli/validateNonInterActiveAuth.ts).
func (s Source) enforced(current string) error {
	want := s.Settings.Security.Auth.EnforcedType
	if want == "" || want == current {
		return nil
	}
	return exit.Errorf(exit.Auth, "The enforced authentication type is '%s', but the current type is '%s': "+
		"sign in that way, or ask whoever set security.auth.enforcedType", want, cmp.Or(current, "none"))
}

// waiting reports that a model request will be retried.
func (s Source) waiting(n llm.Retry) {
	if s.Sink != nil {
		s.Sink.Emit(event.Waiting{Reason: n.Reason, Attempt: n.Attempt, Max: n.Max, Delay: n.Delay})
	}
}

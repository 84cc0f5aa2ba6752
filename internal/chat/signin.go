package chat

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"minigem/internal/app"
	"minigem/internal/demo"
	"minigem/internal/signin"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/llm"
	"minigem/llm/openai"
)

// errBack means that the user wants to choose another way.
var errBack = errors.New("back to the choice")

// signInDialogue is a dialogue in which the user configures a model. It begins with
// choose.
type signInDialogue struct {
	*console
	flags *app.Options
	c     *app.Configuration
	d     *terminal.Dialogue
	first bool // there is no session yet: the choice applies to this run, too
}

func newSignIn(t *live, c *app.Configuration) *signInDialogue {
	return &signInDialogue{console: t.console, flags: t.flags, c: c, d: t.term.Dialogue(), first: t.runtime == nil}
}

// askSignIn lets the user configure a model. It reports whether one was.
func askSignIn(t *live, c *app.Configuration, why error) bool {
	said := why.Error()
	if e := (*llm.Error)(nil); errors.As(why, &e) {
		said = e.Message // the dialogue itself says what to do about it
	}
	return newSignIn(t, c).choose(t.term.Bold("No model is configured yet. Choose one:")+"\n",
		t.term.Wrap(terminal.Clean(said))+".\n\n")
}

// choose offers the ways to configure a model until one is stored or the user leaves,
// and reports whether one was stored. Each question has the heading, but only the first
// one says why it is asked.
func (t *signInDialogue) choose(heading, why string) bool {
	defer t.d.End()
	ways := []struct {
		auth  string
		label string
		ask   func() error
	}{
		{"gemini-api-key", "A Gemini API key  " + t.term.Dim("https://aistudio.google.com/apikey makes one"), t.askKey},
		{"vertex-ai", "Vertex AI  " + t.term.Dim("a project of Google Cloud and a location"), t.askVertex},
		{"", "A server of your own  " + t.term.Dim("Ollama, LM Studio, or another with OpenAI's API"), t.askServer},
		{"", "None yet: show me a demo  " + t.term.Dim("it needs no key and no network"), t.showDemo},
		{"", map[bool]string{true: "Leave", false: "Keep the present one"}[t.first], nil},
	}
	if enforced := t.c.Settings.Security.Auth.EnforcedType; enforced != "" {
		kept := ways[:0]
		for _, w := range ways {
			if w.auth == enforced || w.ask == nil {
				kept = append(kept, w)
			}
		}
		ways = kept
	}
	for lines := heading + why; t.ctx.Err() == nil && t.left == ""; lines = "\n" + heading {
		choices := make([]terminal.Choice, len(ways))
		for i, w := range ways {
			choices[i].Label = w.label
		}
		i, _, ok := t.d.Choose(t.ctx, lines, "Which way?", choices)
		if !ok || ways[i].ask == nil {
			return false
		}
		switch err := ways[i].ask(); {
		case err == nil:
			return true
		case !errors.Is(err, errBack):
			t.warn(err.Error())
		}
	}
	return false
}

// askKey asks for a Gemini API key without showing it, tries it and stores it.
func (t *signInDialogue) askKey() error {
	for {
		typed, ok := t.d.AskSecret(t.ctx, "", "Paste the key (it is not shown; Enter alone goes back): ")
		if !ok || strings.TrimSpace(typed) == "" {
			return errBack
		}
		key, err := signin.ParseKey(typed)
		if err != nil {
			t.warn(err.Error())
			continue
		}
		s := signin.Way{APIKey: key}
		again, err := t.try(s)
		if again {
			continue
		}
		if err != nil {
			return err
		}
		keychain, ok := t.askWhere()
		if !ok {
			return errBack
		}
		return t.keep(s, keychain)
	}
}

// try makes one request with s. again means that the server refused it and the user is
// asked again. The error is errBack if the user goes back. If the server cannot be
// reached, the user may keep s untried.
func (t *signInDialogue) try(s signin.Way) (again bool, err error) {
	t.work("trying it with one request", func(ctx context.Context) {
		err = t.c.SignIn().Try(ctx, s, t.c.Source(t.flags, nil).Google())
	})
	var said *llm.Error
	switch {
	case err == nil:
		t.term.Print("It works.")
		return false, nil
	case errors.Is(err, context.Canceled):
		return false, errBack
	case errors.As(err, &said) && (said.Kind == llm.ErrAuth || said.Kind == llm.ErrInvalid):
		t.warn(said.Message)
		if s.APIKey == "" && said.Hint != "" {
			t.warn(said.Hint)
		}
		return true, nil
	}
	i, _, ok := t.d.Choose(t.ctx, t.warning("It could not be tried: "+err.Error()), "Keep it anyway?",
		[]terminal.Choice{
			{Label: "No, go back", Keys: []string{"n", "no"}}, {Label: "Yes, keep it untried", Keys: []string{"y", "yes"}}})
	if !ok || i != 1 {
		return false, errBack
	}
	return false, nil
}

// askWhere asks whether to store the key in the keychain, if there is one.
func (t *signInDialogue) askWhere() (keychain, ok bool) {
	if !t.c.SignIn().HasKeychain() {
		return false, true
	}
	i, _, ok := t.d.Choose(t.ctx, "", "Where is it kept?", []terminal.Choice{
		{Label: "In the keychain of this system", Keys: []string{"k"}},
		{Label: "In ~/.gemini/.env, which only you can read", Keys: []string{"f", "e"}},
	})
	return i == 0, ok
}

// keep stores s, and applies it to this run if there is no session yet.
func (t *signInDialogue) keep(s signin.Way, keychain bool) error {
	where, err := t.c.SignIn().Keep(s, keychain)
	if err != nil {
		return err
	}
	asked := t.flags.Model
	if asked == "" {
		asked = t.c.Lookup("GEMINI_MODEL")
	}
	switch {
	case !t.first: // it applies from the next start
	case s.Model != "":
		t.flags.Model = s.Model
	case openai.Named(asked) || openai.Named(t.c.Settings.Model.Name):
		t.flags.Model = "auto"
	}
	if keychain && strings.HasSuffix(where, ".json") {
		t.warn("the keychain did not accept it")
	}
	t.term.Print(fmt.Sprintf("Kept in %s, for all folders.", terminal.Clean(t.c.Shorten(where))))
	return nil
}

func (t *signInDialogue) askVertex() error {
	for {
		project, ok := t.d.Ask(t.ctx, "", "Project of Google Cloud (Enter alone goes back): ")
		if project = strings.TrimSpace(project); !ok || project == "" {
			return errBack
		}
		location, ok := t.d.Ask(t.ctx, "", "Location (Enter: global): ")
		location = cmp.Or(strings.TrimSpace(location), "global")
		if !ok {
			return errBack
		}
		if strings.ContainsAny(project+location, "/ \"'#?") {
			t.warn("a project and a location are words such as my-project and europe-west1")
			continue
		}
		s := signin.Way{Project: project, Location: location}
		again, err := t.try(s)
		if again {
			continue
		}
		if err != nil {
			return err
		}
		return t.keep(s, false)
	}
}

// askServer asks for a server and one of its models.
func (t *signInDialogue) askServer() error {
	typed, ok := t.d.Ask(t.ctx, "",
		"Address of the server, such as http://127.0.0.1:8000/v1 (Enter: Ollama on this machine): ")
	if !ok {
		return errBack
	}
	s := signin.Way{BaseURL: strings.TrimSuffix(strings.TrimSpace(typed), "/")}
	if s.BaseURL != "" && !strings.Contains(s.BaseURL, "://") {
		s.BaseURL = "http://" + s.BaseURL
	}
	names, err := t.modelsOf(&s)
	if err != nil {
		return err
	}
	name, ok := t.chooseModel(names)
	if !ok {
		return errBack
	}
	s.Model = "openai/" + name
	if s.BaseURL == "" {
		s.Model = "ollama/" + name
	}
	return t.keep(s, false)
}

// modelsOf lists the server's models, asking for a key if the server requires one.
func (t *signInDialogue) modelsOf(s *signin.Way) (names []string, err error) {
	for {
		t.work("asking the server for its models", func(ctx context.Context) {
			names, err = t.c.SignIn().Models(ctx, s.BaseURL, s.ServerKey)
		})
		var said *llm.Error
		switch {
		case errors.Is(err, context.Canceled):
			return nil, errBack
		case !errors.As(err, &said):
			return names, err
		case said.Kind == llm.ErrNotFound && s.BaseURL != "" && !strings.HasSuffix(s.BaseURL, "/v1"):
			s.BaseURL += "/v1"
			continue
		case said.Kind == llm.ErrNotFound:
			return nil, nil // it does not list its models
		case said.Kind != llm.ErrAuth:
			return nil, errors.New(said.Message)
		case s.ServerKey != "":
			t.warn("the key was refused")
		}
		typed, ok := t.d.AskSecret(t.ctx, "", "Key of the server (it is not shown; Enter alone goes back): ")
		if !ok || strings.TrimSpace(typed) == "" {
			return nil, errBack
		}
		if s.ServerKey, err = signin.ParseKey(typed); err != nil {
			t.warn(err.Error())
			s.ServerKey = ""
		}
	}
}

func (t *signInDialogue) chooseModel(names []string) (string, bool) {
	const most = 9
	if n := len(names); n > 0 && n <= most {
		var choices []terminal.Choice
		for _, name := range names {
			choices = append(choices, terminal.Choice{Label: text.VisibleLine(name)})
		}
		i, _, ok := t.d.Choose(t.ctx, "", "Which model? It must support tool calls.", choices)
		if !ok {
			return "", false
		}
		return names[i], true
	}
	lines := ""
	if n := len(names); n > most {
		lines = t.term.Wrap(
			terminal.Clean(text.Line(fmt.Sprintf("It has %d models, such as %s.", n, strings.Join(names[:most], ", ")))))
	}
	name, ok := t.d.Ask(t.ctx, lines, "Name of a model that supports tool calls: ")
	name = strings.TrimSpace(name)
	return name, ok && name != ""
}

// showDemo shows the demo, then returns to the choice.
func (t *signInDialogue) showDemo() error {
	var err error
	sys := *t.sys
	sys.Stdout = &lines{to: func(line string) { t.term.Print(terminal.Clean(line)) }}
	t.work("showing the demo", func(ctx context.Context) { err = demo.Run(ctx, &sys, "") })
	if errors.Is(err, context.Canceled) || t.ctx.Err() != nil {
		return errBack
	}
	if err != nil {
		return err
	}
	return errBack
}

// lines is a writer that passes on complete lines.
type lines struct {
	rest []byte
	to   func(line string)
}

var _ io.Writer = (*lines)(nil)

func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		l.to(string(l.rest[:i]))
		l.rest = l.rest[i+1:]
	}
}

package chat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"minigem/internal/app"
	"minigem/internal/demo"
	"minigem/internal/exit"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/llm"
	"minigem/llm/openai"
)

// openSignedIn builds the runtime. Where there is no way to a model the user is
// asked for one first.
func (t *Chat) openSignedIn(c *app.Configuration) (*app.Configuration, error) {
	for {
		err := t.open(c)
		var code *exit.Error
		if err == nil || !errors.As(err, &code) || code.ExitCode() != exit.Auth {
			return c, err
		}
		if !t.askSignIn(c, err) {
			return c, err
		}
		if c, err = app.Configure(t.Sys, t.Flags); err == nil {
			err = t.configured(c)
		}
		if err != nil {
			return c, err
		}
		t.holdHooks(c)
	}
}

// errBack: the user wants to choose another way.
var errBack = errors.New("back to the choice")

// askSignIn lets the user choose a way to a model, until one is kept; false: none.
func (t *Chat) askSignIn(c *app.Configuration, why error) bool {
	said := why.Error()
	if e := (*llm.Error)(nil); errors.As(why, &e) {
		said = e.Message // what to do about it is asked here
	}
	return t.chooseSignIn(c, t.term.Bold("minigem needs a model, and knows no way to one yet:")+"\n"+
		t.term.Wrap(terminal.Clean(said))+".\n\n")
}

// chooseSignIn is one dialogue, which shows lines above its first question.
func (t *Chat) chooseSignIn(c *app.Configuration, lines string) bool {
	ways := []struct {
		auth  string
		label string
		ask   func(*app.Configuration, *terminal.Dialogue) error
	}{
		{"gemini-api-key", "A Gemini API key  " + t.term.Dim("https://aistudio.google.com/apikey makes one"), t.askKey},
		{"vertex-ai", "Vertex AI  " + t.term.Dim("a project of Google Cloud and a location"), t.askVertex},
		{"", "A server of your own  " + t.term.Dim("Ollama, LM Studio, what speaks OpenAI's API"), t.askServer},
		{"", "None yet: show me a demo  " + t.term.Dim("without key and network"), t.showDemo},
		{"", map[bool]string{true: "Leave", false: "Stay with what there is"}[t.runtime == nil], nil},
	}
	if enforced := c.Settings.Security.Auth.EnforcedType; enforced != "" {
		kept := ways[:0]
		for _, w := range ways {
			if w.auth == enforced || w.ask == nil {
				kept = append(kept, w)
			}
		}
		ways = kept
	}
	d := t.term.Dialogue()
	defer d.End()
	for ; t.Ctx.Err() == nil && t.left == ""; lines = "\n" {
		choices := make([]terminal.Choice, len(ways))
		for i, w := range ways {
			choices[i].Label = w.label
		}
		i, _, ok := d.Choose(t.Ctx, lines, "Which way?", choices)
		if !ok || ways[i].ask == nil {
			return false
		}
		switch err := ways[i].ask(c, d); {
		case err == nil:
			return true
		case !errors.Is(err, errBack):
			t.warn(err.Error())
		}
	}
	return false
}

// askKey asks for a key of the Gemini API, which nobody sees, tries and keeps it.
func (t *Chat) askKey(c *app.Configuration, d *terminal.Dialogue) error {
	for {
		typed, ok := d.AskSecret(t.Ctx, "", "Paste the key (it is not shown; Enter alone goes back): ")
		if !ok || strings.TrimSpace(typed) == "" {
			return errBack
		}
		key, err := app.ParseKey(typed)
		if err != nil {
			t.warn(err.Error())
			continue
		}
		s := app.SignIn{APIKey: key}
		again, err := t.try(c, d, s)
		if again {
			continue
		}
		if err != nil {
			return err
		}
		keychain, ok := t.askWhere(c, d)
		if !ok {
			return errBack
		}
		return t.keep(c, s, keychain)
	}
}

// try makes a request by s. again: the user wants to give something else. An error
// ends it; where nobody answered, whoever wants keeps s all the same.
func (t *Chat) try(c *app.Configuration, d *terminal.Dialogue, s app.SignIn) (again bool, err error) {
	t.work("trying it with one request", func(ctx context.Context) { err = c.TrySignIn(ctx, t.Flags, s) })
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
	i, _, ok := d.Choose(t.Ctx, warning(t, "It could not be tried: "+err.Error()), "Keep it all the same?",
		[]terminal.Choice{
			{Label: "No, go back", Keys: []string{"n", "no"}}, {Label: "Yes, keep it untried", Keys: []string{"y", "yes"}}})
	if !ok || i != 1 {
		return false, errBack
	}
	return false, nil
}

// askWhere asks whether the keychain keeps the key, where there is one.
func (t *Chat) askWhere(c *app.Configuration, d *terminal.Dialogue) (keychain, ok bool) {
	if !c.HasKeychain() {
		return false, true
	}
	i, _, ok := d.Choose(t.Ctx, "", "Where is it kept?", []terminal.Choice{
		{Label: "In the keychain of this system", Keys: []string{"k"}},
		{Label: "In ~/.gemini/.env, which only you can read", Keys: []string{"f", "e"}},
	})
	return i == 0, ok
}

// keep keeps s, for this run, too.
func (t *Chat) keep(c *app.Configuration, s app.SignIn, keychain bool) error {
	where, err := c.KeepSignIn(s, keychain)
	if err != nil {
		return err
	}
	asked := t.Flags.Model
	if asked == "" {
		asked = (&app.System{Env: c.Env}).Getenv("GEMINI_MODEL")
	}
	switch {
	case t.runtime != nil: // it holds from the next start on
	case s.Model != "":
		t.Flags.Model = s.Model
	case openai.Named(asked) || openai.Named(c.Settings.Model.Name):
		t.Flags.Model = "auto"
	}
	if keychain && strings.HasSuffix(where, ".json") {
		t.warn("the keychain did not take it")
	}
	t.term.Print(fmt.Sprintf("Kept in %s, for all folders.", terminal.Clean(c.Shorten(where))))
	return nil
}

func (t *Chat) askVertex(c *app.Configuration, d *terminal.Dialogue) error {
	for {
		project, ok := d.Ask(t.Ctx, "", "Project of Google Cloud (Enter alone goes back): ")
		if project = strings.TrimSpace(project); !ok || project == "" {
			return errBack
		}
		location, ok := d.Ask(t.Ctx, "", "Location (Enter: global): ")
		if location = strings.TrimSpace(location); location == "" {
			location = "global"
		}
		if !ok {
			return errBack
		}
		if strings.ContainsAny(project+location, "/ \"'#?") {
			t.warn("a project and a location are words such as my-project and europe-west1")
			continue
		}
		s := app.SignIn{Project: project, Location: location}
		again, err := t.try(c, d, s)
		if again {
			continue
		}
		if err != nil {
			return err
		}
		return t.keep(c, s, false)
	}
}

// askServer asks for a server and one of its models.
func (t *Chat) askServer(c *app.Configuration, d *terminal.Dialogue) error {
	typed, ok := d.Ask(t.Ctx, "", "Its address, such as http://127.0.0.1:8000/v1 (Enter: Ollama on this machine): ")
	if !ok {
		return errBack
	}
	s := app.SignIn{BaseURL: strings.TrimSuffix(strings.TrimSpace(typed), "/")}
	if s.BaseURL != "" && !strings.Contains(s.BaseURL, "://") {
		s.BaseURL = "http://" + s.BaseURL
	}
	names, err := t.modelsOf(c, d, &s)
	if err != nil {
		return err
	}
	name, ok := t.chooseModel(d, names)
	if !ok {
		return errBack
	}
	s.Model = "openai/" + name
	if s.BaseURL == "" {
		s.Model = "ollama/" + name
	}
	return t.keep(c, s, false)
}

// modelsOf lists the models of the server, with a key where it wants one.
func (t *Chat) modelsOf(c *app.Configuration, d *terminal.Dialogue, s *app.SignIn) (names []string, err error) {
	for {
		t.work("asking for its models", func(ctx context.Context) {
			names, err = c.ServerModels(ctx, s.BaseURL, s.ServerKey)
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
			return nil, nil // it has no list
		case said.Kind != llm.ErrAuth:
			return nil, errors.New(said.Message)
		case s.ServerKey != "":
			t.warn("the key was refused")
		}
		typed, ok := d.AskSecret(t.Ctx, "", "Its key (it is not shown; Enter alone goes back): ")
		if !ok || strings.TrimSpace(typed) == "" {
			return nil, errBack
		}
		if s.ServerKey, err = app.ParseKey(typed); err != nil {
			t.warn(err.Error())
			s.ServerKey = ""
		}
	}
}

func (t *Chat) chooseModel(d *terminal.Dialogue, names []string) (string, bool) {
	const most = 9
	if n := len(names); n > 0 && n <= most {
		var choices []terminal.Choice
		for _, name := range names {
			choices = append(choices, terminal.Choice{Label: text.VisibleLine(name)})
		}
		i, _, ok := d.Choose(t.Ctx, "", "Which model? It must be able to call tools.", choices)
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
	name, ok := d.Ask(t.Ctx, lines, "The name of the model, which must be able to call tools: ")
	name = strings.TrimSpace(name)
	return name, ok && name != ""
}

// showDemo shows the demo, and goes back to the choice.
func (t *Chat) showDemo(*app.Configuration, *terminal.Dialogue) error {
	var err error
	sys := *t.Sys
	sys.Stdout = &lines{to: func(line string) { t.term.Print(terminal.Clean(line)) }}
	t.work("showing the demo", func(ctx context.Context) { err = demo.Run(ctx, &sys, "") })
	if errors.Is(err, context.Canceled) || t.Ctx.Err() != nil {
		return errBack
	}
	if err != nil {
		return err
	}
	return errBack
}

// lines gives on what is written, line by line.
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

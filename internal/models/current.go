package models

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"minigem/agent/event"
	"minigem/agent/subagent"
	"minigem/internal/text"
	"minigem/llm"
	"minigem/llm/openai"
	"minigem/tools/builtin"
)

// Current is the model of a session. It must not change while a prompt is running,
// except by the functions that the agent calls.
type Current struct {
	Name  string          // its full name
	Asked string          // its name as the user gave it
	Now   func() *Catalog // returns the catalog of the current settings
	Taken func(Choice)    // called with each model that the session switches to
}

// SameServer reports whether a session may switch between two models: both are
// Google's, or both are on the same kind of server.
func SameServer(model, other string) bool { return openai.Server(model) == openai.Server(other) }

// Auto returns the name under which a model is chosen for each request, or "" if the
// user chose a specific one.
func (c *Current) Auto() string {
	if Auto(c.Asked) {
		return c.Asked
	}
	return ""
}

// Use switches to another model from the next request on.
func (c *Current) Use(name string) error {
	choice, err := c.Now().Choose(Ask{Name: name})
	if err != nil {
		return err
	}
	if !SameServer(choice.Model, c.Name) {
		return fmt.Errorf("%s is on another server than %s: start minigem with --model %s (and --resume latest to go on "+
			"here)", choice.Model, c.Name, name)
	}
	c.Asked = name
	c.take(choice)
	return nil
}

func (c *Current) take(choice Choice) {
	c.Name = choice.Model
	c.Taken(choice)
}

// Route chooses the model for the next request if that is automatic. If a choice is
// invalid, the model stays: the start of the session has rejected it.
func (c *Current) Route(planning, planned bool) {
	if c.Auto() == "" {
		return
	}
	choice, err := c.Now().Choose(Ask{Name: Route(c.Asked, planning, planned)})
	if err == nil && choice.Model != c.Name && SameServer(choice.Model, c.Name) {
		c.take(choice)
	}
}

// Values of model.fallback. Empty means to ask the user.
const (
	fallbackAlways = "always"
	fallbackNever  = "never"
)

// Fallback returns the function that chooses a model to continue with once the quota of
// model is used up, if the setting or the user agrees. The session continues with that
// model.
func (c *Current) Fallback(setting string, asker builtin.Asker,
	sink event.Sink) func(context.Context, string, error) (string, llm.Sampling, bool) {
	var usedUp []string
	return func(ctx context.Context, model string, err error) (string, llm.Sampling, bool) {
		var quota *llm.Error
		if !errors.As(err, &quota) || quota.Kind != llm.ErrQuota || setting == fallbackNever {
			return "", llm.Sampling{}, false
		}
		usedUp = append(usedUp, model)
		next := Next(model, usedUp)
		if next == "" || setting != fallbackAlways && !goOnWith(ctx, asker, next, quota) {
			return "", llm.Sampling{}, false
		}
		choice, err := c.Now().Choose(Ask{Name: next})
		if err != nil {
			return "", llm.Sampling{}, false
		}
		c.Asked = next
		c.take(choice)
		sink.Emit(event.Notice{Severity: "warning", Text: fmt.Sprintf("The quota of %s is used up: this session goes on "+
			"with %s.", model, choice.Model)})
		return choice.Model, choice.Sampling, true
	}
}

// goOnWith asks the user. If nobody can be asked, the answer is no.
func goOnWith(ctx context.Context, asker builtin.Asker, next string, quota *llm.Error) bool {
	said, ok := builtin.AskOne(ctx, asker, builtin.Question{
		Header: "Quota", Type: "yesno", Question: fmt.Sprintf("%s. Go on with %s in this session?", quota.Message, next),
	})
	return ok && said == "Yes"
}

// Misfit returns why the agent d cannot use the model that it names, or "" if it can or
// names none. A model on another server would get this server's keys or none.
func (c *Current) Misfit(d subagent.Definition) string {
	choice, err := c.Now().Choose(Ask{Name: d.Model, Agent: d.Name})
	switch {
	case d.Model == "":
	case err != nil:
		return fmt.Sprintf("the agent %s uses %s: %v", d.Name, c.Name, err)
	case !SameServer(choice.Model, c.Name):
		return fmt.Sprintf("the agent %s names %s, which is not a model of the server of %s: it uses %s", d.Name,
			text.VisibleLine(choice.Model), c.Name, c.Name)
	}
	return ""
}

// OfAgent returns the model and sampling settings of an agent. It is the session's
// model if the agent names none that fits.
func (c *Current) OfAgent(d subagent.Definition) (string, llm.Sampling) {
	name := d.Model
	if name == "" {
		if name = c.Asked; c.Auto() != "" {
			name = c.Name
		}
	}
	choice, err := c.Now().Choose(Ask{Name: name, Agent: d.Name, Temperature: d.Temperature})
	if err != nil {
		return c.Name, llm.Sampling{Temperature: d.Temperature}
	}
	if !SameServer(choice.Model, c.Name) {
		return c.Name, choice.Sampling
	}
	return choice.Model, choice.Sampling
}

// Beside applies the settings' overrides to a side request, which is not part of the
// conversation.
func (c *Current) Beside(req llm.Request) llm.Request {
	choice, err := c.Now().Choose(Ask{Name: req.Model, Side: sideAlias(req)})
	if err != nil {
		return req
	}
	req.Sampling = choice.On(req.Sampling)
	if SameServer(choice.Model, req.Model) {
		req.Model = choice.Model
	}
	return req
}

// sideAlias returns Gemini CLI's alias for the settings of a side request.
func sideAlias(req llm.Request) string {
	switch {
	case req.Builtins.GoogleSearch:
		return "web-search"
	case req.Builtins.URLContext:
		return "web-fetch"
	case req.Role == "utility_tool":
		return "web-fetch-fallback"
	}
	return "chat-compression-" + strings.TrimSuffix(strings.TrimPrefix(req.Model, "gemini-"), "-preview")
}

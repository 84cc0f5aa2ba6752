package app

import (
	"context"
	"strings"

	"minigem/agent/subagent"
	"minigem/internal/models"
	"minigem/llm"
	"minigem/tools/policy"
)

// take makes a model that of the session.
func (r *Runtime) take(c models.Choice) {
	r.ModelName, r.Compressor.ModelName = c.Model, c.Model
	r.Agent.Config.Model, r.Agent.Config.Sampling = c.Model, c.Sampling
}

// AutoModel is the name by which the model is chosen anew for each request; empty:
// the user chose one.
func (r *Runtime) AutoModel() string {
	if models.Auto(r.asked) {
		return r.asked
	}
	return ""
}

// route chooses the model for the next request, where that is left to a rule.
func (r *Runtime) route() error {
	if r.AutoModel() == "" || !r.Config.Settings.General.Plan.ModelRouting {
		return nil
	}
	choice, err := r.Config.models.Choose(
		models.Ask{Name: models.Route(r.asked, r.Policy.Mode() == policy.ModePlan, r.Plans.Approved().Path != "")})
	if err == nil && choice.Model != r.ModelName && SameServer(choice.Model, r.ModelName) {
		r.take(choice)
	}
	return err
}

// beforeRequest is what each request of the session waits for.
func (r *Runtime) beforeRequest(ctx context.Context) {
	r.MCP.Await(ctx)
	_ = r.route() // what cannot be chosen was refused at the start, and what there was goes on
}

// modelOfAgent says which model an agent uses, and with which settings: that of the
// session where it names none, or one of another server, which would get this
// one's keys.
func (r *Runtime) modelOfAgent(d subagent.Definition) (string, llm.Sampling) {
	name := d.Model
	if name == "" {
		if name = r.asked; r.AutoModel() != "" {
			name = r.ModelName
		}
	}
	choice, err := r.Config.models.Choose(models.Ask{Name: name, Agent: d.Name, Temperature: d.Temperature})
	if err != nil {
		return r.ModelName, llm.Sampling{Temperature: d.Temperature}
	}
	if !SameServer(choice.Model, r.ModelName) {
		return r.ModelName, choice.Sampling
	}
	return choice.Model, choice.Sampling
}

// beside lets the overrides of the settings change a request beside the
// conversation.
func (r *Runtime) beside(req llm.Request) llm.Request {
	choice, err := r.Config.models.Choose(models.Ask{Name: req.Model, Side: sideAlias(req)})
	if err != nil {
		return req
	}
	req.Sampling = choice.On(req.Sampling)
	if SameServer(choice.Model, req.Model) {
		req.Model = choice.Model
	}
	return req
}

// sideAlias is what Gemini CLI calls the settings of such a request.
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

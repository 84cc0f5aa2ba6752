package app

import (
	"context"
	"strings"

	"minigem/agent/subagent"
	"minigem/internal/models"
	"minigem/llm"
	"minigem/tools/policy"
)

// take makes c the session's model.
func (r *Runtime) take(c models.Choice) {
	r.ModelName, r.Compressor.ModelName = c.Model, c.Model
	r.Agent.Config.Model, r.Agent.Config.Sampling = c.Model, c.Sampling
}

// AutoModel returns the name under which a model is chosen for each request, or "" if
// the user chose a specific one.
func (r *Runtime) AutoModel() string {
	if models.Auto(r.asked) {
		return r.asked
	}
	return ""
}

// route chooses the model for the next request if that is automatic.
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

// beforeRequest runs before each request of the session, which waits for it.
func (r *Runtime) beforeRequest(ctx context.Context) {
	r.MCP.Await(ctx)
	_ = r.route() // an invalid choice was rejected at the start; otherwise the model stays
}

// modelOfAgent returns the model and sampling settings of an agent. It is the session's
// model if the agent names none, or names one on another server, which would get this
// server's keys.
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

// beside applies the settings' overrides to a side request, which is not part of the
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

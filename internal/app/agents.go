package app

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"minigem/agent"
	"minigem/agent/subagent"

	"minigem/hooks/config"
	"minigem/internal/contextfile"
	"minigem/internal/models"
	"minigem/internal/prompt"
	"minigem/internal/settings"
	"minigem/internal/subagents"
	"minigem/internal/telemetry"
	"minigem/internal/text"
	"minigem/session"
	"minigem/tools"
	"minigem/tools/toolcall"
)

// An Agent is a definition that was found, and whether it is offered.
type Agent struct {
	subagents.Agent
	Off string // why it is not offered; empty if it is
}

const (
	ofProject = "project"
	notAgreed = "you have not agreed to it as it is now"
)

// AllAgents returns all agents, including those that are not offered, and the problems
// found in others. An untrusted folder contributes none. A project's agents are not
// offered until the user has agreed to them in their current form.
func (c *Configuration) AllAgents() ([]Agent, []string) {
	agreements := subagents.AgreementsIn(c.DotGemini)
	agreed := func(a subagents.Agent) bool { return c.ownAgents || agreements.Has(c.Dir, a) }
	found, problems := subagents.Discover(subagents.Builtin(), c.agentSources(c.extensions, c.Trust.Trusted, agreed))
	return c.switched(found), problems
}

// AgentFiles maps the names of the agents that may be called to the files that define
// them.
func (c *Configuration) AgentFiles() map[string]string {
	all, _ := c.AllAgents()
	files := map[string]string{}
	for _, a := range all {
		if a.Off == "" && a.File != "" {
			files[a.Name] = a.File
		}
	}
	return files
}

// agentSources returns the folders to look for agents in. The project's are included
// only if project is set.
func (c *Configuration) agentSources(extensions []config.Extension, project bool,
	agreed func(subagents.Agent) bool) []subagents.Source {
	var sources []subagents.Source
	if own := filepath.Join(c.Dir, ".gemini", "agents"); project && c.Dir != c.Home {
		sources = append(sources, subagents.Source{Dir: own, Name: ofProject, Agreed: agreed})
	}
	sources = append(sources, subagents.Source{Dir: filepath.Join(c.DotGemini, "agents"), Name: "user"})
	for _, e := range extensions {
		s := subagents.Source{Dir: filepath.Join(e.Dir, "agents"), Name: "extension " + e.Name}
		if e.InProject {
			s.Name, s.Agreed = ofProject, agreed
		}
		sources = append(sources, s)
	}
	return sources
}

// switched applies the settings to the found agents and notes which are not offered,
// and why.
func (c *Configuration) switched(found []subagents.Agent) []Agent {
	var all []Agent
	for _, a := range found {
		one := Agent{Agent: a}
		change := c.Settings.Agents.Overrides[a.Name]
		override(&one.Definition, change)
		switch {
		case !c.Settings.Experimental.EnableAgents:
			one.Off = "experimental.enableAgents is false"
		case change.Enabled != nil && !*change.Enabled:
			one.Off = "agents.overrides in the settings turns it off"
		case a.Held:
			one.Off = notAgreed
		}
		all = append(all, one)
	}
	return all
}

// override applies the overrides of the settings to d.
func override(d *subagent.Definition, o settings.AgentOverride) {
	if o.Tools != nil {
		d.Tools = o.Tools
	}
	if o.RunConfig.MaxTurns > 0 {
		d.MaxTurns = o.RunConfig.MaxTurns
	}
	if o.RunConfig.MaxTimeMinutes > 0 {
		d.Timeout = time.Duration(o.RunConfig.MaxTimeMinutes) * time.Minute
	}
	d.Model = cmp.Or(o.ModelConfig.Model, d.Model)
}

// AgreeToAgents records the user's agreement to the project's agents in their current
// form.
func (c *Configuration) AgreeToAgents() error {
	var own []subagents.Agent
	for _, a := range c.projectAgents() {
		own = append(own, a.Agent)
	}
	return subagents.AgreementsIn(c.DotGemini).Add(c.Dir, own)
}

// loadAgents reads the agents again and makes them the session's.
func (r *Runtime) loadAgents(warn func(string)) {
	all, problems := r.Config.AllAgents()
	var on []subagent.Definition
	for _, a := range all {
		switch {
		case a.Off == "":
			on = append(on, r.definition(a, warn))
		case a.Off == notAgreed:
			problems = append(
				problems, fmt.Sprintf(
					"the agent %s of this project is new, or has changed, and is not offered: look at %s, then run minigem trust",
					a.Name, a.File))
		}
	}
	if r.Config.Settings.Experimental.EnableAgents {
		for _, p := range problems {
			warn(r.Config.ShortenIn(text.VisibleLine(p)))
		}
	}
	r.agents.Store(&on)
}

// definition returns the definition to run. It drops a model on another server, which
// would get this server's keys or none.
func (r *Runtime) definition(a Agent, warn func(string)) subagent.Definition {
	d := a.Definition
	if d.Model == "" {
		return d
	}
	choice, err := r.Config.models.Choose(models.Ask{Name: d.Model, Agent: d.Name})
	switch {
	case err == nil && SameServer(choice.Model, r.ModelName):
		return d
	case err != nil:
		warn(fmt.Sprintf("the agent %s uses %s: %v", d.Name, r.ModelName, err))
	case a.Source != subagents.BuiltIn: // the user did not choose the model of built-in agents
		warn(fmt.Sprintf("the agent %s names %s, which is not a model of the server of %s: it uses %s", d.Name,
			text.VisibleLine(choice.Model), r.ModelName, r.ModelName))
	}
	d.Model = ""
	return d
}

// Agents returns the agents that the model may call.
func (r *Runtime) Agents() []subagent.Definition {
	if a := r.agents.Load(); a != nil {
		return *a
	}
	return nil
}

// AgentCalled reports whether the model may call an agent with that name.
func (r *Runtime) AgentCalled(name string) bool {
	return slices.ContainsFunc(r.Agents(), func(d subagent.Definition) bool { return d.Name == name })
}

// ReloadAgents reads the agents again and updates invoke_agent.
func (r *Runtime) ReloadAgents(warn func(string)) {
	r.loadAgents(warn)
	r.MCP.Replace(subagent.ToolName, r.invoker()...)
}

// agentTool returns the tool invoke_agent, or nil if there are no agents.
func (r *Runtime) agentTool(sys *System, w *Frontend) []tools.Tool {
	r.loadAgents(w.Warn)
	r.invoke = subagent.New(subagent.Options{
		List:    r.Agents,
		Model:   r.telemetry.Model(r.Model, telemetry.RoleSubagent),
		Runner:  func() *toolcall.Runner { return r.runner },
		Hooks:   r.Engine,
		Sink:    r.sink,
		Offered: func(agent string, t tools.Tool) bool { return r.Policy.OfferedTo(agent, t) },
		Config: agent.Config{
			Model: r.ModelName, System: r.agentSurroundings, Now: sys.Now,
			MaxRetries:           r.Config.Hooks.MaxRetries,
			DisableLoopDetection: r.Config.Settings.Model.DisableLoopDetection,
		},
		Choose: r.modelOfAgent,
		Tools:  r.toolsOfAgent,
		Record: func(t subagent.Task) subagent.Record { return r.recordAgent(t, sys, w) },
		Compressor: func(h agent.History, model string) agent.Compressor {
			return r.compressorOf(h, model, sys, w)
		},
	})
	return r.invoker()
}

// invoker returns the tool invoke_agent, or nil if there are no agents.
func (r *Runtime) invoker() []tools.Tool {
	if len(r.Agents()) == 0 {
		return nil
	}
	return []tools.Tool{r.invoke}
}

// agentSurroundings returns what an agent is told besides its own instructions.
func (r *Runtime) agentSurroundings() string {
	return strings.TrimSpace(r.preamble() + "\n\n" + contextfile.Render(r.Context.Global, r.Config.Dir))
}

// recordAgent keeps an agent's transcript next to the session's.
func (r *Runtime) recordAgent(t subagent.Task, sys *System, w *Frontend) subagent.Record {
	s, err := session.Start(session.Options{
		Project: r.Project, ID: t.ID, Parent: r.Session.ID(), Directories: r.Workspace.Dirs()[1:],
		Mask: r.Config.Mask, Warn: func(err error) { w.Warn(err.Error()) }, Now: sys.Now,
	})
	if err != nil {
		w.Warn("the transcript of the agent " + t.Agent.Name + " is not kept: " + err.Error())
		return subagent.Record{History: &agent.Memory{}}
	}
	return subagent.Record{History: s, Sink: s, Path: s.Path(), Close: func(summary string) {
		if summary != "" {
			s.Summarize(shortened(summary, maxSummary))
		}
		s.End(context.Background(), "exit")
	}}
}

// maxSummary limits the line of a transcript that summarizes an agent's result.
const maxSummary = 200

func shortened(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most])
	}
	return s
}

// promptAgents returns the agents for the system instruction, or none if invoke_agent
// is not offered.
func (r *Runtime) promptAgents(offered []string) []prompt.Entry {
	var out []prompt.Entry
	for _, name := range offered {
		if name != subagent.ToolName {
			continue
		}
		for _, d := range r.Agents() {
			out = append(out, prompt.Entry{Name: d.Name, Text: d.Description})
		}
	}
	return out
}

package subagents

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"minigem/agent"
	"minigem/agent/subagent"
	"minigem/docs"
	"minigem/internal/mcp/fleet"
	"minigem/internal/prompt"
	"minigem/internal/text"
	"minigem/session"
	"minigem/tools"
	"minigem/tools/builtin"
)

// Offer is the agents that a session's model may call.
type Offer struct {
	Now    func() Set                       // returns the current agents of the run
	Misfit func(subagent.Definition) string // why an agent cannot use the model that it names; empty if it can
	MCP    *fleet.Offer
	Warn   func(string)

	list atomic.Pointer[[]subagent.Definition]
	tool tools.Tool // invoke_agent
}

// Open reads the agents and makes the tool invoke_agent. It sets what o knows of
// options.
func (o *Offer) Open(options subagent.Options) {
	o.load()
	options.List, options.Tools = o.List, o.tools
	o.tool = subagent.New(options)
}

// load reads the agents again and makes them the session's.
func (o *Offer) load() {
	set := o.Now()
	all, problems := set.All()
	var on []subagent.Definition
	for _, a := range all {
		switch a.Off {
		case "":
			if why := o.Misfit(a.Definition); why != "" {
				if a.Model = ""; a.Source != BuiltIn { // the user did not choose the model of built-in agents
					o.Warn(why)
				}
			}
			on = append(on, a.Definition)
		case NotAgreed:
			problems = append(
				problems, fmt.Sprintf(
					"the agent %s of this project is new, or has changed, and is not offered: look at %s, then run minigem trust",
					a.Name, a.File))
		}
	}
	if set.On {
		for _, p := range problems {
			o.Warn(set.ShortenIn(text.VisibleLine(p)))
		}
	}
	o.list.Store(&on)
}

// Reload reads the agents again and updates invoke_agent.
func (o *Offer) Reload() {
	o.load()
	o.MCP.Replace(subagent.ToolName, o.Tool()...)
}

// List returns the agents that the model may call.
func (o *Offer) List() []subagent.Definition {
	if a := o.list.Load(); a != nil {
		return *a
	}
	return nil
}

// Has reports whether the model may call an agent with that name.
func (o *Offer) Has(name string) bool {
	return slices.ContainsFunc(o.List(), func(d subagent.Definition) bool { return d.Name == name })
}

// Tool returns the tool invoke_agent, or nil if there are no agents.
func (o *Offer) Tool() []tools.Tool {
	if len(o.List()) == 0 {
		return nil
	}
	return []tools.Tool{o.tool}
}

// tools starts an agent's own MCP servers. It returns the tools that only this agent
// has, and a function that stops the servers.
func (o *Offer) tools(ctx context.Context, t subagent.Task) ([]tools.Tool, func()) {
	all, _ := o.Now().All()
	i := slices.IndexFunc(all, func(a Agent) bool { return a.Name == t.Agent.Name && a.File == t.Agent.File })
	switch {
	case i >= 0 && all[i].Source == BuiltIn && t.Agent.Name == helpName:
		return []tools.Tool{builtin.InternalDocs(docs.Files)}, func() {}
	case i < 0 || len(all[i].Servers) == 0:
		return nil, func() {}
	}
	return o.MCP.ToAgent(ctx, t.Agent.Name, all[i].In(o.MCP.Now()))
}

// Prompt returns the agents for the system instruction, or none if invoke_agent is not
// offered.
func (o *Offer) Prompt(offered []string) []prompt.Entry {
	if !slices.Contains(offered, subagent.ToolName) {
		return nil
	}
	var out []prompt.Entry
	for _, d := range o.List() {
		out = append(out, prompt.Entry{Name: d.Name, Text: d.Description})
	}
	return out
}

// maxSummary limits the line of a transcript that summarizes an agent's result.
const maxSummary = 200

// Record keeps an agent's transcript next to those of sessions, as in says.
func Record(t subagent.Task, in session.Options) subagent.Record {
	in.ID = t.ID
	s, err := session.Start(in)
	if err != nil {
		in.Warn(fmt.Errorf("the transcript of the agent %s is not kept: %w", t.Agent.Name, err))
		return subagent.Record{History: &agent.Memory{}}
	}
	return subagent.Record{History: s, Sink: s, Path: s.Path(), Close: func(summary string) {
		if runes := []rune(summary); len(runes) > 0 {
			s.Summarize(string(runes[:min(len(runes), maxSummary)]))
		}
		s.End(context.Background(), "exit")
	}}
}

package record

import (
	"path"
	"slices"

	"github.com/rogpeppe/go-internal/txtar"

	"minigem/agent/event"
	"minigem/hooks"
)

// agentFile is the definition of an agent at the start of the run, with its name in a
// case.
type agentFile struct {
	path, name string
	state      state
	used       bool // the agent was started
}

// noteAgents reads the definitions of agents, by name.
func (r *Recorder) noteAgents(paths map[string]string) {
	r.agents = map[string]*agentFile{}
	for name, file := range paths {
		a := &agentFile{path: file, state: r.scripts.read(file)}
		var inside bool
		if a.name, inside = r.files.name(file); !inside {
			elsewhere := newFiles(path.Dir(file))
			a.name, a.state = "home/.gemini/agents/"+path.Base(file), elsewhere.read(file)
		}
		r.agents[name] = a
	}
}

// nested unwraps an event from a subagent.
func nested(e event.Event) event.Event {
	if n, ok := e.(event.Nested); ok {
		return n.Event
	}
	return e
}

// addAgents adds the definitions of the agents that were started, unless the case has them
// already.
func (w writer) addAgents(a *txtar.Archive) {
	for _, name := range w.agentsUsed() {
		file := w.agents[name]
		there := slices.ContainsFunc(a.Files, func(f txtar.File) bool { return f.Name == file.name })
		if !there {
			w.addFile(a, file.name, file.state)
		}
	}
}

func (w writer) agentsUsed() []string {
	var names []string
	for name, a := range w.agents {
		if a.used {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// brought reports whether h comes from an agent definition in the case.
func (w writer) brought(h hooks.Hook) bool {
	a := w.agents[h.Within.Agent]
	return h.Within.Agent != "" && a != nil && a.used && a.state.there && a.state.left == ""
}

// addModels adds the model's answers to the main agent and to each subagent.
func (w writer) addModels(a *txtar.Archive) error {
	exact := w.sawChunks()
	var agents []string
	for _, one := range w.answers {
		if one.agent != "" && !slices.Contains(agents, one.agent) {
			agents = append(agents, one.agent)
		}
	}
	for _, agent := range append([]string{""}, agents...) {
		text, err := w.model(agent, exact)
		if err != nil {
			return err
		}
		name := "model"
		if agent != "" {
			name += " agent=" + agent
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
	}
	return nil
}

// whose returns the condition for the agent in which an event fired, if the run had
// subagents.
func (w writer) whose(rep hooks.Report) string {
	switch {
	case rep.Agent.Type != "":
		return " agent=" + rep.Agent.Type
	case slices.ContainsFunc(w.reports, func(o hooks.Report) bool { return o.Agent.Type != "" }):
		return " agent=main"
	}
	return ""
}

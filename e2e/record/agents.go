package record

import (
	"path"
	"slices"

	"github.com/rogpeppe/go-internal/txtar"

	"minigem/agent/event"
	"minigem/hooks"
)

// agentFile is a definition as it was when the run began, and where it is in a case.
type agentFile struct {
	path, name string
	state      state
	used       bool // the agent was started
}

// noteAgents reads definitions, by the names of agents.
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

// nested takes what happened in an agent for what happened.
func nested(e event.Event) event.Event {
	if n, ok := e.(event.Nested); ok {
		return n.Event
	}
	return e
}

// addAgents adds the definitions of the agents that were started, but for those
// that are there already.
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

// brought reports whether a definition that is in the case brings h.
func (w writer) brought(h hooks.Hook) bool {
	a := w.agents[h.Within.Name]
	return h.Within.Kind == hooks.AgentPart && a != nil && a.used && a.state.there && a.state.left == ""
}

// addModels adds what the model answered, and what it answered to each agent.
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

// whose is the condition that says in which agent an event fired, where there were
// agents.
func (w writer) whose(rep hooks.Report) string {
	switch {
	case rep.Agent.Type != "":
		return " agent=" + rep.Agent.Type
	case slices.ContainsFunc(w.reports, func(o hooks.Report) bool { return o.Agent.Type != "" }):
		return " agent=main"
	}
	return ""
}

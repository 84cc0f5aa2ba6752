package agents

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Case is one answer of the corpus, which was given once on each agent that was run.
type Case struct {
	// Event is the point at which the hook answers.
	Event Point `json:"event"`
	// Exit is the exit status of the hook.
	Exit int `json:"exit,omitempty"`
	// Stdout is what the hook prints; {{event}} is replaced by the agent's own name of
	// the event.
	Stdout string `json:"stdout,omitempty"`
	// Stderr is what the hook prints there, as it is.
	Stderr string `json:"stderr,omitempty"`
	// Late, if not empty, makes the hook exceed its timeout: with "before" it waits first
	// and prints nothing, with "after" it prints everything and then waits.
	Late string `json:"late,omitempty"`
	// Times is how often the hook answers like this before it says nothing; 0 means
	// always.
	Times int `json:"times,omitempty"`
	// Mode is "default" if a person would have to confirm the call; else empty.
	Mode string `json:"mode,omitempty"`
	// Matcher, if not empty, makes this a case about whether the matcher finds the shell
	// tool.
	Matcher string `json:"matcher,omitempty"`
	// Variants holds other texts for Stdout, by agent.
	Variants map[string]string `json:"variants,omitempty"`
}

// Observation is the outcome of a [Case] on one agent.
type Observation struct {
	// Effect is a [Kind], or "fired" or "not-fired" for a matcher.
	Effect string `json:"effect"`
	// Ran says that the tool ran although the run ended.
	Ran bool `json:"ran,omitempty"`
	// Retries is how often the agent went on.
	Retries int `json:"retries,omitempty"`
	// Endless says that it went on until the test ended it.
	Endless bool `json:"endless,omitempty"`
	// Model lists those marked texts of the case that the model read; see [Markers].
	Model []string `json:"model,omitempty"`
	// System says that the model read them in the system instruction and not in a
	// message.
	System bool `json:"system,omitempty"`
}

// Corpus returns all answers that were tried, by name. The map is shared and must not be
// changed.
var Corpus = sync.OnceValue(func() map[string]Case {
	var out map[string]Case
	decode("answers.json", &out)
	return out
})

// Observed returns the outcomes, by agent's id and then by the case's name. What is
// missing was not run. The maps are shared and must not be changed.
var Observed = sync.OnceValue(func() map[string]map[string]Observation {
	var out map[string]map[string]Observation
	decode("effects.json", &out)
	return out
})

// Names returns the names of the corpus, sorted. The slice is the caller's.
func Names() []string { return slices.Sorted(maps.Keys(Corpus())) }

// Answer returns the case as a hook of agent a gives it. Stdout is that agent's text in
// [Case.Variants] if it has one. A hook that waits first has printed nothing to stdout
// when it is ended.
func (c Case) Answer(a *Agent) Answer {
	stdout := c.Stdout
	if v, ok := c.Variants[a.ID]; ok {
		stdout = v
	}
	own, _ := a.Event(c.Event)
	x := Answer{Point: c.Event, Exit: c.Exit, Stdout: strings.ReplaceAll(stdout, "{{event}}", own.Native),
		Stderr: c.Stderr, TimedOut: c.Late != ""}
	if c.Late == "before" {
		x.Stdout = ""
	}
	return x
}

package agents

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Case is one answer of the corpus, given once on each agent that was run.
type Case struct {
	Event  Point  `json:"event"`
	Exit   int    `json:"exit,omitempty"`
	Stdout string `json:"stdout,omitempty"` // {{event}} stands for the agent's own name of the event
	Stderr string `json:"stderr,omitempty"`
	// it takes longer than it may: nothing is printed "before", or all of it "after" which it waits
	Late    string `json:"late,omitempty"`
	Times   int    `json:"times,omitempty"` // it answers so this often, then says nothing; 0: always
	Mode    string `json:"mode,omitempty"`  // "default": somebody would have to confirm the call
	Matcher string `json:"matcher,omitempty"`
	// Variants are other texts on stdout, by agent.
	Variants map[string]string `json:"variants,omitempty"`
}

// Observation is the outcome of a Case on one agent.
type Observation struct {
	Effect  string   `json:"effect"` // a Kind, or "fired" and "not-fired" of a matcher
	Ran     bool     `json:"ran,omitempty"`
	Retries int      `json:"retries,omitempty"`
	Endless bool     `json:"endless,omitempty"`
	Model   []string `json:"model,omitempty"` // of the marked texts those that the model read
	// System: it read them in the system instruction, and not in a message.
	System bool `json:"system,omitempty"`
}

// Corpus is all answers that were tried, by name.
var Corpus = sync.OnceValue(func() map[string]Case {
	var out map[string]Case
	decode("answers.json", &out)
	return out
})

// Observed is their outcome: by agent, then by name. What is not there was
// not run.
var Observed = sync.OnceValue(func() map[string]map[string]Observation {
	var out map[string]map[string]Observation
	decode("effects.json", &out)
	return out
})

// Names are the names of the corpus, sorted.
func Names() []string { return slices.Sorted(maps.Keys(Corpus())) }

// Answer is the case as a hook of this agent gives it.
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

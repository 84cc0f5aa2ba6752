// Package compat shows what agents do with hooks, from the tables of hooks/agents, as
// text ([Write], [WriteEvent]), as JSON for other programs ([New]), and as one HTML page
// ([WritePage]). [Run] is "minigem hooks compat". It measures nothing.
package compat

import (
	"encoding/json"
	"strings"

	"minigem/hooks/agents"
)

// Schema is the value of [Document.Schema]. It changes when the form does.
const Schema = "minigem.dev/compat/1"

// Document is everything that is known, for other programs. What is missing is unknown,
// never "no". Measurements were made on one day and platform, in runs without a terminal.
type Document struct {
	// Schema is [Schema], which names the form of the document.
	Schema string `json:"schema"`
	// Measured is the day of the measurements, YYYY-MM-DD.
	Measured string `json:"measured"`
	// Platform is the operating system and architecture, such as "linux/amd64".
	Platform string `json:"platform"`
	// Mode is how agents were run: "one-shot".
	Mode string `json:"mode"`
	// Agents holds the table of each agent by id, as [agents.Agent] is marshalled.
	Agents map[string]json.RawMessage `json:"agents"`
	// Answers holds the corpus by name.
	Answers map[string]agents.Case `json:"answers"`
	// Effects has one entry for each answer whose effect on an agent is known.
	Effects []Effect `json:"effects"`
}

// Effect is what one agent does with one answer.
type Effect struct {
	// Answer is the name in [Document.Answers].
	Answer string `json:"answer"`
	// Agent is the agent's id.
	Agent string `json:"agent"`
	// Version is the agent's version; empty if none was measured.
	Version string `json:"version,omitempty"`
	// Effect is an [agents.Kind], or "fired" and "not-fired" for a matcher.
	Effect string `json:"effect"`
	// Ran says that the tool ran although the run ended.
	Ran bool `json:"ran,omitempty"`
	// Retries is how often the agent went on, for the effect "retry".
	Retries int `json:"retries,omitempty"`
	// ReasonTo lists who reads a text of the answer: "model" or nothing. Never null.
	ReasonTo []string `json:"reason_to"`
	// Evidence says how it is known; never empty.
	Evidence agents.Evidence `json:"evidence"`
}

// New returns the document of the tables that are built in. The error is for a table
// that has no JSON form.
func New() (Document, error) {
	d := Document{
		Schema: Schema, Measured: "2026-11-21", Platform: "linux/amd64", Mode: "one-shot",
		Agents: map[string]json.RawMessage{}, Answers: agents.Corpus(), Effects: []Effect{},
	}
	for _, a := range agents.All() {
		data, err := json.Marshal(a)
		if err != nil {
			return Document{}, err
		}
		d.Agents[a.ID] = data
		for _, name := range agents.Names() {
			if e, known := cell(a, name); known {
				d.Effects = append(d.Effects, e)
			}
		}
	}
	return d, nil
}

// cell returns what the agent does with an answer; ok is false if that is not known.
func cell(a *agents.Agent, name string) (Effect, bool) {
	o, evidence, known := a.Cell(name)
	if !known {
		return Effect{}, false
	}
	e := Effect{
		Answer: name, Agent: a.ID, Version: a.Version, Effect: o.Effect, Ran: o.Ran, Retries: o.Retries,
		ReasonTo: []string{}, Evidence: evidence,
	}
	if len(o.Model) > 0 {
		e.ReasonTo = append(e.ReasonTo, "model")
	}
	return e, true
}

// place is a point, the prefix that its answers have in the corpus, and a title for
// people.
type place struct {
	point  agents.Point
	prefix string
	title  string
}

// points lists the points in the order of a session.
var points = []place{
	{agents.SessionStart, "start", "the session starts"},
	{agents.BeforePrompt, "prompt", "a prompt is sent"},
	{agents.BeforeTool, "pre", "a tool is to run"},
	{agents.AfterTool, "post", "a tool has run"},
	{agents.AgentStop, "stop", "the agent has answered"},
	{"", "match", "a matcher looks at the shell tool"},
}

// PointOf returns the point with that neutral name ("before_tool_execute" or "pre"), or
// of an event as any agent calls it. ok is false if no answers were tried there.
func PointOf(name string) (agents.Point, bool) {
	for _, p := range points {
		if p.point != "" && (string(p.point) == name || p.prefix == name) {
			return p.point, true
		}
	}
	for _, a := range agents.All() {
		if p := a.PointOf(name); p != "" {
			for _, known := range points {
				if known.point == p {
					return p, true
				}
			}
		}
	}
	return "", false
}

// namesAt returns the names of the corpus's answers with this prefix.
func namesAt(prefix string) []string {
	var out []string
	for _, n := range agents.Names() {
		if strings.HasPrefix(n, prefix+"/") {
			out = append(out, n)
		}
	}
	return out
}

// say describes a cell in a few words; "" means unknown.
func say(a *agents.Agent, name string) (words string, e agents.Evidence) {
	o, e, known := a.Cell(name)
	if !known {
		return "", ""
	}
	switch {
	case o.Effect == string(agents.RunEnded) && o.Ran:
		words = "runs, then ends"
	case o.Effect == string(agents.RunEnded):
		words = "run ends"
	case o.Effect == string(agents.Allowed):
		words = "no effect"
	default:
		words = strings.ReplaceAll(o.Effect, "-", " ")
	}
	switch {
	case o.Endless:
		words += ", no end"
	case o.Retries > 1:
		words += " x" + itoa(o.Retries)
	}
	return words, e
}

// Agents returns the agents of a comma-separated list of ids; all for an empty list.
// Errors are those of [agents.List].
func Agents(list string) ([]*agents.Agent, error) {
	if list == "" {
		return agents.All(), nil
	}
	return agents.List(list)
}

// Points returns the points at which answers were tried, in the order of a session. The
// slice is the caller's.
func Points() []agents.Point {
	var out []agents.Point
	for _, p := range points {
		if p.point != "" {
			out = append(out, p.point)
		}
	}
	return out
}

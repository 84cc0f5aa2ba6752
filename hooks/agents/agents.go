// Package agents knows what other agents do with hooks, as data: one file per agent
// (data/ID.toml), in which each row has its evidence.
//
//	a, err := agents.Find("codex")
//	e := a.Read(agents.Answer{Point: agents.BeforeTool, Exit: 2, Stderr: "not here"})
//	e.Prevents() // true: Codex CLI does not run the tool
//
// [Agent.Read] interprets a hook's answer as that agent does, its bugs included.
// [Agent.Say] is the inverse: it spells an answer so that the agent obeys it.
// [Agent.Fires] applies its matchers, and [Speaker] writes its payloads. A row that is
// missing means "unknown", never "no".
//
// Running these agents is left to e2e/agents, translating whole calls to hooks/portable,
// and comparing with minigem to hooks/elsewhere.
package agents

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"minigem/internal/text"
)

// Point is a lifecycle point under a name that no agent uses.
type Point string

// The points whose answers [Agent.Read] knows.
const (
	// BeforeTool is the moment before a tool runs.
	BeforeTool Point = "before_tool_execute"
	// AfterTool is the moment after a tool ran.
	AfterTool Point = "after_tool_execute"
	// BeforePrompt is the moment before a submitted prompt is sent to the model.
	BeforePrompt Point = "before_prompt"
	// AgentStop is the moment when the agent has given its final answer.
	AgentStop Point = "agent_stop"
	// SessionStart is the beginning of a session.
	SessionStart Point = "session_start"
)

// Evidence says how a row is known. An empty one means the evidence of the agent's table;
// see [Agent.Of].
type Evidence string

const (
	// Measured means that the agent was run, and that this is what it did.
	Measured Evidence = "measured"
	// Binary means that it was read in the program that is shipped.
	Binary Evidence = "binary"
	// Documented means that the vendor's documentation says so. It was not run.
	Documented Evidence = "documented"
)

// Agent is the table of one agent, read from its file. It is shared and must not be
// changed. Its methods are safe for concurrent use.
type Agent struct {
	// ID is the name of the file without its extension, such as "claude".
	ID string `json:"id" toml:"-"`
	// Name is the agent's name for people, such as "Claude Code".
	Name string `json:"name" toml:"name"`
	// Version is the version that the rows describe; empty if none was measured.
	Version string `json:"version,omitempty" toml:"version"`
	// Evidence is the evidence of every row that does not have its own.
	Evidence Evidence `json:"evidence" toml:"evidence"`
	// Note is a remark for people; may be empty.
	Note string `json:"note,omitempty" toml:"note"`

	// Config says where hooks are configured.
	Config Config `json:"config" toml:"config"`
	// Timeout says how long hooks may take.
	Timeout Timeout `json:"timeout" toml:"timeout"`
	// Matcher says how matchers find tools.
	Matcher Matcher `json:"matcher" toml:"matcher"`
	// Stop says how often a hook may send the agent's answer back.
	Stop Stop `json:"stop" toml:"stop"`
	// Env lists the variables that a hook gets.
	Env []Row `json:"environment,omitempty" toml:"environment"`
	// Entry lists the keys of a hook's entry: "yes", "ignored", or what the key does.
	Entry []Row `json:"entry_keys,omitempty" toml:"entry_keys"`
	// Payload lists where a payload differs from Gemini CLI's.
	Payload []Row `json:"payload,omitempty" toml:"payload"`
	// Events lists the agent's events. If several have the same point, the first counts.
	Events []Event `json:"events,omitempty" toml:"events"`
	// Tools lists the agent's tools, one row per action.
	Tools []Tool `json:"tools,omitempty" toml:"tools"`
	// Answer says how answers are read and spelled.
	Answer Schema `json:"answer" toml:"answer"`
	// Approves says whether a hook's allow lets a call run that a person would have had
	// to confirm; nil means unknown.
	Approves *Fact `json:"approves,omitempty" toml:"approves"`
	// Cannot lists, in sentences, what Read and the emulation leave out.
	Cannot []string `json:"cannot,omitempty" toml:"cannot"`
	// Play holds what is needed to play the agent; nil means that it cannot be played.
	Play *Play `json:"-" toml:"play"`
	// Drive says how to run the program; e2e/agents interprets it. nil means that the
	// agent was never run.
	Drive map[string]any `json:"-" toml:"drive"`
}

// Row is one fact with a name.
type Row struct {
	// Name is what the row is about, such as a variable or a key.
	Name string `json:"name" toml:"name"`
	// Value is what is known about it; empty if the name says all.
	Value string `json:"value,omitempty" toml:"value"`
	// Evidence says how it is known; empty means as the rest of the table.
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// Fact is a yes or no with its evidence.
type Fact struct {
	// Is says whether it is so.
	Is bool `json:"is" toml:"is"`
	// Evidence says how it is known; empty means as the rest of the table.
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// Config says where hooks are configured.
type Config struct {
	// Paths says where hooks are looked for: paths or patterns relative to the project,
	// or beginning with ~ or a variable, and places within a file such as "[hooks] of
	// config.toml". They are for people.
	Paths []string `json:"paths" toml:"paths"`
	// Shape is "nested" (Gemini's and Claude's form), "flat", "toml", "files" or
	// "plugin".
	Shape string `json:"shape" toml:"shape"`
	// Trust says, for people, when hooks of a project are trusted; empty if unknown.
	Trust string `json:"trust,omitempty" toml:"trust"`
	// Silent says that untrusted hooks are left out without a message.
	Silent bool `json:"silent,omitempty" toml:"silent"`
	// Evidence says how all this is known; empty means as the rest of the table.
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// Timeout says how long hooks may take.
type Timeout struct {
	// Unit is "ms" or "s"; empty if no timeout can be configured.
	Unit string `json:"unit" toml:"unit"`
	// MSFrom is the number from which on values are milliseconds, whatever Unit says; 0
	// if there is no such rule.
	MSFrom int `json:"ms_from,omitempty" toml:"ms_from"`
	// DefaultMS is the timeout of a hook that has none, in milliseconds; 0 means unknown.
	DefaultMS int `json:"default_ms,omitempty" toml:"default_ms"`
	// OnExpiry says what a timeout does: "allow" if the action goes on, or "unknown".
	OnExpiry string `json:"on_expiry" toml:"on_expiry"`
	// Evidence says how all this is known; empty means as the rest of the table.
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// Stop says how often a hook may make the agent go on instead of ending.
type Stop struct {
	// Retries is how often it may do so; 0 means unknown, unless Endless is set.
	Retries int `json:"retries,omitempty" toml:"retries"`
	// Endless says that there is no limit.
	Endless bool `json:"endless,omitempty" toml:"endless"`
	// Evidence says how it is known; empty means as the rest of the table.
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// Event is one event of an agent.
type Event struct {
	// Native is the agent's own name of the event.
	Native string `json:"native" toml:"native"`
	// Point is the lifecycle point; empty for an event that only this agent has.
	Point Point `json:"point,omitempty" toml:"point"`
	// Fires says whether the event fires in a run without a terminal: "yes", "no", or ""
	// if that was not reached.
	Fires string `json:"fires,omitempty" toml:"fires"`
	// Evidence says how the event is known; empty means as the rest of the table.
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// Actions lists what tools do, under names that no agent uses. It must not be changed.
var Actions = []string{"shell", "write", "edit", "read", "search", "find", "list"}

// Tool is one action and how an agent names it.
type Tool struct {
	// Action is one of [Actions].
	Action string `json:"action" toml:"action"`
	// Hook is the tool's name in payloads and matchers.
	Hook string `json:"hook" toml:"hook"`
	// Call is the tool's name for the model.
	Call string `json:"call" toml:"call"`
	// Args maps Gemini CLI's names of arguments to the agent's.
	Args map[string]string `json:"args,omitempty" toml:"args"`
	// Evidence says how the names are known; empty means as the rest of the table.
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// All returns the agents in the order of [IDs]. The agents must not be changed; the slice
// is the caller's.
func All() []*Agent {
	out := make([]*Agent, 0, len(ids()))
	for _, id := range ids() {
		out = append(out, agents()[id]())
	}
	return out
}

// Unmeasured is the error for an agent that is known to have hooks but has no table. Get
// it with errors.As as an *Unmeasured.
type Unmeasured struct {
	// Name is the agent's name.
	Name string `json:"name"`
	// Link is the address of its documentation of hooks.
	Link string `json:"link"`
}

// Error implements error.
func (u *Unmeasured) Error() string {
	return fmt.Sprintf("the hooks of %s have not been measured; its documentation is at %s", u.Name, u.Link)
}

// Find returns the agent with that id. The error is an [*Unmeasured] for an agent without
// a table; for any other id it lists the agents and suggests one.
func Find(id string) (*Agent, error) {
	if a, ok := agents()[id]; ok {
		return a(), nil
	}
	var unmeasured map[string]*Unmeasured
	decode("unmeasured.json", &unmeasured)
	if u := unmeasured[id]; u != nil {
		return nil, u
	}
	return nil, fmt.Errorf("the agents are %s: %s", strings.Join(ids(), ", "), text.None("agent", id, ids(), ""))
}

// List returns the agents of a comma-separated list such as "claude,codex". "all" means
// every agent that was run ([Observed]); an empty list returns nil. Duplicates are kept.
// Errors are those of [Find].
func List(list string) ([]*Agent, error) {
	if list == "" {
		return nil, nil
	}
	var out []*Agent
	for id := range strings.SplitSeq(list, ",") {
		id = strings.TrimSpace(id)
		if id == "all" {
			for _, a := range All() {
				if Observed()[a.ID] != nil {
					out = append(out, a)
				}
			}
			continue
		}
		a, err := Find(id)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// Folders returns the folders in which agents other than Gemini CLI look for hooks,
// relative to a project or the home directory, each with a final slash. The slice is
// the caller's. A folder may occur more than once.
func Folders() []string {
	var out []string
	for _, a := range All() {
		hooks, _ := a.Drive["hooks"].(map[string]any)
		patterns, _ := hooks["native"].([]any)
		for _, p := range patterns {
			if name, _ := p.(string); a.ID != "gemini" {
				out = append(out, path.Dir(strings.TrimPrefix(name, "home/"))+"/")
			}
		}
	}
	return out
}

// Title returns the agent's name and version, for sentences. It is the name alone if no
// version was measured.
func (a *Agent) Title() string {
	if a.Version == "" {
		return a.Name
	}
	return a.Name + " " + a.Version
}

// Event returns the first event of point p in the table; ok is false if none is known.
func (a *Agent) Event(p Point) (e Event, ok bool) {
	i := slices.IndexFunc(a.Events, func(e Event) bool { return e.Point == p })
	if i < 0 {
		return Event{}, false
	}
	return a.Events[i], true
}

// PointOf returns the point of an event by its native name; empty if the event is unknown
// or has no point.
func (a *Agent) PointOf(native string) Point {
	for _, e := range a.Events {
		if e.Native == native {
			return e.Point
		}
	}
	return ""
}

// EventAt returns the name of a point's event in Gemini CLI or, if it has none, in Claude
// Code; empty if neither has one.
func EventAt(p Point) string {
	for _, id := range []string{"gemini", "claude"} {
		if e, ok := agents()[id]().Event(p); ok && p != "" {
			return e.Native
		}
	}
	return ""
}

// EventOf returns [EventAt] of an event under the name that any agent gives it.
func EventOf(native string) string {
	for _, a := range All() {
		if p := a.PointOf(native); p != "" {
			return EventAt(p)
		}
	}
	return ""
}

// Tool returns the agent's tool for an action; ok is false if none is known.
func (a *Agent) Tool(action string) (Tool, bool) {
	i := slices.IndexFunc(a.Tools, func(t Tool) bool { return t.Action == action })
	if i < 0 {
		return Tool{}, false
	}
	return a.Tools[i], true
}

// Of returns e or, if it is empty, the evidence of the agent's table. It is for rows,
// most of which leave their evidence to the table.
func (a *Agent) Of(e Evidence) Evidence {
	if e != "" {
		return e
	}
	return a.Evidence
}

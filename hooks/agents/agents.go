// Package agents holds what agents other than this one do with hooks, as data:
// one file an agent (data/ID.toml), each row with its evidence, and for each agent a
// Read that makes of a hook's answer what that agent makes of it, its bugs included.
// A row that is not there is unknown; it never means "no".
package agents

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"minigem/internal/text"
)

// Point is a lifecycle point under a name that belongs to no agent.
type Point string

// The points whose answers Read knows.
const (
	BeforeTool   Point = "before_tool_execute"
	AfterTool    Point = "after_tool_execute"
	BeforePrompt Point = "before_prompt"
	AgentStop    Point = "agent_stop"
	SessionStart Point = "session_start"
)

// Evidence says how a row is known.
type Evidence string

const (
	Measured   Evidence = "measured"   // the agent was run, and this is what it did
	Binary     Evidence = "binary"     // read in the program that is shipped
	Documented Evidence = "documented" // its vendor's documentation says so; not run
)

// Agent is the table of one agent: its file.
type Agent struct {
	ID       string   `json:"id" toml:"-"` // the name of the file
	Name     string   `json:"name" toml:"name"`
	Version  string   `json:"version,omitempty" toml:"version"` // that the rows are about; empty: none was measured
	Evidence Evidence `json:"evidence" toml:"evidence"`         // of every row that does not say otherwise
	Note     string   `json:"note,omitempty" toml:"note"`

	Config  Config  `json:"config" toml:"config"`
	Timeout Timeout `json:"timeout" toml:"timeout"`
	Matcher Matcher `json:"matcher" toml:"matcher"`
	Stop    Stop    `json:"stop" toml:"stop"`
	Env     []Row   `json:"environment,omitempty" toml:"environment"` // variables that a hook gets
	Entry   []Row   `json:"entry_keys,omitempty" toml:"entry_keys"`   // keys of an entry: "yes", "ignored", what it does
	Payload []Row   `json:"payload,omitempty" toml:"payload"`         // where a payload differs from Gemini CLI's
	Events  []Event `json:"events,omitempty" toml:"events"`
	Tools   []Tool  `json:"tools,omitempty" toml:"tools"`
	Answer  Schema  `json:"answer" toml:"answer"`
	// Approves: a hook's allow lets a call run that somebody had to confirm.
	Approves *Fact    `json:"approves,omitempty" toml:"approves"`
	Cannot   []string `json:"cannot,omitempty" toml:"cannot"` // what Read and the emulation do not play
	// Play is what is needed to play the agent; nil: it cannot be played.
	Play *Play `json:"-" toml:"play"`
	// Drive says how the program is run; e2e/agents reads it. Nil: nobody has run it.
	Drive map[string]any `json:"-" toml:"drive"`
}

// Row is one fact with a name.
type Row struct {
	Name     string   `json:"name" toml:"name"`
	Value    string   `json:"value,omitempty" toml:"value"`
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// Fact is one yes or no.
type Fact struct {
	Is       bool     `json:"is" toml:"is"`
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// Config says where hooks are configured.
type Config struct {
	Paths    []string `json:"paths" toml:"paths"`
	Shape    string   `json:"shape" toml:"shape"` // "nested" (Gemini's and Claude's), "flat", "toml", "files", "plugin"
	Trust    string   `json:"trust,omitempty" toml:"trust"`
	Silent   bool     `json:"silent,omitempty" toml:"silent"` // untrusted hooks are left out without a word
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// Timeout says how long hooks may take.
type Timeout struct {
	Unit      string   `json:"unit" toml:"unit"`                       // "ms", "s", or "" where there is none to set
	MSFrom    int      `json:"ms_from,omitempty" toml:"ms_from"`       // numbers from here on are milliseconds
	DefaultMS int      `json:"default_ms,omitempty" toml:"default_ms"` // 0: unknown
	OnExpiry  string   `json:"on_expiry" toml:"on_expiry"`             // "allow": the action goes on
	Evidence  Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// Stop says how often a hook may make the agent go on.
type Stop struct {
	Retries  int      `json:"retries,omitempty" toml:"retries"` // 0: unknown
	Endless  bool     `json:"endless,omitempty" toml:"endless"`
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// Event is one event of an agent.
type Event struct {
	Native   string   `json:"native" toml:"native"`
	Point    Point    `json:"point,omitempty" toml:"point"` // empty: only this agent has it
	Fires    string   `json:"fires,omitempty" toml:"fires"` // without a terminal: "yes", "no", or "" (not reached)
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// Actions are what tools do, whatever they are called.
var Actions = []string{"shell", "write", "edit", "read", "search", "find", "list"}

// Tool is one action, and what it is called.
type Tool struct {
	Action   string            `json:"action" toml:"action"` // one of Actions
	Hook     string            `json:"hook" toml:"hook"`     // the name that hooks and matchers see
	Call     string            `json:"call" toml:"call"`     // the name that the model calls
	Args     map[string]string `json:"args,omitempty" toml:"args"`
	Evidence Evidence          `json:"evidence,omitempty" toml:"evidence"`
}

// All are the agents, in the order of IDs. They must not be changed.
func All() []*Agent {
	out := make([]*Agent, 0, len(ids()))
	for _, id := range ids() {
		out = append(out, agents()[id]())
	}
	return out
}

// Unmeasured is the error for an agent that has hooks and no table.
type Unmeasured struct {
	Name string `json:"name"`
	Link string `json:"link"` // of its documentation
}

// Error implements error.
func (u *Unmeasured) Error() string {
	return fmt.Sprintf("nobody has measured what %s does with hooks; its documentation is at %s", u.Name, u.Link)
}

// Find finds an agent by its id, or says which there are. Of one that nobody has
// measured the error is an Unmeasured.
func Find(id string) (*Agent, error) {
	if a, ok := agents()[id]; ok {
		return a(), nil
	}
	var unmeasured map[string]*Unmeasured
	decode("unmeasured.json", &unmeasured)
	if u := unmeasured[id]; u != nil {
		return nil, u
	}
	return nil, fmt.Errorf("the agents are %s: there is no agent %q%s", strings.Join(ids(), ", "), id,
		text.DidYouMean(text.Nearest(id, ids())))
}

// List finds the agents of a list such as claude,codex; all stands for those
// that were run, and nothing for none.
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

// Folders are those in which other agents than Gemini CLI look for hooks, in a
// project or in the home folder, each with a slash behind it.
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

// Title is the agent's name and version, for sentences.
func (a *Agent) Title() string {
	if a.Version == "" {
		return a.Name
	}
	return a.Name + " " + a.Version
}

// Event finds the event of a point that comes first in the table; ok is false
// where none is known.
func (a *Agent) Event(p Point) (e Event, ok bool) {
	i := slices.IndexFunc(a.Events, func(e Event) bool { return e.Point == p })
	if i < 0 {
		return Event{}, false
	}
	return a.Events[i], true
}

// PointOf is the point of an event by its native name; empty: none.
func (a *Agent) PointOf(native string) Point {
	for _, e := range a.Events {
		if e.Native == native {
			return e.Point
		}
	}
	return ""
}

// EventAt is the event of a point in the words of Gemini CLI or, where it has no
// such event, of Claude Code; empty: neither has one.
func EventAt(p Point) string {
	for _, id := range []string{"gemini", "claude"} {
		if e, ok := agents()[id]().Event(p); ok && p != "" {
			return e.Native
		}
	}
	return ""
}

// EventOf is EventAt for an event as some agent calls it.
func EventOf(native string) string {
	for _, a := range All() {
		if p := a.PointOf(native); p != "" {
			return EventAt(p)
		}
	}
	return ""
}

// Tool finds the tool of an action.
func (a *Agent) Tool(action string) (Tool, bool) {
	i := slices.IndexFunc(a.Tools, func(t Tool) bool { return t.Action == action })
	if i < 0 {
		return Tool{}, false
	}
	return a.Tools[i], true
}

// Of is the evidence of a row of the agent: its own, or that of the table.
func (a *Agent) Of(e Evidence) Evidence {
	if e != "" {
		return e
	}
	return a.Evidence
}

// Package dialect holds what agents other than this one do with hooks, as data:
// one table an agent, each row with its evidence, and for each agent a Read that
// makes of a hook's answer what that agent makes of it, its bugs included. A row
// that is not there is unknown; it never means "no".
package dialect

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

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

// Agent is the table of one agent.
type Agent struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Version  string   `json:"version,omitempty"` // the version the rows are about; empty: documentation of no version
	Evidence Evidence `json:"evidence"`          // of every row that does not say otherwise
	Note     string   `json:"note,omitempty"`

	Config   Config   `json:"config"`
	Timeout  Timeout  `json:"timeout"`
	Matcher  Matcher  `json:"matcher"`
	Stop     Stop     `json:"stop"`
	Env      []Row    `json:"environment,omitempty"` // variables that a hook gets
	Entry    []Row    `json:"entry_keys,omitempty"`  // keys of a hook's entry; Value is "yes", "ignored" or what it does
	Payload  []Row    `json:"payload,omitempty"`     // where a payload differs from Gemini CLI's
	Events   []Event  `json:"events,omitempty"`
	Tools    []Tool   `json:"tools,omitempty"`
	Answer   Schema   `json:"answer"`
	Approves *Fact    `json:"approves,omitempty"` // whether a hook's allow lets a call run that somebody had to confirm
	Cannot   []string `json:"cannot,omitempty"`   // what Read and the emulation do not play
}

// Row is one fact with a name.
type Row struct {
	Name     string   `json:"name"`
	Value    string   `json:"value,omitempty"`
	Evidence Evidence `json:"evidence,omitempty"`
}

// Fact is one yes or no.
type Fact struct {
	Is       bool     `json:"is"`
	Evidence Evidence `json:"evidence,omitempty"`
}

// Config says where hooks are configured.
type Config struct {
	Paths    []string `json:"paths"`
	Shape    string   `json:"shape"` // "nested" (Gemini's and Claude's), "flat", "toml", "files", "plugin"
	Trust    string   `json:"trust,omitempty"`
	Silent   bool     `json:"silent,omitempty"` // untrusted hooks are left out without a word
	Evidence Evidence `json:"evidence,omitempty"`
}

// Timeout says how long hooks may take.
type Timeout struct {
	Unit      string   `json:"unit"`                 // "ms", "s", or "" where there is none to set
	MSFrom    int      `json:"ms_from,omitempty"`    // numbers from here on are milliseconds
	DefaultMS int      `json:"default_ms,omitempty"` // 0: unknown
	OnExpiry  string   `json:"on_expiry"`            // "allow": the action goes on
	Evidence  Evidence `json:"evidence,omitempty"`
}

// Stop says how often a hook may make the agent go on.
type Stop struct {
	Retries  int      `json:"retries,omitempty"` // 0: unknown
	Endless  bool     `json:"endless,omitempty"`
	Evidence Evidence `json:"evidence,omitempty"`
}

// Event is one event of an agent.
type Event struct {
	Native   string   `json:"native"`
	Point    Point    `json:"point,omitempty"` // empty: only this agent has it
	Fires    string   `json:"fires,omitempty"` // in a run without a terminal: "yes", "no", or "" (not reached)
	Evidence Evidence `json:"evidence,omitempty"`
}

// Actions are what tools do, whatever they are called.
var Actions = []string{"shell", "write", "edit", "read", "search", "find", "list"}

// Tool is one action, and what it is called.
type Tool struct {
	Action   string            `json:"action"` // one of Actions
	Hook     string            `json:"hook"`   // the name that hooks and matchers see
	Call     string            `json:"call"`   // the name that the model calls
	Args     map[string]string `json:"args,omitempty"`
	Evidence Evidence          `json:"evidence,omitempty"`
}

//go:embed data
var files embed.FS

var order = []string{
	"gemini", "claude", "codex", "qwen", "copilot", "copilotc", "kimi", "cline", "opencode",
	"cursor", "kiro", "windsurf", "droid", "amp", "crush",
}

// IDs are the ids of all agents, those that were run first.
func IDs() []string { return slices.Clone(order) }

var agents = sync.OnceValue(func() map[string]*Agent {
	all := map[string]*Agent{}
	for _, id := range order {
		a := &Agent{}
		decode("data/agents/"+id+".json", a)
		all[id] = a
	}
	return all
})

// decode reads a file that the program brings.
func decode(name string, into any) {
	data, err := files.ReadFile(name)
	switch {
	case err != nil:
	case path.Ext(name) == ".toml":
		err = toml.Unmarshal(data, into)
	default:
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		panic(fmt.Sprintf("%s: %v", path.Base(name), err)) // unreachable: a test reads them all
	}
}

// All are the agents, in the order of IDs. They must not be changed.
func All() []*Agent {
	out := make([]*Agent, 0, len(order))
	for _, id := range order {
		out = append(out, agents()[id])
	}
	return out
}

// Find finds an agent by its id, or says which there are.
func Find(id string) (*Agent, error) {
	if a, ok := agents()[id]; ok {
		return a, nil
	}
	return nil, fmt.Errorf("the agents are %s: there is no agent %q%s", strings.Join(order, ", "), id,
		text.DidYouMean(text.Nearest(id, order)))
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

package dialect

import (
	"encoding/json"
	"sync"
)

// Play is what is known of an agent beside its table, so that it can be played:
// what hooks read, and what several hooks come to.
type Play struct {
	// Payloads are what hooks read, by the agent's events. A text that is one name
	// in braces stands for a value. The order of the names is the agent's.
	Payloads map[string]json.RawMessage `json:"payloads"`
	// Results are what tools gave, by action; "" is for all that are not there.
	Results map[string]any `json:"results,omitempty"`
	// Inputs are arguments that the agent adds by itself, by action.
	Inputs map[string]map[string]any `json:"inputs,omitempty"`
	Env    map[string]string         `json:"env,omitempty"`
	Modes  map[string]string         `json:"modes,omitempty"` // permission_mode, by minigem's approval modes
	Values map[string]any            `json:"values,omitempty"`
	// Blocked is the exit status of a run whose prompt a hook blocked.
	Blocked int `json:"blocked,omitempty"`
	// Again says when the event before the prompt fires for what is not a prompt:
	// "retry" (a hook made the agent go on), "tools" (results of tools).
	Again []string `json:"again,omitempty"`
	// StopOnce: when a hook made the agent go on, the next end fires no event.
	StopOnce bool `json:"stop_once,omitempty"`
	// StartInSystem: what hooks say at the start of a session, the model reads in
	// the system instruction.
	StartInSystem bool `json:"start_in_system,omitempty"`
	// FailedCommand: a command that ends with another status than 0 is a tool that
	// failed.
	FailedCommand bool `json:"failed_command,omitempty"`
	// Asked is what an answer that asks comes to where nobody can be asked:
	// "ends" (the run), or else the tool is refused.
	Asked string `json:"asked,omitempty"`
	// Bridge: there are no commands, and those of a case run through the plugin
	// with which they run on the agent itself, which knows exit 2 alone.
	Bridge  bool    `json:"bridge,omitempty"`
	Several Several `json:"several"`
	Odd     Odd     `json:"odd"`
}

// Several is what hooks at one event come to. A word that is empty: nobody
// measured it.
type Several struct {
	Order    string `json:"order,omitempty"`    // "together" or "in turn"
	Same     string `json:"same,omitempty"`     // the same command runs "once" or "each"
	Halts    bool   `json:"halts,omitempty"`    // in turn: what refuses at a tool keeps the rest from running
	Refusals string `json:"refusals,omitempty"` // whose reason counts: "first", "last", "ended last", "all"
	Rewrites string `json:"rewrites,omitempty"`
	Contexts string `json:"contexts,omitempty"` // whose text the model reads: "all", "all as ended"
	// ContextFirst: what else hooks tell the model stands before the reason of a
	// refusal.
	ContextFirst bool   `json:"context_first,omitempty"`
	Prompts      string `json:"prompts,omitempty"` // the same with the prompt, where it is another
	Stops        string `json:"stops,omitempty"`   // whose reason makes the agent go on
	Results      string `json:"results,omitempty"` // what takes the place of a result
	Asks         bool   `json:"asks,omitempty"`    // the reason of one that asks counts as one that refuses
	// Nested: what permissionDecision says in one answer wins over what decision
	// and exit 2 say in the others: an allow too.
	Nested bool `json:"nested,omitempty"`
}

// Odd is what an entry that is not as it should be takes with it: "file" (no hook
// of its file runs), "event" (none of its event in that file), "entry" (it alone
// does not run), or "nothing" (it counts as it stands). A kind that is not there
// was not measured.
type Odd map[string]string

var plays = sync.OnceValue(func() map[string]*Play {
	all := map[string]*Play{}
	for _, id := range order {
		name := "data/play/" + id + ".json"
		if _, err := files.Open(name); err != nil {
			continue
		}
		p := &Play{}
		decode(name, p)
		all[id] = p
	}
	return all
})

// Play is what is needed to play the agent; nil: it cannot be played.
func (a *Agent) Play() *Play { return plays()[a.ID] }

// ReadRun is [Agent.Read] of a command of a test case. It is another one for an agent
// without commands: there the plugin reads the answer that runs those of cases.
func (a *Agent) ReadRun(x Answer) Effect {
	if !a.bridged() {
		return a.Read(x)
	}
	return rulesOf("bridge").apply(a, x)
}

// ReadsRun reports whether ReadRun knows what comes of answers at p.
func (a *Agent) ReadsRun(p Point) bool {
	return a.Reads(p) || a.bridged() && (p == BeforeTool || p == BeforePrompt || p == AgentStop)
}

func (a *Agent) bridged() bool { return a.Play() != nil && a.Play().Bridge }

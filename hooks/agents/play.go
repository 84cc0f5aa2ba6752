package agents

// Play is what is known of an agent beside its table, so that it can be played:
// what hooks read, and what several hooks come to.
type Play struct {
	// Payloads are what hooks read, by the agent's events. A text that is one name
	// in braces stands for a value. The order of the names is the agent's.
	Payloads map[string]Template `toml:"payloads"`
	// Results are what tools gave, by action; "" is for all that are not there.
	Results map[string]any `toml:"results"`
	// Inputs are arguments that the agent adds by itself, by action.
	Inputs map[string]map[string]any `toml:"inputs"`
	Env    map[string]string         `toml:"env"`
	Modes  map[string]string         `toml:"modes"` // permission_mode, by minigem's approval modes
	Values map[string]any            `toml:"values"`
	// Blocked is the exit status of a run whose prompt a hook blocked.
	Blocked int `toml:"blocked"`
	// Again says when the event before the prompt fires for what is not a prompt:
	// "retry" (a hook made the agent go on), "tools" (results of tools).
	Again []string `toml:"again"`
	// StopOnce: when a hook made the agent go on, the next end fires no event.
	StopOnce bool `toml:"stop_once"`
	// StartInSystem: what hooks say at the start of a session, the model reads in
	// the system instruction.
	StartInSystem bool `toml:"start_in_system"`
	// FailedCommand: a command that ends with another status than 0 is a tool that
	// failed.
	FailedCommand bool `toml:"failed_command"`
	// Failures are "silent" where no event follows a tool that failed.
	Failures string `toml:"failures"`
	// Asked is what an answer that asks comes to where nobody can be asked:
	// "ends" (the run), or else the tool is refused.
	Asked string `toml:"asked"`
	// Run reads answers of the commands of cases, where the agent has no commands and
	// those run through the plugin with which they run on it.
	Run     *Rules  `toml:"run"`
	Several Several `toml:"several"`
	Odd     Odd     `toml:"odd"`
}

// Several is what hooks at one event come to. A word that is empty: nobody
// measured it.
type Several struct {
	Order    string `toml:"order"`    // "together" or "in turn"
	Same     string `toml:"same"`     // the same command runs "once" or "each"
	Halts    bool   `toml:"halts"`    // in turn: what refuses at a tool keeps the rest from running
	Refusals string `toml:"refusals"` // whose reason counts: "first", "last", "ended last", "all"
	Rewrites string `toml:"rewrites"`
	Contexts string `toml:"contexts"` // whose text the model reads: "all", "all as ended"
	// ContextFirst: what else hooks tell the model stands before the reason of a
	// refusal.
	ContextFirst bool   `toml:"context_first"`
	Prompts      string `toml:"prompts"` // the same with the prompt, where it is another
	Stops        string `toml:"stops"`   // whose reason makes the agent go on
	Results      string `toml:"results"` // what takes the place of a result
	Asks         bool   `toml:"asks"`    // the reason of one that asks counts as one that refuses
	// Nested: what permissionDecision says in one answer wins over what decision
	// and exit 2 say in the others: an allow too.
	Nested bool `toml:"nested"`
}

// Template is JSON, with names in braces in the place of values.
type Template string

// Odd is what an entry that is not as it should be takes with it: "file" (no hook
// of its file runs), "event" (none of its event in that file), "entry" (it alone
// does not run), or "nothing" (it counts as it stands). A kind that is not there
// was not measured.
type Odd map[string]string

// ReadRun is [Agent.Read] of a command of a test case. It is another one for an agent
// without commands: there the plugin reads the answer that runs those of cases.
func (a *Agent) ReadRun(x Answer) Effect {
	if !a.bridged() {
		return a.Read(x)
	}
	return a.Play.Run.apply(a, x)
}

// ReadsRun reports whether ReadRun knows what comes of answers at p.
func (a *Agent) ReadsRun(p Point) bool {
	return a.Reads(p) || a.bridged() && (p == BeforeTool || p == BeforePrompt || p == AgentStop)
}

func (a *Agent) bridged() bool { return a.Play != nil && a.Play.Run != nil }

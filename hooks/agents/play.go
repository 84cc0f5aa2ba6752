package agents

// Play holds what is needed to play an agent, in addition to its table: what hooks read,
// and how several hooks are combined. Its names are the keys of the table "play" in the
// agent's file.
type Play struct {
	// Payloads holds what hooks read, by the agent's names of events. A text that is a
	// name in braces is replaced by a value; see [Values]. The order of fields is the
	// agent's.
	Payloads map[string]Template `toml:"payloads"`
	// Results holds templates of tools' results, by action; "" is the one for all other
	// actions.
	Results map[string]any `toml:"results"`
	// Inputs holds arguments that the agent adds by itself, by action.
	Inputs map[string]map[string]any `toml:"inputs"`
	// Env holds the variables of hooks; values are templates.
	Env map[string]string `toml:"env"`
	// Modes maps minigem's approval modes to the agent's permission_mode.
	Modes map[string]string `toml:"modes"`
	// Values holds the names that are the agent's own; see [Values.Own].
	Values map[string]any `toml:"values"`
	// Blocked is the exit status of a run whose prompt a hook blocked.
	Blocked int `toml:"blocked"`
	// Again says for what else the event before the prompt fires: "retry" (a hook made
	// the agent go on), "tools" (results of tools).
	Again []string `toml:"again"`
	// StopOnce says that the next end fires no event after a hook made the agent go on.
	StopOnce bool `toml:"stop_once"`
	// StartInSystem says that the model reads the context of SessionStart hooks in the
	// system instruction.
	StartInSystem bool `toml:"start_in_system"`
	// FailedCommand says that a command which exits with a status other than 0 counts as
	// a tool that failed.
	FailedCommand bool `toml:"failed_command"`
	// Failures is "silent" if no event follows a tool that failed.
	Failures string `toml:"failures"`
	// Asked says what an answer that asks does if there is no user to ask: "ends" ends
	// the run; otherwise the tool is refused.
	Asked string `toml:"asked"`
	// Protects is a regular expression for paths that file tools refuse before hooks run.
	Protects string `toml:"protects"`
	// Run reads answers of commands in test cases, for an agent whose hooks are not
	// commands; there a plugin runs them. nil for all other agents.
	Run *Rules `toml:"run"`
	// Several says how several hooks are combined.
	Several Several `toml:"several"`
	// Odd says what faulty entries do.
	Odd Odd `toml:"odd"`
}

// Several describes how an agent combines the hooks of one event. Empty fields have not
// been measured.
type Several struct {
	// Order is "together" or "in turn".
	Order string `toml:"order"`
	// Same says whether equal commands run "once" or "each".
	Same string `toml:"same"`
	// Halts says that a refusal of a tool keeps the remaining hooks from running; "in
	// turn" only.
	Halts bool `toml:"halts"`
	// Refusals says whose reason counts: "first", "last", "ended last" or "all".
	Refusals string `toml:"refusals"`
	// Rewrites says whose new arguments count: "last" or "ended last".
	Rewrites string `toml:"rewrites"`
	// Contexts says whose text the model reads: "all" in configured order, or "all as
	// ended".
	Contexts string `toml:"contexts"`
	// ContextFirst says that the model reads additional context before the reason of a
	// refusal.
	ContextFirst bool `toml:"context_first"`
	// Prompts is Contexts for the event before the prompt, if it differs.
	Prompts string `toml:"prompts"`
	// Stops says whose reason makes the agent go on: "first", "last" or "all".
	Stops string `toml:"stops"`
	// Results says whose text replaces a result: "first", "last", "ended last" or "all".
	Results string `toml:"results"`
	// Asks says that the reason of a hook that asks is treated as that of a hook that
	// refuses.
	Asks bool `toml:"asks"`
	// Nested says that permissionDecision in one answer overrides decision and exit 2 in
	// the others, even an allow.
	Nested bool `toml:"nested"`
}

// Template is JSON with names in braces for values; see [Values.Fill]. A name consists
// of lower-case letters and "_".
type Template string

// Odd says, by kind of fault, how much a faulty entry disables: "file" (no hook of its
// file runs), "event" (no hook of its event in that file), "entry" (it alone does not
// run), or "nothing". A kind that is missing was not measured.
type Odd map[string]string

// ReadRun is [Agent.Read] for the command of a test case. It differs for an agent whose
// hooks are not commands: its plugin reads the answer there.
func (a *Agent) ReadRun(x Answer) Effect {
	if !a.bridged() {
		return a.Read(x)
	}
	return a.Play.Run.apply(a, x)
}

// ReadsRun reports whether ReadRun knows how answers at p are treated.
func (a *Agent) ReadsRun(p Point) bool {
	return a.Reads(p) || a.bridged() && (p == BeforeTool || p == BeforePrompt || p == AgentStop)
}

// bridged reports whether the agent's hooks run inside a plugin, as those of OpenCode
// do.
func (a *Agent) bridged() bool { return a.Play != nil && a.Play.Run != nil }

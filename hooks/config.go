package hooks

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"minigem/hooks/protocol"
)

// Layer says where a hook was configured, in the order in which layers run.
type Layer string

const (
	LayerProject        Layer = "project"
	LayerUser           Layer = "user"
	LayerSystemDefaults Layer = "system-defaults"
	LayerSystem         Layer = "system"
	LayerExtension      Layer = "extension"
)

// Config is every hook that was found, in the order of configuration, and what
// was wrong with the rest.
type Config struct {
	Off      string // why no hook runs at all, such as "hooksConfig.enabled is false"; empty: they run
	Hooks    []Hook // disabled and untrusted ones too: the report shows them
	Problems []Problem
	// MaxRetries bounds AfterAgent's retries for one prompt; 0 means 10.
	MaxRetries int
	// BlockedExitCode is the exit code of a run without a terminal that a hook
	// blocked or stopped; 0 means 0, as in Gemini CLI.
	BlockedExitCode int
	// HTTPHosts are the hosts that hooks may reach without encryption, beside this
	// machine.
	HTTPHosts []string
	// Conditions decides whether the hooks' conditions hold; nil: all do.
	Conditions Conditions
	// Speaker makes the payloads of other dialects whole; nil: they have what
	// hooks/protocol translates.
	Speaker Speaker
}

// Conditions decides whether the condition of a hook, such as Bash(git *), holds
// for a call. It is safe for concurrent use.
type Conditions interface {
	// Unmet says why a hook with the condition does not run; empty: the condition
	// holds, or cannot be decided.
	Unmet(condition string, c Call) (why string)
}

// Call is a call of a tool as conditions see it.
type Call struct {
	Tool   string
	MCP    *protocol.MCPContext // where an MCP tool comes from; nil: it is another
	Args   map[string]any       // nil: they are unknown
	Origin Origin
}

// Hook is one configured hook.
type Hook struct {
	Event       Event
	Name        string // as configured; may be empty, see ID
	Description string
	Command     string
	Matcher     string
	If          string // a condition on the call, such as Bash(git *); empty: none
	Sequential  bool
	Timeout     time.Duration // 0 means 60 s
	Env         map[string]string
	OnError     string // "allow" (also when empty) or "block"
	Dialect     string // "" for Gemini CLI's, "claude"
	Handler
	Source Source
	// Within is the skill or the agent that brings it: it runs while that is active.
	// The zero Part: always.
	Within Part

	// MayAllow: what it allows at PermissionRequest counts.
	MayAllow bool

	Disabled  string // why it does not run although configured; empty: enabled
	Untrusted string // why it may not run; empty: trusted
	Note      string // something to tell before its first run, such as "new since you last trusted this project's hooks"
}

// Part is a skill or an agent.
type Part struct {
	Kind string // "skill" or "agent"
	Name string
}

// The kinds of a Part.
const (
	SkillPart = "skill"
	AgentPart = "agent"
)

// partOf reads what String writes.
func partOf(s string) Part {
	kind, name, _ := strings.Cut(s, " ")
	return Part{kind, name}
}

// String is "skill review"; empty: it is none.
func (p Part) String() string { return strings.TrimSpace(p.Kind + " " + p.Name) }

// ID is what a hook is called in lists and when disabled: its name, or else
// what it runs.
func (h Hook) ID() string { return cmp.Or(h.Name, h.Target()) }

// Label is what people read of a hook: its name, or else what it runs, and of a
// long one the script in it, such as guard.sh.
func (h Hook) Label() string {
	const long = 60
	target := h.Target()
	if h.Name != "" || utf8.RuneCountInString(target) <= long && !strings.Contains(target, "\n") {
		return h.ID()
	}
	first, _, _ := strings.Cut(strings.TrimSpace(target), "\n")
	if r := []rune(first); len(r) > long {
		first = string(r[:long])
	}
	return cmp.Or(protocol.ScriptName(target), first+"...")
}

// Source is where a hook stands.
type Source struct {
	Layer     Layer
	File      string // absolute
	Line      int    // from 1
	Extension string // the extension's name, LayerExtension only
	InProject bool   // the extension stands inside the project, LayerExtension only
}

// OfProject reports whether the hook came with the project, and is not the
// user's or the administrator's own.
func (s Source) OfProject() bool { return s.Layer == LayerProject || s.InProject }

// Problem is a fault of a settings file that did not stop the rest of it.
type Problem struct {
	File string
	Line int // from 1; 0: the file as a whole
	Text string
	Rule string `json:"-"` // the linter's code of the fault; empty: none of its own
	Fix  Fix    `json:"-"`
}

// Fix is what the linter needs to mend a Problem.
type Fix struct {
	Edit Edit   // empty: nobody knows what was meant
	From string // the name that is wrong
	To   string // the name that was probably meant; empty: unknown
}

// Edit is a way of mending a settings file.
type Edit string

// The edits of problems.
const (
	RenameEvent    Edit = "event"
	RenameTool     Edit = "tool" // in the matcher
	LowerType      Edit = "type"
	MoveOlder      Edit = "older"   // what has an older name goes where it belongs now
	ToMilliseconds Edit = "seconds" // a timeout that was meant in seconds
	ToNumber       Edit = "number"  // a timeout that is a string
	DropMark       Edit = "mark"    // the byte order mark
)

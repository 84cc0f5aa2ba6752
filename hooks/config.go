package hooks

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"minigem/hooks/protocol"
)

// Layer says where a hook was configured. The constants are in the order in which layers
// run, except that extensions inside the project run right after the project's hooks; see
// [Source.Rank].
type Layer string

const (
	// LayerProject is the settings file in the project's own folder. Anyone who can
	// commit there can change it, so its hooks need trust.
	LayerProject Layer = "project"
	// LayerUser is the settings file in the user's home.
	LayerUser Layer = "user"
	// LayerSystemDefaults is the administrator's file of defaults.
	LayerSystemDefaults Layer = "system-defaults"
	// LayerSystem is the administrator's file, which has the highest precedence.
	LayerSystem Layer = "system"
	// LayerExtension is an extension's hooks file.
	LayerExtension Layer = "extension"
)

// Config is every hook that was found, in the order of configuration. The zero Config has
// no hooks. hooks/config makes one from settings files; the engine does not change it.
type Config struct {
	// Off says why no hook runs at all, such as "hooksConfig.enabled is false". Empty
	// means that hooks run.
	Off string
	// Hooks includes disabled and untrusted ones, which are reported but do not run.
	Hooks []Hook
	// MaxRetries bounds how often AfterAgent hooks can retry one prompt, and SubagentStop
	// hooks send a subagent on. 0 means 10. The caller counts.
	MaxRetries int
	// BlockedExitCode is the exit code of a run without a terminal that a hook blocked or
	// stopped. 0 means 0, as in Gemini CLI.
	BlockedExitCode int
	// HTTPHosts are patterns of hosts that hooks may reach without encryption, in
	// addition to this machine; see [Hook.Unencrypted].
	HTTPHosts []string
	// Conditions evaluates [Hook.If]. If it is nil, every condition holds.
	Conditions Conditions
	// Speaker completes the payloads of other dialects. If it is nil, they have only what
	// hooks/protocol translates.
	Speaker Speaker
}

// Conditions decides whether the condition of a hook, such as Bash(git *), holds for a
// call. It must be safe for concurrent use. hooks/condition implements it.
type Conditions interface {
	// Unmet says why a hook with the condition does not run. Empty means that the
	// condition holds or cannot be decided.
	Unmet(condition string, c Call) (why string)
}

// Call is a tool call as conditions see it.
type Call struct {
	// Tool is our name of the tool, such as "run_shell_command".
	Tool string
	// MCP says where an MCP tool comes from; nil for any other tool.
	MCP *protocol.MCPContext
	// Args are the arguments; nil means that they are unknown.
	Args map[string]any
	// Origin is the session, for paths that are relative or begin with ~.
	Origin Origin
}

// Hook is one configured hook. It is a value: copies share their maps and slices, which
// must not be changed.
type Hook struct {
	// Event is the event at which the hook runs.
	Event protocol.Event
	// Name is the name as configured; may be empty. Use [Hook.ID] to refer to a hook.
	Name string
	// Description is for people; may be empty.
	Description string
	// Command is a shell command or, if Args is not nil, a program. If it is empty and
	// the kind is "command", the hook is the Go function called Name; see [Functions].
	Command string
	// Matcher selects tools, agents or triggers; empty and "*" match all. For tools and
	// agents it is a regular expression in JavaScript's syntax, found anywhere in the
	// name (a list of whole names in Claude Code's dialect). For triggers it is a list
	// separated by "|", compared without regard to case.
	Matcher string
	// If is a condition on a tool call, such as Bash(git *); empty means none.
	If string
	// Sequential makes all hooks of the event run one after the other.
	Sequential bool
	// Timeout bounds a run; 0 or less means the default; see [Hook.Limit].
	Timeout time.Duration
	// Env holds variables for the hook, in addition to the session's.
	Env map[string]string
	// OnError says what a failed run does at an event that can be blocked: "block"
	// denies, "allow" or empty lets the action go on.
	OnError string
	// Dialect is the form of payloads and answers: "" or "gemini" for Gemini CLI's,
	// "claude" for Claude Code's.
	Dialect string
	Handler
	// Source says where the hook was configured.
	Source Source
	// Within is the skill or agent whose front matter has the hook. The hook runs only
	// while that is active. The zero Part means always.
	Within Part

	// MayAllow says that the hook's allow at PermissionRequest counts.
	MayAllow bool

	// Disabled says why the hook does not run although it is configured; empty means
	// enabled.
	Disabled string
	// Untrusted says why the hook may not run; empty means trusted. It comes before
	// Disabled.
	Untrusted string
	// Note is shown to the user once, when the hook first runs, such as "new since you
	// last trusted this project's hooks"; may be empty.
	Note string
}

// Part names a skill or an agent. The zero Part names none.
type Part struct {
	// Skill is the name of a skill, whose hooks run after [Engine.Activate]; else empty.
	Skill string
	// Agent is the name of a subagent, whose hooks run in events with its [Subagent];
	// else empty.
	Agent string
}

// partOf reads what String writes.
func partOf(s string) Part {
	switch kind, name, _ := strings.Cut(s, " "); kind {
	case "skill":
		return Part{Skill: name}
	case "agent":
		return Part{Agent: name}
	}
	return Part{}
}

// String returns, for example, "skill review", and "" for the zero Part.
func (p Part) String() string {
	switch {
	case p.Skill != "":
		return "skill " + p.Skill
	case p.Agent != "":
		return "agent " + p.Agent
	}
	return ""
}

// Limit returns how long a run may take: Timeout, or a minute if there is none.
func (h Hook) Limit() time.Duration {
	if h.Timeout > 0 {
		return h.Timeout
	}
	return time.Minute
}

// ID returns what a hook is called in lists and in hooksConfig.disabled: its Name or,
// without one, its [Hook.Target]. IDs need not be unique.
func (h Hook) ID() string { return cmp.Or(h.Name, h.Target()) }

// Label returns a short name for people: the ID or, if the hook has no name and its
// target is longer than 60 characters or has several lines, the name of the script in it,
// such as guard.sh.
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

// Source says where a hook is configured.
type Source struct {
	// Layer is the kind of file.
	Layer Layer
	// File is the absolute path of the settings file; may be empty for a hook of the
	// program itself.
	File string
	// Line is the line of the hook's entry, from 1; 0 means unknown.
	Line int
	// Extension is the extension's name. LayerExtension only.
	Extension string
	// InProject reports whether the extension is inside the project's folder, so that it
	// is trusted no more than the project. LayerExtension only.
	InProject bool
}

// OfProject reports whether the hook came with the project, rather than from the user,
// the administrator or an extension of the user's.
func (s Source) OfProject() bool { return s.Layer == LayerProject || s.InProject }

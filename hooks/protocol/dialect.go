package protocol

import "slices"

// Dialect is how the hooks of one agent are addressed, as data: field names, exit codes,
// tool names. [Gemini], [Claude] and [DialectOf] return the known ones. A Dialect must
// not be changed. Its methods are safe for concurrent use.
type Dialect struct {
	// Name is the value of "dialect" in settings, such as "claude".
	Name string
	// Blocks lists the exit codes that block. 0 is success; any other code is a warning.
	Blocks []int

	// TextIsContext lists the events at which plain text on stdout is context for the
	// model. At other events it is a message for the user.
	TextIsContext []Event
	// ExactMatchers says that a matcher of only letters, digits, "_", "-", commas, spaces
	// and "|" is a list of whole names and not a regular expression; see
	// [Dialect.WholeNames].
	ExactMatchers bool

	// Events maps our names of events to this dialect's. A name that is missing here or
	// in Tools is the same in both.
	Events map[Event]string
	// Tools maps our names of tools to this dialect's.
	Tools map[string]string
	// Triggers maps our triggers of lifecycle events to this dialect's. A missing one is
	// the same in both.
	Triggers map[string]string
	// lacks holds the triggers with which this dialect's agent never fires an event.
	lacks map[Event][]string
	// Args maps, for each of our tools, our names of arguments to this dialect's. A
	// missing one is the same in both.
	Args map[string]map[string]string
	// Defers says that the dialect has the decision "defer", which is read as ask.
	Defers bool
	// FailuresApart says that AfterTool is only for tools that did not fail. Failed ones
	// go to PostToolUseFailure alone.
	FailuresApart bool
	// DoubleUnderscore says that MCP tools are called mcp__server__tool.
	DoubleUnderscore bool

	top, specific []field
	foreign       map[string]string // well-known fields of other dialects, and what to say
	extra         func(event Event, payload map[string]any)
}

// field is one field of an answer, and how it is read.
type field struct {
	name   string
	events []Event // the events at which it has an effect; nil means all
	read   func(r *reader, path string, v any)
}

// Gemini returns the dialect of Gemini CLI 0.61.
func Gemini() *Dialect { return gemini }

// Claude returns the dialect of Claude Code, in which scripts written for it run
// unchanged.
func Claude() *Dialect { return claude }

// DialectOf returns the dialect with that name in settings. "" and unknown names mean
// Gemini's.
func DialectOf(name string) *Dialect {
	if name == claude.Name {
		return claude
	}
	return gemini
}

// gemini has our names itself, and reads older spellings at the top level too.
var gemini = &Dialect{
	Name:   "gemini",
	Blocks: []int{2},
	lacks:  map[Event][]string{SessionStart: {"compact"}, Notification: {Idle}},
	top: append(slices.Clip(common),
		field{"modifiedRequest", []Event{BeforeModel}, (*reader).llmRequest},
		field{"syntheticResponse", []Event{BeforeModel}, (*reader).llmResponse},
		field{"modifiedResponse", []Event{AfterModel}, (*reader).llmResponse},
		field{"content", []Event{AfterModel}, (*reader).content},
		field{"toolConfig", []Event{BeforeToolSelection}, (*reader).toolConfig},
		field{"clearContext", []Event{AfterAgent}, (*reader).clearContext},
	),
	specific: []field{
		{"hookEventName", nil, (*reader).eventName},
		{"additionalContext", contextEvents, (*reader).context},
		{"updatedOutput", []Event{AfterTool}, (*reader).updatedOutput},
		{"tool_input", []Event{BeforeTool, PermissionRequest}, (*reader).toolInput},
		{"llm_request", []Event{BeforeModel}, (*reader).llmRequest},
		{"llm_response", []Event{BeforeModel, AfterModel}, (*reader).llmResponse},
		{"toolConfig", []Event{BeforeToolSelection}, (*reader).toolConfig},
		{"clearContext", []Event{AfterAgent}, (*reader).clearContext},
		{"tailToolCallRequest", []Event{AfterTool}, (*reader).tailToolCall},
	},
	foreign: map[string]string{
		"permissionDecision":       `it is Claude Code's; say "decision" and "reason" at the top level`,
		"permissionDecisionReason": `it is Claude Code's; say "reason" at the top level`,
		"updatedInput":             `it is Claude Code's; say "tool_input" in hookSpecificOutput`,
		"updatedToolOutput":        `it is Claude Code's; say "updatedOutput" in hookSpecificOutput`,
		"updated_input":            `it is Crush's; say "tool_input" in hookSpecificOutput`,
		"cancel":                   `it is Cline's; say "decision" and "reason"`,
		"errorMessage":             `it is Cline's; say "reason"`,
	},
}

// Lacks reports whether the agent of this dialect never fires ev with trigger. A hook
// written for it expects that trigger only if its matcher names it.
func (d *Dialect) Lacks(ev Event, trigger string) bool { return slices.Contains(d.lacks[ev], trigger) }

// contextEvents are the events at which additionalContext reaches the model. Gemini CLI
// has it at three of them (core/hooks/types.ts).
var contextEvents = []Event{SessionStart, BeforeAgent, PreCompress, BeforeTool, AfterTool, PostToolUseFailure,
	SubagentStart, SubagentStop, AfterAgent}

// common are the top-level fields that both dialects share.
var common = []field{
	{"continue", nil, (*reader).proceed},
	{"stopReason", nil, (*reader).stopReason},
	{"suppressOutput", nil, (*reader).suppress},
	{"systemMessage", nil, (*reader).systemMessage},
	{"decision", nil, (*reader).decision},
	{"reason", nil, (*reader).reason},
}

// ClassNames maps tools to the names of their classes in early versions of Gemini CLI,
// which old documents use in matchers. Matchers that list such a name between "|" match.
// It must not be changed.
var ClassNames = map[string]string{
	"replace": "EditTool", "write_file": "WriteFileTool", "read_file": "ReadFileTool",
	"run_shell_command": "ShellTool", "grep_search": "GrepTool", "glob": "GlobTool",
	"list_directory": "LSTool", "web_fetch": "WebFetchTool", "google_web_search": "WebSearchTool",
	"save_memory": "MemoryTool", "read_many_files": "ReadManyFilesTool",
}

// LegacyNames maps tools to older names under which matchers still find them. It must not
// be changed.
var LegacyNames = map[string]string{
	"grep_search":  "search_file_content",
	"invoke_agent": "delegate_to_agent",
}

// Field is one field of an answer, for schemas and manuals; see [Dialect.Fields].
type Field struct {
	// Name is the field's name on the wire.
	Name string
	// Nested says that the field belongs in hookSpecificOutput.
	Nested bool
	// Older marks an older spelling at the top level. The canonical field is in
	// hookSpecificOutput.
	Older bool
	// Events lists the events at which the field has an effect.
	Events []Event
}

// Fields returns the fields that d understands, in the order in which they are
// documented: first those at the top level, then those of hookSpecificOutput. The slice
// is the caller's; the lists of events in it are shared.
func (d *Dialect) Fields() []Field {
	var out []Field
	for i, f := range d.top {
		out = append(out, Field{Name: f.name, Older: i >= len(common), Events: effective(f)})
	}
	for _, f := range d.specific {
		out = append(out, Field{Name: f.name, Nested: true, Events: effective(f)})
	}
	return out
}

// effective returns the events at which f has an effect. Fields without a list work
// everywhere, except that only some events can be blocked.
func effective(f field) []Event {
	if f.events != nil {
		return f.events
	}
	var out []Event
	for _, e := range Events {
		if e.CanBlock() || !slices.Contains([]string{"continue", "stopReason", "decision", "reason"}, f.name) {
			out = append(out, e)
		}
	}
	return out
}

package protocol

import "slices"

// Dialect is how one agent's hooks are spoken to, as data: field names, exit
// codes, tool names. It must not be changed after it was made.
type Dialect struct {
	Name   string
	Blocks []int // exit codes that block; 0 is success, others are warnings

	// TextIsContext lists the events in which plain stdout is context for the
	// model, not a message for the user.
	TextIsContext []Event
	// ExactMatchers: a matcher of names, commas, spaces and "|" only is a list
	// of whole names, not a regular expression.
	ExactMatchers bool

	// Events and Tools hold this dialect's name for ours; what is absent is
	// called the same.
	Events map[Event]string
	Tools  map[string]string
	// Triggers holds this dialect's name for a trigger of a lifecycle event, where
	// it is another.
	Triggers map[string]string
	// lacks are the triggers with which this dialect's agent never fires an event.
	lacks map[Event][]string
	// Args holds, for each of our tools, this dialect's name for an argument.
	Args map[string]map[string]string
	// Defers: the decision "defer" is known and asks.
	Defers bool
	// FailuresApart: AfterTool is for tools that did not fail, PostToolUseFailure for
	// the others.
	FailuresApart bool
	// DoubleUnderscore: MCP tools are called mcp__server__tool.
	DoubleUnderscore bool

	top, specific []field
	foreign       map[string]string // well-known fields of other dialects, and what to say
	extra         func(event Event, payload map[string]any)
}

// field is one field of an answer.
type field struct {
	name   string
	events []Event // where it has an effect; nil: everywhere
	read   func(r *reader, path string, v any)
}

// Gemini is the dialect of Gemini CLI 0.61.
func Gemini() *Dialect { return gemini }

// Claude is the dialect of Claude Code, so that scripts written for it run
// unchanged.
func Claude() *Dialect { return claude }

// DialectOf finds a dialect by its name in settings; "" and unknown names are
// Gemini's.
func DialectOf(name string) *Dialect {
	if name == claude.Name {
		return claude
	}
	return gemini
}

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
	},
}

// Lacks reports whether the agent of this dialect never fires ev with trigger, so
// that a hook for it expects that only where its matcher says so.
func (d *Dialect) Lacks(ev Event, trigger string) bool { return slices.Contains(d.lacks[ev], trigger) }

// contextEvents are the events in which additionalContext reaches the model. Gemini CLI
// knows it in three of them (core/hooks/types.ts).
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

// ClassNames are the names that tools had inside early versions of Gemini CLI
// and that old documents use in matchers, by the tool's name.
var ClassNames = map[string]string{
	"replace": "EditTool", "write_file": "WriteFileTool", "read_file": "ReadFileTool",
	"run_shell_command": "ShellTool", "grep_search": "GrepTool", "glob": "GlobTool",
	"list_directory": "LSTool", "web_fetch": "WebFetchTool", "google_web_search": "WebSearchTool",
	"save_memory": "MemoryTool", "read_many_files": "ReadManyFilesTool",
}

// LegacyNames are older names under which matchers still find a tool.
var LegacyNames = map[string]string{
	"grep_search":  "search_file_content",
	"invoke_agent": "delegate_to_agent",
}

// Field is one field of an answer, for schemas and manuals.
type Field struct {
	Name   string // as on the wire
	Nested bool   // it stands in hookSpecificOutput
	Older  bool   // an older spelling; the canonical one stands in hookSpecificOutput
	Events []Event
}

// Fields lists the fields that d understands, in the order in which they are
// documented, with the events in which each has an effect.
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

// Package protocol is the JSON that hooks read on stdin and write on stdout, and what
// their exits mean; nothing else.
//
// A hook written in Go takes the input type of its event and returns an [Output]:
//
//	func guard(in protocol.BeforeToolInput) protocol.Output {
//		if in.ToolInput["file_path"] == ".env" {
//			return protocol.DenyBecause("secrets stay as they are")
//		}
//		return protocol.Output{}
//	}
//
//	func main() { os.Exit(protocol.Run(os.Stdin, os.Stdout, os.Stderr, guard)) }
//
// The engine works in the other direction: it encodes the Input types, and turns a
// finished run into a [Reading] with [Dialect.Parse]. Field names and rules are those of
// Gemini CLI 0.61 (core/hooks/types.ts), except where docs/spec/contract.md says
// otherwise.
//
// Which hooks run, and what the caller does with an answer, is left to package hooks. A
// main function for hooks of every agent is Serve in hooks/portable. Of this module the
// package imports only internal/text, so that a hook in Go links little.
package protocol

import (
	"reflect"
	"slices"
)

// Event is the wire name of a lifecycle point. An unknown name is a valid Event for which
// all methods return zero values.
type Event string

// The events, in the order in which a session meets them. Each comment says when the
// event fires; the methods of [Event] say what its hooks can do.
const (
	// SessionStart fires when a session begins, is resumed, cleared or compressed.
	SessionStart Event = "SessionStart"
	// BeforeAgent fires for each submitted prompt, before anything else.
	BeforeAgent Event = "BeforeAgent"
	// PreCompress fires when the history is about to be compressed.
	PreCompress Event = "PreCompress"
	// PostCompact fires after the history was compressed. Not in Gemini CLI 0.61.
	PostCompact Event = "PostCompact"
	// BeforeModel fires before each request to the model.
	BeforeModel Event = "BeforeModel"
	// BeforeToolSelection fires after BeforeModel; its hooks choose tools.
	BeforeToolSelection Event = "BeforeToolSelection"
	// AfterModel fires for each streamed chunk of the answer.
	AfterModel Event = "AfterModel"
	// BeforeTool fires when a call was found and validated, before policy and permission.
	BeforeTool Event = "BeforeTool"
	// PermissionRequest fires when the user is about to be asked about a call, or would
	// be if there were a user. Not in Gemini CLI 0.61.
	PermissionRequest Event = "PermissionRequest"
	// Notification fires when a permission prompt is shown, or when the user has sent
	// nothing for a while.
	Notification Event = "Notification"
	// SubagentStart fires before a subagent begins. Not in Gemini CLI 0.61.
	SubagentStart Event = "SubagentStart"
	// SubagentStop fires when a subagent's work ended. Not in Gemini CLI 0.61.
	SubagentStop Event = "SubagentStop"
	// AfterTool fires when a tool has run, successfully or not.
	AfterTool Event = "AfterTool"
	// PostToolUseFailure fires after AfterTool if the tool failed. Not in Gemini CLI
	// 0.61.
	PostToolUseFailure Event = "PostToolUseFailure"
	// AfterAgent fires when the model gave its final answer.
	AfterAgent Event = "AfterAgent"
	// StopFailure fires when a turn ended without an answer. Not in Gemini CLI 0.61.
	StopFailure Event = "StopFailure"
	// SessionEnd fires once when a session ends.
	SessionEnd Event = "SessionEnd"
)

// Idle is the notification_type of the [Notification] that the user has sent nothing for
// a while. Gemini CLI 0.61 does not send it.
const Idle = "Idle"

// Failures are the values of [StopFailureInput.Error]: why a turn ended without an
// answer. The first eight are errors of the model, in Claude Code's words, which has more
// of them; the last four are minigem's own. The slice must not be changed.
var Failures = []string{
	"authentication_failed", "rate_limit", "overloaded", "invalid_request", "model_not_found", "server_error",
	"max_output_tokens", "unknown",
	"max_turns", "max_rounds", "loop", "cancelled",
}

// traits holds what the code knows about an event. A new event begins with a row in
// table.
type traits struct {
	event    Event
	input    reflect.Type
	blocks   bool     // hooks can deny and stop
	asks     bool     // hooks can ask for the permission prompt
	tool     bool     // matchers see a tool's name
	agent    bool     // it is about a subagent, and matchers see its name
	triggers []string // what matchers see of a lifecycle event
	mode     bool     // hooks read permission_mode and agent_type
	main     bool     // it is about the main agent alone, never about a subagent
	added    bool     // Gemini CLI 0.61 does not have it
}

// table has a row for each event; everything that depends on the event goes by it.
var table = []traits{
	{event: SessionStart, input: reflect.TypeFor[SessionStartInput](), main: true,
		triggers: []string{"startup", "resume", "clear", "compact"}},
	{event: BeforeAgent, input: reflect.TypeFor[BeforeAgentInput](), main: true, blocks: true, mode: true},
	{event: PreCompress, input: reflect.TypeFor[PreCompressInput](), triggers: []string{"manual", "auto"}},
	{event: PostCompact, input: reflect.TypeFor[PostCompactInput](), triggers: []string{"manual", "auto"}, added: true},
	{event: BeforeModel, input: reflect.TypeFor[BeforeModelInput](), blocks: true, mode: true},
	{event: BeforeToolSelection, input: reflect.TypeFor[BeforeToolSelectionInput](), mode: true},
	{event: AfterModel, input: reflect.TypeFor[AfterModelInput](), blocks: true, mode: true},
	{event: BeforeTool, input: reflect.TypeFor[BeforeToolInput](), blocks: true, asks: true, tool: true, mode: true},
	{event: PermissionRequest, input: reflect.TypeFor[PermissionRequestInput](), blocks: true, tool: true, mode: true,
		added: true},
	{event: Notification, input: reflect.TypeFor[NotificationInput](), triggers: []string{"ToolPermission", Idle}},
	{event: SubagentStart, input: reflect.TypeFor[SubagentStartInput](), blocks: true, agent: true, mode: true,
		added: true},
	{event: SubagentStop, input: reflect.TypeFor[SubagentStopInput](), blocks: true, agent: true, mode: true, added: true},
	{event: AfterTool, input: reflect.TypeFor[AfterToolInput](), blocks: true, tool: true, mode: true},
	{event: PostToolUseFailure, input: reflect.TypeFor[PostToolUseFailureInput](), blocks: true, tool: true, mode: true,
		added: true},
	{event: AfterAgent, input: reflect.TypeFor[AfterAgentInput](), main: true, blocks: true, mode: true},
	{event: StopFailure, input: reflect.TypeFor[StopFailureInput](), main: true, triggers: Failures, mode: true,
		added: true},
	{event: SessionEnd, input: reflect.TypeFor[SessionEndInput](), main: true,
		triggers: []string{"exit", "clear", "logout", "prompt_input_exit", "other"}},
}

// Events lists all events, in the order of the constants. It must not be changed.
var Events = func() []Event {
	events := make([]Event, len(table))
	for i, t := range table {
		events[i] = t.event
	}
	return events
}()

// traits returns the row of e; zero if e is unknown.
func (e Event) traits() traits {
	if i := slices.IndexFunc(table, func(t traits) bool { return t.event == e }); i >= 0 {
		return table[i]
	}
	return traits{}
}

// InputType returns the type that hooks of e read, such as [BeforeToolInput]; nil if e is
// unknown.
func (e Event) InputType() reflect.Type { return e.traits().input }

// CanBlock reports whether hooks of e can deny or stop. At other events a denial or a
// stop has no effect and is warned about, and so is exit 2.
func (e Event) CanBlock() bool { return e.traits().blocks }

// CanAsk reports whether hooks of e can ask for the permission prompt. Only BeforeTool's
// can.
func (e Event) CanAsk() bool { return e.traits().asks }

// IsTool reports whether e is about a tool call, so that its matchers see the tool's
// name.
func (e Event) IsTool() bool { return e.traits().tool }

// IsAgent reports whether e is about a subagent as a whole, so that its matchers see the
// subagent's name.
func (e Event) IsAgent() bool { return e.traits().agent }

// HasMode reports whether hooks of e read permission_mode, and agent_type also for the
// main agent.
func (e Event) HasMode() bool { return e.traits().mode }

// IsMain reports whether e is only ever about the main agent, never about a subagent.
func (e Event) IsMain() bool { return e.traits().main }

// IsAdded reports whether e is minigem's own: Gemini CLI 0.61 ignores hooks of e.
func (e Event) IsAdded() bool { return e.traits().added }

// HasSubject reports whether matchers of e have something to see: the name of a tool or
// of an agent, or a trigger. At other events a matcher has no effect.
func (e Event) HasSubject() bool { return e.IsTool() || e.IsAgent() || e.Triggers() != nil }

// Triggers returns the values that matchers of a lifecycle event can meet, such as
// "startup"; nil for other events. The slice must not be changed.
func (e Event) Triggers() []string { return e.traits().triggers }

// Variables returns the names of the variables that every hook finds in its
// environment, and CLAUDE_PLUGIN_ROOT, the folder of a plugin for Claude Code. Gemini
// CLI substitutes them in the command, each as one word (core/hooks/hookRunner.ts). The
// slice is the caller's.
func Variables() []string {
	return []string{"GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PLANS_DIR", "GEMINI_SESSION_ID", "CLAUDE_PROJECT_DIR",
		"CLAUDE_PLUGIN_ROOT"}
}

// Package protocol is the JSON that hooks read on stdin and write on stdout,
// and what their exits mean; nothing else. Of this module it imports internal/text
// alone, so that a hook written in Go can import little; hooks/portable has a main
// function for such hooks, Serve.
//
// The engine uses the other direction: it encodes the Input types and turns a
// finished run into a Reading with Dialect.Parse.
package protocol

import (
	"reflect"
	"slices"
)

// Event is the wire name of a lifecycle point.
type Event string

// The events, in the order in which a session meets them.
const (
	SessionStart        Event = "SessionStart"
	BeforeAgent         Event = "BeforeAgent"
	PreCompress         Event = "PreCompress"
	PostCompact         Event = "PostCompact"
	BeforeModel         Event = "BeforeModel"
	BeforeToolSelection Event = "BeforeToolSelection"
	AfterModel          Event = "AfterModel"
	BeforeTool          Event = "BeforeTool"
	PermissionRequest   Event = "PermissionRequest"
	Notification        Event = "Notification"
	SubagentStart       Event = "SubagentStart"
	SubagentStop        Event = "SubagentStop"
	AfterTool           Event = "AfterTool"
	PostToolUseFailure  Event = "PostToolUseFailure"
	AfterAgent          Event = "AfterAgent"
	StopFailure         Event = "StopFailure"
	SessionEnd          Event = "SessionEnd"
)

// Idle is the notification that the user has sent nothing for a while.
const Idle = "Idle"

// Failures are why a turn ends without an answer: first what goes wrong with the
// model, in Claude Code's words, which also has more of them.
var Failures = []string{
	"authentication_failed", "rate_limit", "overloaded", "invalid_request", "model_not_found", "server_error",
	"max_output_tokens", "unknown",
	"max_turns", "max_rounds", "loop", "cancelled",
}

// traits are what the code knows of an event. A new one begins here.
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

// Events lists them all. It must not be changed.
var Events = func() []Event {
	events := make([]Event, len(table))
	for i, t := range table {
		events[i] = t.event
	}
	return events
}()

// traits are the zero ones where nothing is known of e.
func (e Event) traits() traits {
	if i := slices.IndexFunc(table, func(t traits) bool { return t.event == e }); i >= 0 {
		return table[i]
	}
	return traits{}
}

// InputType is the type of what hooks of e read; nil: there is no such event.
func (e Event) InputType() reflect.Type { return e.traits().input }

// CanBlock reports whether hooks of e can deny or stop. In the other events a
// denial, and exit 2, is a warning.
func (e Event) CanBlock() bool { return e.traits().blocks }

// CanAsk reports whether hooks of e can ask for the permission prompt.
func (e Event) CanAsk() bool { return e.traits().asks }

// IsTool reports whether matchers of e see a tool's name.
func (e Event) IsTool() bool { return e.traits().tool }

// IsAgent reports whether e is about a subagent as a whole: matchers see its name.
func (e Event) IsAgent() bool { return e.traits().agent }

// HasMode reports whether hooks of e read permission_mode and agent_type.
func (e Event) HasMode() bool { return e.traits().mode }

// IsMain reports whether e is about the main agent alone, never about a subagent.
func (e Event) IsMain() bool { return e.traits().main }

// IsAdded reports whether Gemini CLI 0.61 does not have e: it ignores its hooks.
func (e Event) IsAdded() bool { return e.traits().added }

// HasSubject reports whether there is something that matchers of e can see: the
// name of a tool or of an agent, or the trigger of a lifecycle event. The matcher
// of another event has no effect.
func (e Event) HasSubject() bool { return e.IsTool() || e.IsAgent() || e.Triggers() != nil }

// Triggers are the values that matchers of a lifecycle event can meet; nil for
// the others. They must not be changed.
func (e Event) Triggers() []string { return e.traits().triggers }

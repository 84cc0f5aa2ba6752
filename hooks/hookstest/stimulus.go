package hookstest

import (
	"cmp"
	"context"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// Origin is the session of every case.
var Origin = hooks.Origin{SessionID: "s1", TranscriptPath: "/t/session.jsonl", Cwd: "/", ProjectDir: "/",
	PlansDir: "/plans"}

// Stimulus is one event to fire. The zero value of every field but Event means the sample
// data that all tests share.
type Stimulus struct {
	// Event is the event to fire.
	Event protocol.Event
	// Use is the call of the tool events; nil means write_file of a.txt.
	Use *hooks.ToolUse
	// Trigger is what matchers of a lifecycle or subagent event see; "" means the event's
	// usual one.
	Trigger string
	// Request is the request of the model events; nil means [Request].
	Request *hooks.ModelRequest
	// Chunk is the chunk of AfterModel; nil means [Chunk].
	Chunk *llm.Chunk
}

// Fire fires the event at e and returns its outcome, such as a [hooks.BeforeToolOutcome],
// or nil if the event has none. An unknown event is fired as BeforeTool.
func (s Stimulus) Fire(e *hooks.Engine) any {
	ctx := context.Background()
	switch s.Event {
	case protocol.SessionStart:
		return e.SessionStart(ctx, cmp.Or(s.Trigger, "startup"))
	case protocol.SessionEnd:
		e.SessionEnd(ctx, cmp.Or(s.Trigger, "exit"))
	case protocol.PreCompress:
		return e.PreCompress(ctx, cmp.Or(s.Trigger, "auto"))
	case protocol.PostCompact:
		e.PostCompact(ctx, cmp.Or(s.Trigger, "auto"), "in short")
	case protocol.StopFailure:
		e.StopFailure(ctx, hooks.Failure{Prompt: "hello", Error: cmp.Or(s.Trigger, "unknown"), Details: "it broke",
			Said: "so far"})
	case protocol.Notification:
		e.Notification(ctx, cmp.Or(s.Trigger, "ToolPermission"), "Tool Confirm Write: a.txt requires editing",
			map[string]any{"type": "edit"})
	case protocol.BeforeAgent:
		return e.BeforeAgent(ctx, "hello")
	case protocol.AfterAgent:
		return e.AfterAgent(ctx, "hello", "the answer", false)
	case protocol.SubagentStart, protocol.SubagentStop:
		ctx = hooks.Subagent{ID: "a1", Type: cmp.Or(s.Trigger, "reviewer")}.In(ctx)
		if s.Event == protocol.SubagentStart {
			return e.SubagentStart(ctx, "look at it")
		}
		return e.SubagentStop(ctx, hooks.SubagentEnd{Prompt: "look at it", Response: "the answer", Ending: "GOAL"})
	case protocol.BeforeModel, protocol.BeforeToolSelection, protocol.AfterModel:
		return s.fireModel(ctx, e)
	default:
		return s.fireTool(ctx, e)
	}
	return nil
}

// fireTool fires a tool event. A tool that fails does so with the message "no".
func (s Stimulus) fireTool(ctx context.Context, e *hooks.Engine) any {
	use := hooks.ToolUse{
		Call: llm.ToolCall{ID: "write_file__1", Name: "write_file",
			Args: map[string]any{"file_path": "a.txt", "content": "x"}},
	}
	if s.Use != nil {
		use = *s.Use
	}
	switch s.Event {
	case protocol.AfterTool:
		return e.AfterTool(ctx, use, protocol.ToolResponse{LLMContent: "written", ReturnDisplay: "written"})
	case protocol.PostToolUseFailure:
		return e.PostToolUseFailure(ctx, use, protocol.ToolResponse{
			LLMContent: "no", ReturnDisplay: "no", Error: &protocol.ToolError{Message: "no", Type: "unknown"},
		})
	case protocol.PermissionRequest:
		return e.PermissionRequest(ctx, use)
	}
	return e.BeforeTool(ctx, use)
}

// fireModel fires a model event.
func (s Stimulus) fireModel(ctx context.Context, e *hooks.Engine) any {
	req, chunk := s.Request, Chunk()
	if req == nil {
		req = hooks.NewModelRequest(Request())
	}
	if s.Chunk != nil {
		chunk = *s.Chunk
	}
	switch s.Event {
	case protocol.BeforeModel:
		return e.BeforeModel(ctx, req)
	case protocol.BeforeToolSelection:
		return e.BeforeToolSelection(ctx, req)
	}
	return e.AfterModel(ctx, req, chunk)
}

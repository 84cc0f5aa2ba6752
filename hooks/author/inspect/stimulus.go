package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"minigem/hooks"
	"minigem/hooks/elsewhere"
	"minigem/hooks/protocol"
	"minigem/internal/text"
	"minigem/llm"
)

// Payload returns the complete payload that hooks of an event read, in the engine's
// form, for a sample that [Sample] made or [Set] changed. session fills the session's
// fields. No hook is run. The error is as in [Fire].
func Payload(ctx context.Context, session hooks.Origin, sample []byte) ([]byte, error) {
	e := &hooks.Engine{Origin: session}
	r, err := Fire(ctx, e, sample)
	return r.Input.Bytes(), err
}

// Fire fires the event of payload at e's hooks and returns the report. It waits until
// hooks that were left running have ended, or ctx has. session_id, transcript_path and
// cwd of the payload, if not empty, replace those of e's Origin; the timestamp is the
// engine's. Fire sets e.Report and e.ReportIdle, so an engine can be used only once at a
// time. The error is for a payload that is not valid for any event, with a suggestion for
// a misspelled field.
func Fire(ctx context.Context, e *hooks.Engine, payload []byte) (hooks.Report, error) {
	var base protocol.Base
	if err := json.Unmarshal(payload, &base); err != nil {
		return hooks.Report{}, fmt.Errorf("reading the payload: %w", err)
	}
	s, ok := stimuli[base.HookEventName]
	if !ok {
		return hooks.Report{}, fmt.Errorf("reading the payload: there is no event %q", base.HookEventName)
	}
	o := e.Origin
	for _, f := range []struct {
		said string
		to   *string
	}{{base.SessionID, &o.SessionID}, {base.TranscriptPath, &o.TranscriptPath}, {base.Cwd, &o.Cwd}} {
		if f.said != "" {
			*f.to = f.said
		}
	}
	e.Origin = o
	var mu sync.Mutex
	var got hooks.Report
	late := make(chan struct{})
	var once sync.Once
	e.ReportIdle, e.Report = true, func(r hooks.Report) {
		elsewhere.Compare(&r)
		mu.Lock()
		defer mu.Unlock()
		got = r
		if r.Late {
			once.Do(func() { close(late) })
		}
	}
	if base.AgentID != "" && !base.HookEventName.IsMain() {
		ctx = hooks.Subagent{ID: base.AgentID, Type: base.AgentType}.In(ctx)
	}
	if err := s.fire(ctx, e, payload); err != nil {
		return hooks.Report{}, misread(base.HookEventName, err)
	}
	mu.Lock()
	left := waits(got)
	mu.Unlock()
	if left {
		select {
		case <-late:
		case <-ctx.Done():
		}
	}
	mu.Lock()
	defer mu.Unlock()
	return got, nil
}

// misread describes what is wrong with a payload and suggests the field that was
// probably meant.
func misread(ev protocol.Event, err error) error {
	quoted, ok := strings.CutPrefix(err.Error(), "json: unknown field ")
	if !ok {
		return fmt.Errorf("reading the payload: %w", err)
	}
	name := strings.Trim(quoted, `"`)
	said := fmt.Sprintf("reading the payload: %s has no field %q", ev, name)
	sample, _ := Sample(ev, "")
	var fields map[string]any
	if json.Unmarshal(sample, &fields) == nil {
		said += text.DidYouMean(text.Nearest(name, slices.Sorted(maps.Keys(fields))))
	}
	return errors.New(said)
}

// waits reports whether hooks were left running. A session goes on then, but a caller
// that fires one event wants to see them end.
func waits(r hooks.Report) bool {
	for _, run := range r.Runs {
		if run.Left {
			return true
		}
	}
	return false
}

// read decodes a payload and refuses fields that the event does not have.
func read[T any](payload []byte) (T, error) {
	var in T
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	err := d.Decode(&in)
	return in, err
}

// stimulus makes a sample payload for an event, and fires the event from a payload.
type stimulus struct {
	sample func(base protocol.Base, subject string) any
	fire   func(context.Context, *hooks.Engine, []byte) error
}

// stimulusOf makes a stimulus from functions for the event's input type.
func stimulusOf[T any](sample func(base protocol.Base, subject string) T,
	fire func(context.Context, *hooks.Engine, T)) stimulus {
	return stimulus{
		func(base protocol.Base, subject string) any { return sample(base, subject) },
		func(ctx context.Context, e *hooks.Engine, p []byte) error {
			in, err := read[T](p)
			if err == nil {
				fire(ctx, e, in)
			}
			return err
		},
	}
}

// stimuli has the stimulus of each event, which calls the engine's method for it.
var stimuli = map[protocol.Event]stimulus{
	protocol.SessionStart: stimulusOf(
		func(b protocol.Base, source string) protocol.SessionStartInput {
			return protocol.SessionStartInput{Base: b, Source: source}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.SessionStartInput) {
			e.SessionStart(ctx, in.Source)
		}),
	protocol.BeforeAgent: stimulusOf(
		func(b protocol.Base, _ string) protocol.BeforeAgentInput {
			return protocol.BeforeAgentInput{Base: b, Prompt: samplePrompt}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.BeforeAgentInput) {
			e.BeforeAgent(ctx, in.Prompt)
		}),
	protocol.PreCompress: stimulusOf(
		func(b protocol.Base, trigger string) protocol.PreCompressInput {
			return protocol.PreCompressInput{Base: b, Trigger: trigger}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.PreCompressInput) {
			e.PreCompress(ctx, in.Trigger)
		}),
	protocol.PostCompact: stimulusOf(
		func(b protocol.Base, trigger string) protocol.PostCompactInput {
			return protocol.PostCompactInput{
				Base: b, Trigger: trigger, CompactSummary: "<state_snapshot>The tests pass.</state_snapshot>"}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.PostCompactInput) {
			e.PostCompact(ctx, in.Trigger, in.CompactSummary)
		}),
	protocol.BeforeModel: stimulusOf(
		func(b protocol.Base, _ string) protocol.BeforeModelInput {
			return protocol.BeforeModelInput{Base: b, LLMRequest: sampleRequest()}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.BeforeModelInput) {
			e.BeforeModel(ctx, request(in.LLMRequest))
		}),
	protocol.BeforeToolSelection: stimulusOf(
		func(b protocol.Base, _ string) protocol.BeforeToolSelectionInput {
			return protocol.BeforeToolSelectionInput{Base: b, LLMRequest: sampleRequest()}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.BeforeToolSelectionInput) {
			e.BeforeToolSelection(ctx, request(in.LLMRequest))
		}),
	protocol.AfterModel: stimulusOf(
		func(b protocol.Base, _ string) protocol.AfterModelInput {
			return protocol.AfterModelInput{Base: b, LLMRequest: sampleRequest(), LLMResponse: sampleChunk(),
				FullContent: sampleChunk().Text}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.AfterModelInput) {
			req, c := request(in.LLMRequest), chunk(in.LLMResponse)
			req.Said(strings.TrimSuffix(in.FullContent, in.LLMResponse.Text))
			e.AfterModel(ctx, req, c)
		}),
	protocol.BeforeTool: stimulusOf(
		func(b protocol.Base, tool string) protocol.BeforeToolInput {
			return protocol.BeforeToolInput{Base: b, ToolName: tool, ToolInput: sampleArgs(tool), MCPContext: sampleMCP(tool)}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.BeforeToolInput) {
			e.BeforeTool(ctx, hooks.ToolUse{
				Call: llm.ToolCall{ID: in.ToolUseID, Name: in.ToolName, Args: in.ToolInput}, OriginalName: in.OriginalRequestName,
				MCP: in.MCPContext,
			})
		}),
	protocol.PermissionRequest: stimulusOf(
		func(b protocol.Base, tool string) protocol.PermissionRequestInput {
			return protocol.PermissionRequestInput{Base: b, ToolName: tool, ToolInput: sampleArgs(tool),
				MCPContext: sampleMCP(tool)}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.PermissionRequestInput) {
			e.PermissionRequest(ctx, hooks.ToolUse{
				Call: llm.ToolCall{ID: in.ToolUseID, Name: in.ToolName, Args: in.ToolInput}, OriginalName: in.OriginalRequestName,
				MCP: in.MCPContext,
			})
		}),
	protocol.Notification: stimulusOf(
		func(b protocol.Base, kind string) protocol.NotificationInput {
			return protocol.NotificationInput{Base: b, NotificationType: kind, Message: "Tool write_file requires editing",
				Details: map[string]any{"type": "edit", "title": "Confirm Write: notes.txt", "fileName": "notes.txt"}}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.NotificationInput) {
			e.Notification(ctx, in.NotificationType, in.Message, in.Details)
		}),
	protocol.SubagentStart: stimulusOf(
		func(b protocol.Base, agent string) protocol.SubagentStartInput {
			b.AgentID, b.AgentType = "agent-1", agent
			return protocol.SubagentStartInput{Base: b, Prompt: "Review the last change."}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.SubagentStartInput) {
			e.SubagentStart(ctx, in.Prompt)
		}),
	protocol.SubagentStop: stimulusOf(
		func(b protocol.Base, agent string) protocol.SubagentStopInput {
			b.AgentID, b.AgentType = "agent-1", agent
			return protocol.SubagentStopInput{Base: b, Prompt: "Review the last change.", PromptResponse: "It is right.",
				Ending: "GOAL"}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.SubagentStopInput) {
			e.SubagentStop(ctx, hooks.SubagentEnd{Prompt: in.Prompt, Response: in.PromptResponse, Ending: in.Ending,
				Again: in.StopHookActive, Transcript: in.AgentTranscriptPath})
		}),
	protocol.AfterTool: stimulusOf(
		func(b protocol.Base, tool string) protocol.AfterToolInput {
			return protocol.AfterToolInput{Base: b, ToolName: tool, ToolInput: sampleArgs(tool), MCPContext: sampleMCP(tool),
				ToolResponse: protocol.ToolResponse{LLMContent: "done", ReturnDisplay: "done"}}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.AfterToolInput) {
			e.AfterTool(ctx, hooks.ToolUse{
				Call: llm.ToolCall{ID: in.ToolUseID, Name: in.ToolName, Args: in.ToolInput}, OriginalName: in.OriginalRequestName,
				OriginalArgs: in.OriginalToolInput, MCP: in.MCPContext,
			}, in.ToolResponse)
		}),
	protocol.PostToolUseFailure: stimulusOf(
		func(b protocol.Base, tool string) protocol.PostToolUseFailureInput {
			failed := protocol.ToolResponse{LLMContent: "it failed", ReturnDisplay: "it failed", Error: &protocol.ToolError{
				Message: "it failed", Type: "unknown"}}
			return protocol.PostToolUseFailureInput{Base: b, ToolName: tool, ToolInput: sampleArgs(tool),
				MCPContext:   sampleMCP(tool),
				ToolResponse: failed, Error: failed.Error.Message}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.PostToolUseFailureInput) {
			if in.ToolResponse.Error == nil || in.Error != in.ToolResponse.Error.Message { // one of the two was set
				in.ToolResponse.Error = &protocol.ToolError{Message: in.Error, Type: "unknown"}
			}
			e.PostToolUseFailure(ctx, hooks.ToolUse{
				Call: llm.ToolCall{ID: in.ToolUseID, Name: in.ToolName, Args: in.ToolInput}, OriginalName: in.OriginalRequestName,
				MCP: in.MCPContext,
			}, in.ToolResponse)
		}),
	protocol.AfterAgent: stimulusOf(
		func(b protocol.Base, _ string) protocol.AfterAgentInput {
			return protocol.AfterAgentInput{Base: b, Prompt: samplePrompt, PromptResponse: "All tests pass now."}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.AfterAgentInput) {
			e.AfterAgent(ctx, in.Prompt, in.PromptResponse, in.StopHookActive)
		}),
	protocol.StopFailure: stimulusOf(
		func(b protocol.Base, why string) protocol.StopFailureInput {
			return protocol.StopFailureInput{Base: b, Prompt: samplePrompt, Error: why, ErrorDetails: "the turn ended: " + why,
				LastAssistantMessage: "I look at the tests."}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.StopFailureInput) {
			e.StopFailure(ctx, hooks.Failure{Prompt: in.Prompt, Error: in.Error, Details: in.ErrorDetails,
				Said: in.LastAssistantMessage})
		}),
	protocol.SessionEnd: stimulusOf(
		func(b protocol.Base, reason string) protocol.SessionEndInput {
			return protocol.SessionEndInput{Base: b, Reason: reason}
		},
		func(ctx context.Context, e *hooks.Engine, in protocol.SessionEndInput) { e.SessionEnd(ctx, in.Reason) }),
}

// request converts a request from the form that hooks read.
func request(in protocol.LLMRequest) *hooks.ModelRequest {
	r := llm.Request{Model: in.Model, Sampling: llm.Sampling{
		Temperature: in.Config.Temperature, TopP: in.Config.TopP, TopK: in.Config.TopK,
		MaxOutputTokens: in.Config.MaxOutputTokens,
	}}
	for _, m := range in.Messages {
		msg := llm.Message{Role: llm.Role(m.Role)}
		if m.Parts == nil {
			msg.Parts = []llm.Part{llm.Text{Text: m.Text}}
		}
		for _, p := range m.Parts {
			msg.Parts = append(msg.Parts, part(p))
		}
		r.Messages = append(r.Messages, msg)
	}
	for _, name := range in.Tools {
		r.Tools = append(r.Tools, llm.ToolSpec{Name: name})
	}
	if c := in.ToolConfig; c != nil {
		r.Choice = llm.ToolChoice{Mode: llm.ToolMode(c.Mode), Allowed: c.AllowedFunctionNames}
	}
	return hooks.NewModelRequest(r)
}

// part is the inverse of what the engine writes. Data that hooks do not see is as many
// zero bytes, up to 1 MiB.
func part(p protocol.LLMPart) llm.Part {
	switch p.Type {
	case protocol.PartFunctionCall:
		return llm.ToolCall{ID: p.ID, Name: p.Name, Args: p.Args}
	case protocol.PartFunctionResponse:
		return llm.ToolResult{ID: p.ID, Name: p.Name, Response: p.Response}
	case protocol.PartInlineData:
		return llm.Blob{MIMEType: p.MIMEType, Data: make([]byte, min(max(p.Bytes, 0), 1<<20))}
	case protocol.PartFileData:
		return llm.FileRef{MIMEType: p.MIMEType, URI: p.FileURI}
	}
	return llm.Text{Text: p.Text}
}

// chunk converts a chunk from the form that hooks read.
func chunk(in protocol.LLMChunk) llm.Chunk {
	var c llm.Chunk
	for _, candidate := range in.Candidates {
		c.FinishReason, c.Index = candidate.FinishReason, candidate.Index
		for _, text := range candidate.Content.Parts {
			c.Parts = append(c.Parts, llm.Text{Text: text})
		}
	}
	if len(c.Parts) == 0 && in.Text != "" {
		c.Parts = []llm.Part{llm.Text{Text: in.Text}}
	}
	for _, call := range in.FunctionCalls {
		c.Parts = append(c.Parts, llm.ToolCall{ID: call.ID, Name: call.Name, Args: call.Args})
	}
	if u := in.UsageMetadata; u != nil {
		c.Usage = &llm.Usage{Prompt: u.PromptTokenCount, Candidates: u.CandidatesTokenCount, Total: u.TotalTokenCount}
	}
	return c
}

// Sample returns a payload of ev with plausible values; fields of the session are empty.
// subject is the tool, agent or trigger; empty means write_file, reviewer, or the event's
// first trigger. The error is for an unknown event.
func Sample(ev protocol.Event, subject string) ([]byte, error) {
	s, ok := stimuli[ev]
	if !ok {
		return nil, fmt.Errorf("there is no event %q", ev)
	}
	if ts := ev.Triggers(); subject == "" && len(ts) > 0 {
		subject = ts[0]
	} else if subject == "" && ev.IsAgent() {
		subject = "reviewer"
	} else if subject == "" {
		subject = "write_file"
	}
	return protocol.Encode(s.sample(protocol.Base{HookEventName: ev, Timestamp: time.Time{}.Format(protocol.TimeLayout)},
		subject))
}

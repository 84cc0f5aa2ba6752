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
	"minigem/hooks/protocol"
	"minigem/internal/text"
	"minigem/llm"
)

// Payload is what the hooks of an event read, complete and in the engine's own
// form: it comes from firing the event where no hook is configured. session is
// what hooks are given about the session, sample is that of Sample or one changed by
// Set.
func Payload(ctx context.Context, session hooks.Origin, sample []byte) ([]byte, error) {
	e := &hooks.Engine{Origin: session}
	r, err := Fire(ctx, e, sample)
	return r.Input.Bytes(), err
}

// Fire fires the event that payload is of at e's hooks and returns the Report.
// session_id, transcript_path and cwd of the payload, where they are not empty,
// are what hooks are given; the time is the engine's. e.Report is taken over. The
// error is for a payload that no event has.
func Fire(ctx context.Context, e *hooks.Engine, payload []byte) (hooks.Report, error) {
	var base protocol.Base
	if err := json.Unmarshal(payload, &base); err != nil {
		return hooks.Report{}, fmt.Errorf("reading the payload: %w", err)
	}
	fire, ok := firings[base.HookEventName]
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
		mu.Lock()
		defer mu.Unlock()
		got = r
		if r.Late {
			once.Do(func() { close(late) })
		}
	}
	if err := fire(ctx, e, payload); err != nil {
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

// misread says what is wrong with a payload, with the field that was probably
// meant.
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
		if near := text.Nearest(name, slices.Sorted(maps.Keys(fields))); near != "" {
			said += fmt.Sprintf("; did you mean %q?", near)
		}
	}
	return errors.New(said)
}

// waits: hooks were left running. A session goes on then; who fires one event
// wants to see its end.
func waits(r hooks.Report) bool {
	for _, run := range r.Runs {
		if run.Left {
			return true
		}
	}
	return false
}

// read takes a payload apart. A field that the event does not have is refused.
func read[T any](payload []byte) (T, error) {
	var in T
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	err := d.Decode(&in)
	return in, err
}

// firings call the engine's method of each event.
var firings = map[protocol.Event]func(context.Context, *hooks.Engine, []byte) error{
	protocol.SessionStart: func(ctx context.Context, e *hooks.Engine, p []byte) error {
		in, err := read[protocol.SessionStartInput](p)
		if err == nil {
			e.SessionStart(ctx, in.Source)
		}
		return err
	},
	protocol.BeforeAgent: func(ctx context.Context, e *hooks.Engine, p []byte) error {
		in, err := read[protocol.BeforeAgentInput](p)
		if err == nil {
			e.BeforeAgent(ctx, in.Prompt)
		}
		return err
	},
	protocol.PreCompress: func(ctx context.Context, e *hooks.Engine, p []byte) error {
		in, err := read[protocol.PreCompressInput](p)
		if err == nil {
			e.PreCompress(ctx, in.Trigger)
		}
		return err
	},
	protocol.BeforeModel: func(ctx context.Context, e *hooks.Engine, p []byte) error {
		in, err := read[protocol.BeforeModelInput](p)
		if err == nil {
			e.BeforeModel(ctx, request(in.LLMRequest))
		}
		return err
	},
	protocol.BeforeToolSelection: func(ctx context.Context, e *hooks.Engine, p []byte) error {
		in, err := read[protocol.BeforeToolSelectionInput](p)
		if err == nil {
			e.BeforeToolSelection(ctx, request(in.LLMRequest))
		}
		return err
	},
	protocol.AfterModel: func(ctx context.Context, e *hooks.Engine, p []byte) error {
		in, err := read[protocol.AfterModelInput](p)
		if err == nil {
			req, c := request(in.LLMRequest), chunk(in.LLMResponse)
			req.Said(strings.TrimSuffix(in.FullContent, in.LLMResponse.Text))
			e.AfterModel(ctx, req, c)
		}
		return err
	},
	protocol.BeforeTool: func(ctx context.Context, e *hooks.Engine, p []byte) error {
		in, err := read[protocol.BeforeToolInput](p)
		if err == nil {
			e.BeforeTool(ctx, hooks.ToolUse{
				Call: llm.ToolCall{Name: in.ToolName, Args: in.ToolInput}, OriginalName: in.OriginalRequestName, MCP: in.MCPContext,
			})
		}
		return err
	},
	protocol.Notification: func(ctx context.Context, e *hooks.Engine, p []byte) error {
		in, err := read[protocol.NotificationInput](p)
		if err == nil {
			e.Notification(ctx, in.NotificationType, in.Message, in.Details)
		}
		return err
	},
	protocol.AfterTool: func(ctx context.Context, e *hooks.Engine, p []byte) error {
		in, err := read[protocol.AfterToolInput](p)
		if err == nil {
			e.AfterTool(ctx, hooks.ToolUse{
				Call: llm.ToolCall{Name: in.ToolName, Args: in.ToolInput}, OriginalName: in.OriginalRequestName,
				OriginalArgs: in.OriginalToolInput, MCP: in.MCPContext,
			}, in.ToolResponse)
		}
		return err
	},
	protocol.AfterAgent: func(ctx context.Context, e *hooks.Engine, p []byte) error {
		in, err := read[protocol.AfterAgentInput](p)
		if err == nil {
			e.AfterAgent(ctx, in.Prompt, in.PromptResponse, in.StopHookActive)
		}
		return err
	},
	protocol.SessionEnd: func(ctx context.Context, e *hooks.Engine, p []byte) error {
		in, err := read[protocol.SessionEndInput](p)
		if err == nil {
			e.SessionEnd(ctx, in.Reason)
		}
		return err
	},
}

// request is the request that hooks read in this form.
func request(in protocol.LLMRequest) *hooks.ModelRequest {
	r := llm.Request{Model: in.Model, Sampling: llm.Sampling{
		Temperature: in.Config.Temperature, TopP: in.Config.TopP, TopK: in.Config.TopK, MaxOutputTokens: in.Config.MaxOutputTokens,
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

// chunk is the chunk that hooks read in this form.
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

// Sample is a payload of ev to begin with: plain values in all fields, those of
// the session left empty. subject is the tool, or the trigger; empty takes
// write_file, or the event's first trigger.
func Sample(ev protocol.Event, subject string) ([]byte, error) {
	base := protocol.Base{HookEventName: ev, Timestamp: time.Time{}.Format(protocol.TimeLayout)}
	trigger := subject
	if ts := ev.Triggers(); trigger == "" && len(ts) > 0 {
		trigger = ts[0]
	}
	tool := subject
	if tool == "" {
		tool = "write_file"
	}
	args := sampleArgs(tool)
	var in any
	switch ev {
	case protocol.SessionStart:
		in = protocol.SessionStartInput{Base: base, Source: trigger}
	case protocol.BeforeAgent:
		in = protocol.BeforeAgentInput{Base: base, Prompt: samplePrompt}
	case protocol.PreCompress:
		in = protocol.PreCompressInput{Base: base, Trigger: trigger}
	case protocol.BeforeModel:
		in = protocol.BeforeModelInput{Base: base, LLMRequest: sampleRequest()}
	case protocol.BeforeToolSelection:
		in = protocol.BeforeToolSelectionInput{Base: base, LLMRequest: sampleRequest()}
	case protocol.AfterModel:
		in = protocol.AfterModelInput{Base: base, LLMRequest: sampleRequest(), LLMResponse: sampleChunk(), FullContent: sampleChunk().Text}
	case protocol.BeforeTool:
		in = protocol.BeforeToolInput{Base: base, ToolName: tool, ToolInput: args, MCPContext: sampleMCP(tool)}
	case protocol.Notification:
		in = protocol.NotificationInput{Base: base, NotificationType: trigger, Message: "Tool write_file requires editing",
			Details: map[string]any{"type": "edit", "title": "Confirm Write: notes.txt", "fileName": "notes.txt"}}
	case protocol.AfterTool:
		in = protocol.AfterToolInput{Base: base, ToolName: tool, ToolInput: args, MCPContext: sampleMCP(tool),
			ToolResponse: protocol.ToolResponse{LLMContent: "done", ReturnDisplay: "done"}}
	case protocol.AfterAgent:
		in = protocol.AfterAgentInput{Base: base, Prompt: samplePrompt, PromptResponse: "All tests pass now."}
	case protocol.SessionEnd:
		in = protocol.SessionEndInput{Base: base, Reason: trigger}
	default:
		return nil, fmt.Errorf("there is no event %q", ev)
	}
	return protocol.Encode(in)
}

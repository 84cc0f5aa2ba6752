package hookstest

import (
	"context"
	"fmt"
	"strings"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// Request is the request of every case of the model events: a conversation with
// a call, its result, an image, a thought and signatures.
func Request() llm.Request {
	temperature, topP, topK, budget := 1.0, 0.95, 64.0, 8192
	return llm.Request{
		Model:  "gemini-2.5-flash",
		System: "be brief",
		Messages: []llm.Message{
			llm.UserText("hello"),
			{Role: llm.RoleModel, Parts: []llm.Part{
				llm.Thought{Text: "hm"},
				llm.Text{Text: "let me see", Signature: []byte("s1")},
				llm.ToolCall{ID: "read_file__c1", Name: "read_file", Args: map[string]any{"file_path": "a"}, Signature: []byte("s2")},
			}},
			{Role: llm.RoleUser, Parts: []llm.Part{
				llm.ToolResult{ID: "read_file__c1", Name: "read_file", Response: map[string]any{"output": "data"}},
			}},
			llm.ModelText("done"),
			{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "and this?"}, llm.Blob{MIMEType: "image/png", Data: []byte("PNG")}}},
		},
		Tools: []llm.ToolSpec{{Name: "read_file"}, {Name: "write_file"}, {Name: "glob"}},
		Sampling: llm.Sampling{
			Temperature: &temperature, TopP: &topP, TopK: &topK,
			Thinking: &llm.Thinking{IncludeThoughts: true, Budget: &budget},
		},
	}
}

// Chunk is the chunk of every case of AfterModel that has no other.
func Chunk() llm.Chunk {
	return llm.Chunk{Parts: []llm.Part{llm.Text{Text: "Hello world", Signature: []byte("s3")}}, FinishReason: "STOP"}
}

// Messages is Request's conversation as hooks read it.
const Messages = `{"role":"user","content":"hello"},` +
	`{"role":"model","content":[{"type":"text","text":"let me see"},{"type":"function_call","name":"read_file","args":{"file_path":"a"},"id":"c1"}]},` +
	`{"role":"user","content":[{"type":"function_response","name":"read_file","response":{"output":"data"},"id":"c1"}]},` +
	`{"role":"model","content":"done"},` +
	`{"role":"user","content":[{"type":"text","text":"and this?"},{"type":"inline_data","mimeType":"image/png","bytes":3}]}`

func (c Case) fireModel(ctx context.Context, e *hooks.Engine) Want {
	req := hooks.NewModelRequest(Request())
	changed := func(r *hooks.ModelRequest) string {
		if r == req {
			return ""
		}
		return showRequest(r.Request)
	}
	switch c.Event {
	case protocol.BeforeModel:
		o := e.BeforeModel(ctx, req)
		got := Want{Request: changed(o.Request)}
		for _, chunk := range o.Response {
			got.Answer += showChunk(chunk)
		}
		return got
	case protocol.BeforeToolSelection:
		return Want{Request: changed(e.BeforeToolSelection(ctx, req).Request)}
	}
	chunk := Chunk()
	if c.Chunk != nil {
		chunk = *c.Chunk
	}
	o := e.AfterModel(ctx, req, chunk)
	if !o.Replaced {
		return Want{}
	}
	return Want{Chunk: showChunk(o.Chunk)}
}

// showRequest writes a request on one line. Messages are "u:" or "m:" and their
// parts; "!" is a signature, "~" a thought, "#" a call, "=" a result.
func showRequest(r llm.Request) string {
	var b strings.Builder
	b.WriteString(r.Model)
	number := func(name string, f *float64) {
		if f != nil {
			fmt.Fprintf(&b, " %s=%g", name, *f)
		}
	}
	number("t", r.Sampling.Temperature)
	number("p", r.Sampling.TopP)
	number("k", r.Sampling.TopK)
	if n := r.Sampling.MaxOutputTokens; n != nil {
		fmt.Fprintf(&b, " max=%d", *n)
	}
	if t := r.Sampling.Thinking; t != nil && t.Budget != nil {
		fmt.Fprintf(&b, " think=%d", *t.Budget)
	}
	fmt.Fprintf(&b, " [%s]", strings.ReplaceAll(r.System, "\n", "/"))
	for _, m := range r.Messages {
		fmt.Fprintf(&b, " %c:%s", m.Role[0], showParts(m.Parts))
	}
	var tools []string
	for _, t := range r.Tools {
		tools = append(tools, t.Name)
	}
	b.WriteString(" tools=" + strings.Join(tools, ","))
	if r.Choice.Mode != "" {
		fmt.Fprintf(&b, " %s", r.Choice.Mode)
	}
	if len(r.Choice.Allowed) > 0 {
		b.WriteString(":" + strings.Join(r.Choice.Allowed, ","))
	}
	return b.String()
}

// showChunk writes a chunk on one line: its parts, then its finish reason.
func showChunk(c llm.Chunk) string {
	text := showParts(c.Parts)
	if text == "" {
		text = "(empty)"
	}
	if c.FinishReason != "" {
		text += " " + c.FinishReason
	}
	return text
}

func showParts(parts []llm.Part) string {
	var out []string
	for _, p := range parts {
		s, signature := "?", []byte(nil)
		switch p := p.(type) {
		case llm.Text:
			s, signature = p.Text, p.Signature
		case llm.Thought:
			s, signature = "~"+p.Text, p.Signature
		case llm.ToolCall:
			s, signature = p.Name+"#"+llm.WireID(p.Name, p.ID), p.Signature
			if len(p.Args) > 0 && p.Args["file_path"] != "a" {
				s += compact(p.Args)
			}
		case llm.ToolResult:
			s = "=" + llm.WireID(p.Name, p.ID)
			if p.Response["output"] != "data" {
				s += compact(p.Response)
			}
		case llm.Blob:
			s = p.MIMEType
		case llm.FileRef:
			s = p.URI
		}
		if signature != nil {
			s += "!" + string(signature)
		}
		out = append(out, s)
	}
	return strings.Join(out, ",")
}

package hookstest_test

import (
	"fmt"
	"strings"

	"minigem/llm"
)

func chunkWithCall() *llm.Chunk {
	return &llm.Chunk{Parts: []llm.Part{
		llm.Thought{Text: "hm"}, llm.Text{Text: "Hello"},
		llm.ToolCall{ID: "glob__c2", Name: "glob", Args: map[string]any{"pattern": "*"}, Signature: []byte("s4")},
	}}
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

package hooks

import (
	"bytes"
	"cmp"
	"slices"
	"sync"

	"minigem/hooks/protocol"
	"minigem/llm"
)

// hookJSON returns r as hooks read it. It marshals r once, and requests of one
// conversation share the piece with the messages.
func (r *ModelRequest) hookJSON() Payload {
	r.once.Do(func() {
		frame := encode(r.hookFrame())
		messages, err := cmp.Or(r.messages, &messagesJSON{}).of(r.Messages)
		if err != nil {
			// Arguments come from JSON, so this is a bug. Hooks still read the rest of the
			// request.
			r.wire = Payload{frame}
			return
		}
		// Within a string the quotes would be escaped.
		at := bytes.Index(frame, []byte(noMessages)) + len(noMessages) - 1
		r.wire = Payload{frame[:at], messages, frame[at:]}
	})
	return r.wire
}

// noMessages is what an empty list of messages is written as; the real list is put
// there, so that it is encoded once.
const noMessages = `"messages":[]`

// hookFrame returns r as hooks read it, without its messages.
func (r *ModelRequest) hookFrame() protocol.LLMRequest {
	s := r.Sampling
	return protocol.LLMRequest{
		Model:    r.Model,
		Messages: []protocol.LLMMessage{},
		Config: protocol.LLMConfig{Temperature: s.Temperature, MaxOutputTokens: s.MaxOutputTokens, TopP: s.TopP,
			TopK: s.TopK},
		Tools:      toolNames(r.Tools),
		ToolConfig: hookToolConfig(r.Choice),
	}
}

// messagesJSON holds messages as hooks read them, separated by commas. It is kept from
// request to request, so that only new messages are marshalled.
type messagesJSON struct {
	mu   sync.Mutex
	from []llm.Message
	wire []byte
}

// of returns the JSON of messages. The bytes are never overwritten later.
func (j *messagesJSON) of(messages []llm.Message) ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !llm.Extends(messages, j.from) {
		j.from, j.wire = nil, nil
	}
	wire := j.wire
	for i, m := range messages[len(j.from):] {
		data, err := protocol.Encode(hookMessage(m))
		if err != nil {
			return nil, err
		}
		if len(j.from)+i > 0 {
			wire = append(wire, ',')
		}
		wire = append(wire, data...)
	}
	j.from, j.wire = messages, wire
	return slices.Clip(wire), nil
}

// hookToolConfig returns c as hooks read it; nil if the model is free to call tools.
func hookToolConfig(c llm.ToolChoice) *protocol.ToolConfig {
	if c.Mode == llm.ToolModeUnset && len(c.Allowed) == 0 {
		return nil
	}
	return &protocol.ToolConfig{Mode: string(c.Mode), AllowedFunctionNames: c.Allowed}
}

// toolNames returns the names of tools; nil if there are none, so that the field is
// absent.
func toolNames(specs []llm.ToolSpec) []string {
	if len(specs) == 0 {
		return nil
	}
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	return names
}

// hookMessage returns m as hooks read it: a text if it holds nothing else, or its parts.
// Thoughts and parts of unknown kinds are left out.
func hookMessage(m llm.Message) protocol.LLMMessage {
	parts := make([]protocol.LLMPart, 0, len(m.Parts))
	plain := true
	for _, p := range m.Parts {
		if hp, ok := hookPart(p); ok {
			parts = append(parts, hp)
			plain = plain && hp.Type == protocol.PartText
		}
	}
	if plain {
		return protocol.LLMMessage{Role: string(m.Role), Text: m.Text()}
	}
	return protocol.LLMMessage{Role: string(m.Role), Parts: parts}
}

// hookPart returns p as hooks read it; ok is false if they do not see it. Ids have their
// wire form, as the model sees them.
func hookPart(p llm.Part) (hp protocol.LLMPart, ok bool) {
	switch p := p.(type) {
	case llm.Text:
		return protocol.LLMPart{Type: protocol.PartText, Text: p.Text}, true
	case llm.ToolCall:
		return protocol.LLMPart{Type: protocol.PartFunctionCall, Name: p.Name, Args: p.Args, ID: llm.WireID(p.Name, p.ID)},
			true
	case llm.ToolResult:
		return protocol.LLMPart{Type: protocol.PartFunctionResponse, Name: p.Name, Response: p.Response,
			ID: llm.WireID(p.Name, p.ID)}, true
	case llm.Blob:
		return protocol.LLMPart{Type: protocol.PartInlineData, MIMEType: p.MIMEType, Bytes: len(p.Data)}, true
	case llm.FileRef:
		return protocol.LLMPart{Type: protocol.PartFileData, MIMEType: p.MIMEType, FileURI: p.URI}, true
	}
	return protocol.LLMPart{}, false
}

// hookChunk returns c as AfterModel hooks read it.
func hookChunk(c llm.Chunk) protocol.LLMChunk {
	content := protocol.LLMContent{Role: string(llm.RoleModel), Parts: []string{}}
	form := protocol.LLMChunk{Text: c.Text()}
	for _, p := range c.Parts {
		switch p := p.(type) {
		case llm.Text:
			content.Parts = append(content.Parts, p.Text)
		case llm.Thought:
			content.Parts = append(content.Parts, p.Text)
		case llm.ToolCall:
			args := p.Args
			if args == nil {
				args = map[string]any{}
			}
			form.FunctionCalls = append(
				form.FunctionCalls, protocol.LLMCall{Name: p.Name, Args: args, ID: llm.WireID(p.Name, p.ID)})
		}
	}
	candidate := protocol.LLMCandidate{Content: content, FinishReason: c.FinishReason, Index: c.Index}
	for _, s := range c.SafetyRatings {
		candidate.SafetyRatings = append(candidate.SafetyRatings, protocol.LLMSafetyRating{
			Category: s.Category, Probability: s.Probability})
	}
	form.Candidates = []protocol.LLMCandidate{candidate}
	if u := c.Usage; u != nil {
		form.UsageMetadata = &protocol.LLMUsage{PromptTokenCount: u.Prompt, CandidatesTokenCount: u.Candidates,
			TotalTokenCount: u.Total}
	}
	return form
}

// encode marshals values that always have a JSON form. A bug there yields {}.
func encode(v any) []byte {
	data, err := protocol.Encode(v)
	if err != nil {
		return []byte(`{}`)
	}
	return data
}

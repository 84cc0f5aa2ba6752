package fakemodel

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"minigem/llm"
)

// anthropicAPI implements Anthropic Messages.
type anthropicAPI struct{}

type anthropicRequest struct {
	Model     string          `json:"model"`
	MaxTokens *int            `json:"max_tokens"`
	System    json.RawMessage `json:"system"`
	Messages  []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Type        string          `json:"type"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	Choice *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	Stream   bool `json:"stream"`
	Thinking *struct {
		Type   string `json:"type"`
		Budget int    `json:"budget_tokens"`
	} `json:"thinking"`
	Output *struct {
		Format *anthropicFormat `json:"format"`
	} `json:"output_config"`
	Format *anthropicFormat `json:"output_format"`
}

type anthropicFormat struct {
	Schema json.RawMessage `json:"schema"`
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
	Source    struct {
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
		URL       string `json:"url"`
	} `json:"source"`
	CacheControl json.RawMessage `json:"cache_control"`

	raw json.RawMessage
}

// blocks parses content, which is a string or an array of blocks.
func blocks(content json.RawMessage) ([]anthropicBlock, error) {
	text, raw, err := textOrList(content, "content is neither a text nor an array of blocks")
	if text != nil {
		return []anthropicBlock{{Type: "text", Text: *text}}, nil
	}
	out := make([]anthropicBlock, len(raw))
	for i, r := range raw {
		var head struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(r, &out[i]); err != nil {
			out[i] = anthropicBlock{}
			if json.Unmarshal(r, &head) != nil || head.Type == "" {
				return nil, fmt.Errorf("block %d cannot be read: %w", i, err)
			}
			out[i].Type = "opaque" // a kind whose fields of these names have other types
		}
		out[i].raw = r
	}
	return out, err
}

func (b anthropicBlock) part() llm.Part {
	switch b.Type {
	case "text":
		return llm.Text{Text: b.Text}
	case "thinking":
		sig, _ := base64.StdEncoding.DecodeString(b.Signature) // opaque anyway
		return llm.Thought{Text: b.Thinking, Signature: sig}
	case "image", "document":
		if b.Source.URL != "" {
			return llm.FileRef{MIMEType: b.Source.MediaType, URI: b.Source.URL}
		}
		return llm.Blob{MIMEType: b.Source.MediaType, Data: b.Source.Data}
	}
	return llm.Opaque{JSON: b.raw}
}

func (anthropicAPI) read(x *exchange, body []byte, counting bool) (asked, []string, error) {
	var w anthropicRequest
	if err := decode(body, &w); err != nil {
		return asked{}, nil, err
	}
	r := &reading{}
	r.Model, r.stream, r.usage = w.Model, w.Stream, true
	if f := w.Format; f != nil {
		r.schema = present(f.Schema)
	}
	if w.Output != nil && w.Output.Format != nil {
		r.schema = present(w.Output.Format.Schema)
	}
	for _, t := range w.Tools {
		kind := t.Type
		if kind == "" || kind == "custom" { // the API's name for a function of the client
			kind = kindFunction
		}
		r.offer(Tool{Name: t.Name, Kind: kind, Schema: present(t.Schema)}, t.Description)
	}
	system, err := blocks(w.System)
	if err != nil {
		return asked{}, nil, fmt.Errorf("system: %w", err)
	}
	for _, b := range system {
		r.instruct(b.part())
	}
	j := anthropicJudge{reading: r, w: w, h: x.req.Header, counting: counting}
	j.head(body)
	for i, m := range w.Messages {
		bs, err := blocks(m.Content)
		if err != nil {
			return asked{}, nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
		if err := r.anthropicMessage(m.Role, bs); err != nil {
			return asked{}, nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
		j.message(i, m.Role, bs)
	}
	j.end()
	return r.asked, r.problems, nil
}

func (r *reading) anthropicMessage(role string, bs []anthropicBlock) error {
	for _, b := range bs {
		switch {
		case b.Type == "tool_use":
			r.call(b.ID, b.Name, objectOf(b.Input))
		case b.Type == "tool_result":
			inner, err := blocks(b.Content)
			if err != nil {
				return err
			}
			var parts []llm.Part
			for _, in := range inner {
				parts = append(parts, in.part())
			}
			r.result(b.ToolUseID, b.IsError, parts)
		case role == "assistant":
			r.say(llm.RoleModel, b.part())
		case role == "system":
			r.instruct(b.part())
		default:
			r.say(llm.RoleUser, b.part())
		}
	}
	return nil
}

func (anthropicAPI) failure(f Fault, number int) any {
	return object{"type": "error", "error": object{"type": anthropicError(f.Status), "message": f.Text()},
		"request_id": fmt.Sprintf("req_fake%012d", number)}
}

func anthropicError(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusServiceUnavailable, 529:
		return "overloaded_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

// anthropicStop returns the stop_reason of an answer.
func anthropicStop(a answer) string {
	switch {
	case a.finish == "MAX_TOKENS":
		return "max_tokens"
	case a.finish != "STOP":
		return "refusal"
	case a.calls():
		return "tool_use"
	}
	return "end_turn"
}

func (a answer) anthropicUsage(out int) object {
	return object{
		"input_tokens": a.usage.Prompt - a.usage.Cached, "cache_creation_input_tokens": 0,
		"cache_read_input_tokens": a.usage.Cached,
		"output_tokens":           out, "service_tier": "standard",
	}
}

// anthropicMessage returns the message object of an answer.
func (a answer) anthropicMessage(content []any, stop any, out int) object {
	return object{
		"id": a.x.id("msg_", 1), "type": "message", "role": "assistant", "model": a.asked.Model, "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": a.anthropicUsage(out),
	}
}

func (anthropicAPI) whole(a answer) any {
	content := []any{}
	for _, p := range joinedParts(a.parts) {
		if b := anthropicContent(p); b != nil {
			content = append(content, b)
		}
	}
	return a.anthropicMessage(content, anthropicStop(a), a.usage.Candidates+a.usage.Thoughts)
}

// anthropicContent returns a content block for a part, or nil if the API has none for it.
func anthropicContent(p llm.Part) object {
	switch p := p.(type) {
	case llm.Text:
		return object{"type": "text", "text": p.Text}
	case llm.Thought:
		return object{"type": "thinking", "thinking": p.Text, "signature": signature(p)}
	case llm.ToolCall:
		return object{"type": "tool_use", "id": p.ID, "name": p.Name, "input": p.Args}
	}
	return nil
}

// signature returns the signature of a thought, or a fake one if it has none.
func signature(t llm.Thought) string {
	if t.Signature == nil {
		return base64.StdEncoding.EncodeToString([]byte("a signature of the fake model"))
	}
	return base64.StdEncoding.EncodeToString(t.Signature)
}

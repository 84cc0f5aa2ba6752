package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"

	"minigem/llm"
)

// chatAPI implements OpenAI chat completions.
type chatAPI struct{}

type chatRequest struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	Tools    []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
		Custom struct {
			Name        string `json:"name"`
			Description string `json:"description"`
		} `json:"custom"`
	} `json:"tools"`
	Choice        json.RawMessage `json:"tool_choice"`
	Stream        bool            `json:"stream"`
	StreamOptions *struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	N      *int `json:"n"`
	Format *struct {
		Type   string `json:"type"`
		Schema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

type chatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Reasoning string          `json:"reasoning_content"`
	Calls     []chatCall      `json:"tool_calls"`
	CallID    string          `json:"tool_call_id"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Custom struct {
		Name  string `json:"name"`
		Input string `json:"input"`
	} `json:"custom"`
}

func (chatAPI) read(_ *exchange, body []byte, _ bool) (asked, []string, error) {
	var w chatRequest
	if err := decode(body, &w); err != nil {
		return asked{}, nil, err
	}
	r := &reading{}
	r.Model, r.stream = w.Model, w.Stream
	r.usage = w.StreamOptions != nil && w.StreamOptions.Usage
	if f := w.Format; f != nil && f.Type != "text" {
		if r.schema = present(f.Schema.Schema); r.schema == nil {
			r.schema = json.RawMessage(`{"type":"object"}`)
		}
	}
	for _, t := range w.Tools {
		if t.Type == kindCustom {
			r.offer(Tool{Name: t.Custom.Name, Kind: kindCustom}, t.Custom.Description)
		} else {
			r.offer(Tool{Name: t.Function.Name, Kind: t.Type, Schema: present(t.Function.Parameters)}, t.Function.Description)
		}
	}
	j := chatJudge{reading: r, w: w}
	j.head(body)
	for i, m := range w.Messages {
		parts, err := openAIContent(m.Content)
		if err != nil {
			return asked{}, nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
		j.message(i, m)
		r.chatMessage(m, parts)
	}
	j.end()
	return r.asked, r.problems, nil
}

func (r *reading) chatMessage(m chatMessage, parts []llm.Part) {
	switch m.Role {
	case "system", "developer":
		r.instruct(parts...)
	case "tool", "function":
		r.result(m.CallID, false, parts)
	case "assistant":
		if m.Reasoning != "" {
			r.say(llm.RoleModel, llm.Thought{Text: m.Reasoning})
		}
		r.say(llm.RoleModel, parts...)
		for _, c := range m.Calls {
			if c.Type == kindCustom {
				r.call(c.ID, c.Custom.Name, object{"input": c.Custom.Input})
			} else {
				r.call(c.ID, c.Function.Name, objectOf([]byte(c.Function.Arguments)))
			}
		}
	default:
		r.say(llm.RoleUser, parts...)
	}
}

// openAIContent parses content of either OpenAI API, which is a string or an array of
// parts. It skips an empty string.
func openAIContent(content json.RawMessage) ([]llm.Part, error) {
	text, raw, err := textOrList(content, "content is neither a text nor an array of parts")
	if text != nil && *text != "" {
		return []llm.Part{llm.Text{Text: *text}}, nil
	}
	var parts []llm.Part
	for i, data := range raw {
		var p struct {
			Type    string          `json:"type"`
			Text    string          `json:"text"`
			Refusal string          `json:"refusal"`
			Image   json.RawMessage `json:"image_url"`
		}
		if err := json.Unmarshal(data, &p); err != nil {
			return nil, fmt.Errorf("part %d cannot be read: %w", i, err)
		}
		switch p.Type {
		case "text", "input_text", "output_text", "reasoning_text", "summary_text":
			parts = append(parts, llm.Text{Text: p.Text})
		case "refusal":
			parts = append(parts, llm.Text{Text: p.Refusal})
		case "image_url", "input_image":
			parts = append(parts, image(p.Image))
		default:
			parts = append(parts, llm.Opaque{JSON: data})
		}
	}
	return parts, err
}

// image parses an image_url. Chat completions wrap it in an object.
func image(data json.RawMessage) llm.Part {
	var url string
	var in struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(data, &url) != nil {
		_ = json.Unmarshal(data, &in) // on failure the URL stays empty
		url = in.URL
	}
	return blob(url, "image/*")
}

func (chatAPI) failure(f Fault, _ int) any { return object{"error": openAIError(f)} }

func openAIError(f Fault) object {
	e := object{"message": f.Text(), "type": "invalid_request_error", "param": nil, "code": nil}
	switch {
	case f.PerDay:
		e["type"], e["code"] = "insufficient_quota", "insufficient_quota"
	case f.Status == http.StatusTooManyRequests:
		e["type"], e["code"] = "requests", "rate_limit_exceeded"
	case f.Status == http.StatusUnauthorized:
		e["code"] = "invalid_api_key"
	case f.Status == http.StatusNotFound:
		e["code"] = "not_found"
	case f.Status >= 500:
		e["type"], e["code"] = "server_error", "server_error"
	}
	if f.Reason != "" {
		e["code"] = f.Reason
	}
	return e
}

// chatFinish returns the finish_reason of an answer.
func chatFinish(a answer) string {
	switch {
	case a.finish == "MAX_TOKENS":
		return "length"
	case a.finish != "STOP":
		return "content_filter"
	case a.calls():
		return "tool_calls"
	}
	return "stop"
}

func (a answer) chatUsage() object {
	return object{
		"prompt_tokens": a.usage.Prompt, "completion_tokens": a.usage.Candidates + a.usage.Thoughts,
		"total_tokens":          a.usage.Prompt + a.usage.Candidates + a.usage.Thoughts,
		"prompt_tokens_details": object{"cached_tokens": a.usage.Cached, "audio_tokens": 0},
		"completion_tokens_details": object{"reasoning_tokens": a.usage.Thoughts, "audio_tokens": 0,
			"accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
	}
}

// chatHead returns the fields that an answer and all of its chunks share.
func (a answer) chatHead(kind string) object {
	return object{
		"id": a.x.id("chatcmpl-", 1), "object": kind, "created": a.x.rec.Time.Unix(), "model": a.asked.Model,
		"system_fingerprint": "fp_fake",
	}
}

func (chatAPI) whole(a answer) any {
	m := object{"role": "assistant", "content": nil, "refusal": nil}
	var calls []any
	for _, p := range joinedParts(a.parts) {
		switch p := p.(type) {
		case llm.Text:
			text, _ := m["content"].(string)
			m["content"] = text + p.Text
		case llm.Thought:
			text, _ := m["reasoning_content"].(string)
			m["reasoning_content"] = text + p.Text
		case llm.ToolCall:
			calls = append(calls, a.chatCall(p, arguments(p)))
		}
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	out := a.chatHead("chat.completion")
	out["choices"] = []any{object{"index": 0, "message": m, "logprobs": nil, "finish_reason": chatFinish(a)}}
	out["usage"] = a.chatUsage()
	return out
}

// chatCall returns a tool call. In a stream, args may be only the first part of the
// arguments.
func (a answer) chatCall(c llm.ToolCall, args string) object {
	if t, ok := offered(a.asked.tools, c.Name); ok && t.custom() {
		if args != "" {
			args = inputOf(c)
		}
		return object{"id": c.ID, "type": kindCustom, kindCustom: object{"name": c.Name, "input": args}}
	}
	return object{"id": c.ID, "type": kindFunction, kindFunction: object{
		"name": c.Name, "arguments": args}}
}

// chatStream writes the chunks of a streamed completion.
type chatStream struct {
	x     *exchange
	a     answer
	calls int
}

func (chatAPI) stream(x *exchange, a answer) streamer { return &chatStream{x: x, a: a} }

func (s *chatStream) delta(d object, finish any) {
	c := s.a.chatHead("chat.completion.chunk")
	c["choices"] = []any{object{"index": 0, "delta": d, "logprobs": nil, "finish_reason": finish}}
	if s.a.asked.usage {
		c["usage"] = nil // it comes last
	}
	s.x.event("", c)
}

func (s *chatStream) begin() {
	s.delta(object{"role": "assistant", "content": "", "refusal": nil}, nil)
}

func (s *chatStream) chunk(c llm.Chunk) {
	for _, p := range c.Parts {
		switch p := p.(type) {
		case llm.Text:
			s.delta(object{"content": p.Text}, nil)
		case llm.Thought:
			// reasoning_content is not OpenAI's, but other servers with this API send it
			s.delta(object{"reasoning_content": p.Text}, nil)
		case llm.ToolCall:
			first := s.a.chatCall(p, "")
			first["index"] = s.calls
			s.delta(object{"tool_calls": []any{first}}, nil)
			key, text, kind := "arguments", arguments(p), kindFunction
			if first["type"] == kindCustom {
				key, text, kind = "input", inputOf(p), kindCustom
			}
			for _, piece := range pieces(text) {
				s.delta(object{"tool_calls": []any{object{"index": s.calls, kind: object{key: piece}}}},
					nil)
			}
			s.calls++
		}
	}
}

func (s *chatStream) end() {
	s.delta(object{}, chatFinish(s.a))
	if s.a.asked.usage {
		c := s.a.chatHead("chat.completion.chunk")
		c["choices"], c["usage"] = []any{}, s.a.chatUsage()
		s.x.event("", c)
	}
	s.x.done()
}

func (s *chatStream) fail(f Fault) { s.x.event("", chatAPI{}.failure(f, 0)) }

// done ends a stream of chat completions.
func (x *exchange) done() {
	_, _ = fmt.Fprint(x, "data: [DONE]\n\n") // the client may have left
	x.flush()
}

package fakemodel

import "minigem/llm"

// anthropicStream writes the events of a streamed message.
type anthropicStream struct {
	x     *exchange
	a     answer
	index int    // of the open block, or the next one
	open  string // its type; empty if none is open
	last  llm.Thought
}

func (anthropicAPI) stream(x *exchange, a answer) streamer { return &anthropicStream{x: x, a: a} }

func (s *anthropicStream) event(name string, fields map[string]any) {
	fields["type"] = name
	s.x.event(name, fields)
}

func (s *anthropicStream) begin() {
	s.event("message_start", map[string]any{"message": s.a.anthropicMessage([]any{}, nil, 1)})
}

func (s *anthropicStream) chunk(c llm.Chunk) {
	for _, p := range c.Parts {
		switch p := p.(type) {
		case llm.Text:
			s.start("text", map[string]any{"type": "text", "text": ""}, false)
			s.delta(map[string]any{"type": "text_delta", "text": p.Text})
		case llm.Thought:
			s.start("thinking", map[string]any{"type": "thinking", "thinking": "", "signature": ""}, false)
			s.delta(map[string]any{"type": "thinking_delta", "thinking": p.Text})
			s.last = p
		case llm.ToolCall:
			s.start("tool_use", map[string]any{"type": "tool_use", "id": p.ID, "name": p.Name, "input": map[string]any{}}, true)
			s.delta(map[string]any{"type": "input_json_delta", "partial_json": ""})
			for _, piece := range pieces(arguments(p)) {
				s.delta(map[string]any{"type": "input_json_delta", "partial_json": piece})
			}
			s.stop()
		}
	}
}

// start opens a block, unless one of this kind is open and fresh is false.
func (s *anthropicStream) start(kind string, block map[string]any, fresh bool) {
	if s.open == kind && !fresh {
		return
	}
	s.stop()
	s.event("content_block_start", map[string]any{"index": s.index, "content_block": block})
	if s.index == 0 {
		s.event("ping", map[string]any{})
	}
	s.open = kind
}

func (s *anthropicStream) delta(d map[string]any) {
	s.event("content_block_delta", map[string]any{"index": s.index, "delta": d})
}

func (s *anthropicStream) stop() {
	if s.open == "" {
		return
	}
	if s.open == "thinking" {
		s.delta(map[string]any{"type": "signature_delta", "signature": signature(s.last)})
	}
	s.event("content_block_stop", map[string]any{"index": s.index})
	s.open = ""
	s.index++
}

func (s *anthropicStream) end() {
	s.stop()
	s.event("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": anthropicStop(s.a), "stop_sequence": nil},
		"usage": s.a.anthropicUsage(s.a.usage.Candidates + s.a.usage.Thoughts),
	})
	s.event("message_stop", map[string]any{})
}

func (s *anthropicStream) fail(f Fault) {
	s.x.event("error", anthropicAPI{}.failure(f, s.x.rec.Number))
}

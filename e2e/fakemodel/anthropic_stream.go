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

func (s *anthropicStream) event(name string, fields object) {
	fields["type"] = name
	s.x.event(name, fields)
}

func (s *anthropicStream) begin() {
	s.event("message_start", object{"message": s.a.anthropicMessage([]any{}, nil, 1)})
}

func (s *anthropicStream) chunk(c llm.Chunk) {
	for _, p := range c.Parts {
		switch p := p.(type) {
		case llm.Text:
			s.start("text", object{"type": "text", "text": ""}, false)
			s.delta(object{"type": "text_delta", "text": p.Text})
		case llm.Thought:
			s.start("thinking", object{"type": "thinking", "thinking": "", "signature": ""}, false)
			s.delta(object{"type": "thinking_delta", "thinking": p.Text})
			s.last = p
		case llm.ToolCall:
			s.start("tool_use", object{"type": "tool_use", "id": p.ID, "name": p.Name, "input": object{}}, true)
			s.delta(object{"type": "input_json_delta", "partial_json": ""})
			for _, piece := range pieces(arguments(p)) {
				s.delta(object{"type": "input_json_delta", "partial_json": piece})
			}
			s.stop()
		}
	}
}

// start opens a block, unless one of this kind is open and fresh is false.
func (s *anthropicStream) start(kind string, block object, fresh bool) {
	if s.open == kind && !fresh {
		return
	}
	s.stop()
	s.event("content_block_start", object{"index": s.index, "content_block": block})
	if s.index == 0 {
		s.event("ping", object{})
	}
	s.open = kind
}

func (s *anthropicStream) delta(d object) {
	s.event("content_block_delta", object{"index": s.index, "delta": d})
}

func (s *anthropicStream) stop() {
	if s.open == "" {
		return
	}
	if s.open == "thinking" {
		s.delta(object{"type": "signature_delta", "signature": signature(s.last)})
	}
	s.event("content_block_stop", object{"index": s.index})
	s.open = ""
	s.index++
}

func (s *anthropicStream) end() {
	s.stop()
	s.event("message_delta", object{
		"delta": object{"stop_reason": anthropicStop(s.a), "stop_sequence": nil},
		"usage": s.a.anthropicUsage(s.a.usage.Candidates + s.a.usage.Thoughts),
	})
	s.event("message_stop", object{})
}

func (s *anthropicStream) fail(f Fault) {
	s.x.event("error", anthropicAPI{}.failure(f, s.x.rec.Number))
}

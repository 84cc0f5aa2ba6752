package fakemodel

import (
	"maps"

	"minigem/llm"
)

// responsesStream writes the events of a streamed response.
type responsesStream struct {
	x        *exchange
	a        answer
	sequence int
	output   []any    // completed items
	open     llm.Part // the text or thought being streamed; nil if there is none
}

func (responsesAPI) stream(x *exchange, a answer) streamer {
	return &responsesStream{x: x, a: a, output: []any{}}
}

func (s *responsesStream) event(name string, fields object) {
	fields["type"], fields["sequence_number"] = name, s.sequence
	s.sequence++
	s.x.event(name, fields)
}

func (s *responsesStream) begin() {
	for _, name := range []string{"response.created", "response.in_progress"} {
		s.event(name, object{"response": s.a.response("in_progress", []any{}, nil)})
	}
}

// at returns the fields that locate an event in the output. inner names the index within
// the item. It is empty if the event is about the item itself.
func (s *responsesStream) at(item object, inner string, more object) object {
	fields := object{"output_index": len(s.output)}
	if inner == "" {
		fields["item"] = item
	} else {
		fields["item_id"] = item["id"]
		fields[inner] = 0
	}
	maps.Copy(fields, more)
	return fields
}

func (s *responsesStream) chunk(c llm.Chunk) {
	for _, p := range c.Parts {
		switch p := p.(type) {
		case llm.Text:
			if t, ok := s.open.(llm.Text); ok {
				s.open = llm.Text{Text: t.Text + p.Text}
			} else {
				s.say(p, "content", outputText(""), "response.content_part.added", "content_index")
			}
			s.event("response.output_text.delta",
				s.at(s.item(), "content_index", object{"delta": p.Text, "logprobs": []any{}}))
		case llm.Thought:
			if t, ok := s.open.(llm.Thought); ok {
				p.Text, s.open = t.Text+p.Text, llm.Thought{Text: t.Text + p.Text, Signature: p.Signature}
			} else {
				s.say(p, "summary", summaryText(""), "response.reasoning_summary_part.added", "summary_index")
			}
			s.event("response.reasoning_summary_text.delta", s.at(s.item(), "summary_index", object{"delta": p.Text}))
		case llm.ToolCall:
			s.close()
			s.call(p)
		}
	}
}

// item returns the open item.
func (s *responsesStream) item() object { return s.a.outputItem(s.open, len(s.output)) }

// say opens an item.
func (s *responsesStream) say(p llm.Part, list string, empty object, event, index string) {
	s.close()
	s.open = p
	item := s.item()
	item[list] = []any{}
	if _, ok := item["status"]; ok {
		item["status"] = "in_progress"
	}
	s.event("response.output_item.added", s.at(item, "", nil))
	s.event(event, s.at(item, index, object{"part": empty}))
}

// close ends the open item, if there is one.
func (s *responsesStream) close() {
	if s.open == nil {
		return
	}
	item := s.item()
	switch p := s.open.(type) {
	case llm.Text:
		s.event("response.output_text.done", s.at(item, "content_index", object{"text": p.Text, "logprobs": []any{}}))
		s.event("response.content_part.done", s.at(item, "content_index", object{"part": outputText(p.Text)}))
	case llm.Thought:
		s.event("response.reasoning_summary_text.done", s.at(item, "summary_index", object{"text": p.Text}))
		s.event("response.reasoning_summary_part.done",
			s.at(item, "summary_index", object{"part": summaryText(p.Text)}))
	}
	s.done(item)
	s.open = nil
}

func (s *responsesStream) done(item object) {
	s.event("response.output_item.done", s.at(item, "", nil))
	s.output = append(s.output, item)
}

func (s *responsesStream) call(c llm.ToolCall) {
	item := s.a.outputItem(c, len(s.output))
	name, key := "response.function_call_arguments", "arguments"
	if item["type"] == "custom_tool_call" {
		name, key = "response.custom_tool_call_input", "input"
	}
	text, _ := item[key].(string)
	begun := maps.Clone(item)
	begun["status"], begun[key] = "in_progress", ""
	s.event("response.output_item.added", s.at(begun, "", nil))
	where := object{"item_id": item["id"], "output_index": len(s.output)}
	for _, piece := range pieces(text) {
		fields := maps.Clone(where)
		fields["delta"] = piece
		s.event(name+".delta", fields)
	}
	where[key] = text
	s.event(name+".done", where)
	s.done(item)
}

func (s *responsesStream) end() {
	s.close()
	status, why := responsesStatus(s.a)
	r := s.a.response(status, s.output, s.a.responsesUsage())
	r["incomplete_details"] = why
	s.event("response."+status, object{"response": r})
}

func (s *responsesStream) fail(f Fault) {
	r := s.a.response("failed", s.output, nil)
	e := openAIError(f)
	r["error"] = object{"code": e["code"], "message": e["message"]}
	if e["code"] == nil {
		r["error"] = object{"code": "server_error", "message": e["message"]}
	}
	s.event("response.failed", object{"response": r})
}

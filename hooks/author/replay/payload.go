package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"minigem/hooks/protocol"
)

// Payload fills a payload with what happened last in the session: the last prompt, call
// (of tool, if it is not empty), result or answer, whichever the payload's event is
// about. At model events it fills in the whole conversation. It is an error if the
// session has nothing of the kind.
func (s *Session) Payload(payload []byte, tool string) ([]byte, error) {
	var p map[string]any
	if err := json.Unmarshal(payload, &p); err != nil {
		return nil, fmt.Errorf("reading the payload: %w", err)
	}
	if p == nil {
		return nil, errors.New("reading the payload: it is null, not an object")
	}
	p["session_id"], p["transcript_path"] = s.ID, s.Path
	ev, _ := p["hook_event_name"].(string)
	switch protocol.Event(ev) {
	case protocol.BeforeAgent, protocol.AfterAgent:
		step := s.last(KindPrompt, "")
		if step == nil {
			return nil, fmt.Errorf("%s holds no prompt", s.Path)
		}
		p["prompt"] = step.Text
		if answer := s.last(KindAnswer, ""); answer != nil && ev == string(protocol.AfterAgent) {
			p["prompt_response"] = answer.Text
		}
	case protocol.BeforeTool, protocol.AfterTool:
		step := s.last(KindCall, tool)
		if step == nil {
			return nil, fmt.Errorf("%s holds no call%s", s.Path, of(tool))
		}
		p["tool_name"], p["tool_input"] = step.Call.Name, step.Call.Args
		if protocol.Event(ev) == protocol.AfterTool && step.Response != nil {
			p["tool_response"] = step.Response
		}
	case protocol.BeforeModel, protocol.BeforeToolSelection, protocol.AfterModel:
		request, ok := p["llm_request"].(map[string]any)
		if !ok || request == nil {
			request = map[string]any{}
			p["llm_request"] = request
		}
		request["messages"] = s.messages()
	}
	return protocol.Encode(p)
}

// of says which tool an error is about; nothing if it is about any.
func of(tool string) string {
	if tool == "" {
		return ""
	}
	return " of " + tool
}

// last returns the last step of the kind, of any tool if tool is empty; nil if there is
// none.
func (s *Session) last(kind Kind, tool string) *Step {
	for _, step := range slices.Backward(s.Steps) {
		if step.Kind == kind && (tool == "" || step.Call.Name == tool) {
			return &step
		}
	}
	return nil
}

// messages returns the conversation in the form of a request.
func (s *Session) messages() []protocol.LLMMessage {
	out := []protocol.LLMMessage{}
	for _, step := range s.Steps {
		switch step.Kind {
		case KindPrompt:
			out = append(out, protocol.LLMMessage{Role: "user", Text: step.Text})
		case KindAnswer:
			out = append(out, protocol.LLMMessage{Role: "model", Text: step.Text})
		case KindCall:
			response := map[string]any{}
			switch {
			case step.Denied:
				response["error"] = denied + step.Reason
			case step.Response != nil:
				response["output"] = step.Response.LLMContent
			}
			out = append(out,
				protocol.LLMMessage{
					Role: "model", Parts: []protocol.LLMPart{
						{Type: protocol.PartFunctionCall, Name: step.Call.Name, Args: step.Call.Args, ID: step.Call.ID}}},
				protocol.LLMMessage{
					Role: "user", Parts: []protocol.LLMPart{
						{Type: protocol.PartFunctionResponse, Name: step.Call.Name, Response: response, ID: step.Call.ID}}})
		}
	}
	return out
}

package fakemodel

import (
	"encoding/json"
	"slices"
	"strings"
)

// chatJudge reports what the API would refuse.
type chatJudge struct {
	*reading
	w       chatRequest
	pending []string // ids of calls without results
	callers int      // index of the message with these calls
	open    bool     // the previous message has calls or is a result of one
}

func (j *chatJudge) head(body []byte) {
	if j.w.Model == "" {
		j.problem("you must provide a model parameter")
	}
	if len(j.w.Messages) == 0 {
		j.problem("messages is missing or empty: expected at least one message")
	}
	if j.w.StreamOptions != nil && !j.w.Stream {
		j.problem("stream_options is only allowed when stream is enabled")
	}
	if j.w.N != nil && *j.w.N != 1 {
		j.problem("n: the fake model gives one answer")
	}
	var top map[string]json.RawMessage
	_ = json.Unmarshal(body, &top) // it was decoded before
	if tools, ok := top["tools"]; ok && present(tools) != nil && len(j.w.Tools) == 0 {
		j.problem("tools: [] is too short")
	}
	if choice := present(j.w.Choice); choice != nil && len(j.w.Tools) == 0 {
		j.problem("tool_choice is only allowed when tools are specified")
	} else if choice != nil {
		j.choice(choice)
	}
	for i, t := range j.w.Tools {
		if t.Type != kindFunction && t.Type != kindCustom {
			j.problem("tools[%d].type: %q is not function or custom", i, t.Type)
		}
	}
	j.checkTools(Chat)
}

func (j *reading) choice(choice json.RawMessage) {
	var word string
	var one struct {
		Type     string `json:"type"`
		Name     string `json:"name"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if json.Unmarshal(choice, &word) == nil {
		if !slices.Contains([]string{"none", "auto", "required"}, word) {
			j.problem("tool_choice: %q is not none, auto or required", word)
		}
		return
	}
	if json.Unmarshal(choice, &one) != nil {
		j.problem("tool_choice is neither a word nor an object")
		return
	}
	if name := one.Name + one.Function.Name; one.Type == kindFunction {
		if _, ok := offered(j.tools, name); !ok {
			j.problem("tool_choice: %q is not among the tools", name)
		}
	}
}

// message checks one message. Messages must be checked in order.
func (j *chatJudge) message(i int, m chatMessage) {
	if m.Role != "tool" {
		j.answered()
		j.open = false
	}
	switch m.Role {
	case "system", "developer", "user":
		if present(m.Content) == nil {
			j.problem("messages[%d]: a message of role %s needs content", i, m.Role)
		}
	case "assistant":
		if present(m.Content) == nil && len(m.Calls) == 0 {
			j.problem("messages[%d]: an assistant message needs content or tool_calls", i)
		}
		for k, c := range m.Calls {
			if c.ID == "" || c.Function.Name+c.Custom.Name == "" || c.Type != kindFunction && c.Type != kindCustom {
				j.problem("messages[%d].tool_calls[%d]: a call needs an id, a type and a name", i, k)
			}
			j.pending = append(j.pending, c.ID)
		}
		j.callers, j.open = i, len(m.Calls) > 0
	case "tool":
		at := slices.Index(j.pending, m.CallID)
		switch {
		case !j.open:
			j.problem("messages[%d]: messages with role 'tool' must be a response to a preceding message with 'tool_calls'", i)
		case at < 0:
			j.problem("messages[%d]: tool_call_id %q is not that of a call that waits for its result", i, m.CallID)
		default:
			j.pending = slices.Delete(j.pending, at, at+1)
		}
	default:
		j.problem("messages[%d]: role %q is not system, developer, user, assistant or tool", i, m.Role)
	}
}

// answered checks that all calls of a message have results before anything else follows.
func (j *chatJudge) answered() {
	if len(j.pending) > 0 {
		j.problem("messages[%d]: an assistant message with 'tool_calls' must be followed by tool messages responding to "+
			"each 'tool_call_id': %s have none", j.callers, strings.Join(j.pending, ", "))
	}
	j.pending = nil
}

func (j *chatJudge) end() { j.answered() }

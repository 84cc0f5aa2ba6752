package fakemodel

import (
	"encoding/json"
	"fmt"
	"strings"

	"minigem/llm"
)

// responsesAPI implements OpenAI Responses.
type responsesAPI struct{}

type responsesRequest struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Input        json.RawMessage `json:"input"`
	Tools        []responsesTool `json:"tools"`
	Choice       json.RawMessage `json:"tool_choice"`
	Stream       bool            `json:"stream"`
	Previous     string          `json:"previous_response_id"`
	Text         struct {
		Format struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"text"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Tools       []responsesTool `json:"tools"` // of a namespace
}

// responsesItem is an item of the input.
type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     string          `json:"input"`
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`
	Summary   json.RawMessage `json:"summary"`

	raw json.RawMessage
}

// kind returns the item's type, which messages may omit.
func (i responsesItem) kind() string {
	if i.Type == "" && i.Role != "" {
		return "message"
	}
	return i.Type
}

// isCall and isOutput recognize calls and results of every type.
func (i responsesItem) isCall() bool {
	return i.CallID != "" && strings.HasSuffix(i.Type, "_call")
}

func (i responsesItem) isOutput() bool {
	return i.CallID != "" && (strings.HasSuffix(i.Type, "_call_output") || i.Type == "tool_search_output")
}

// ask adds the tools of a request, including those in namespaces.
func (r *reading) ask(tools []responsesTool, namespace string) {
	for _, t := range tools {
		if len(t.Tools) > 0 {
			r.ask(t.Tools, t.Name)
			continue
		}
		r.offer(Tool{Name: t.Name, Kind: t.Type, Namespace: namespace, Schema: present(t.Parameters)}, t.Description)
	}
}

func (responsesAPI) read(_ *exchange, body []byte, _ bool) (asked, []string, error) {
	var w responsesRequest
	if err := decode(body, &w); err != nil {
		return asked{}, nil, err
	}
	r := &reading{}
	r.Model, r.System, r.stream, r.usage = w.Model, w.Instructions, w.Stream, true
	if f := w.Text.Format; f.Type != "" && f.Type != "text" {
		if r.schema = present(f.Schema); r.schema == nil {
			r.schema = json.RawMessage(`{"type":"object"}`)
		}
	}
	r.ask(w.Tools, "")
	items, err := itemsOf(w.Input)
	if err != nil {
		return asked{}, nil, err
	}
	j := responsesJudge{reading: r, w: w}
	j.head()
	for i, item := range items {
		if err := r.responsesItem(item); err != nil {
			return asked{}, nil, fmt.Errorf("input[%d]: %w", i, err)
		}
		j.item(i, item)
	}
	j.end()
	return r.asked, r.problems, nil
}

// itemsOf parses the input, which is a string from the user or an array of items.
func itemsOf(input json.RawMessage) ([]responsesItem, error) {
	text, raw, err := textOrList(input, "input is neither a text nor an array of items")
	if text != nil {
		return []responsesItem{{Role: "user", Content: input}}, nil
	}
	items := make([]responsesItem, len(raw))
	for i, data := range raw {
		if err := json.Unmarshal(data, &items[i]); err != nil {
			return nil, fmt.Errorf("input[%d] cannot be read: %w", i, err)
		}
		items[i].raw = data
	}
	return items, err
}

func (r *reading) responsesItem(i responsesItem) error {
	switch {
	case i.kind() == "message":
		parts, err := openAIContent(i.Content)
		if err != nil {
			return err
		}
		switch i.Role {
		case "system", "developer":
			r.instruct(parts...)
		case "assistant":
			r.say(llm.RoleModel, parts...)
		default:
			r.say(llm.RoleUser, parts...)
		}
	case i.Type == "reasoning":
		parts, err := openAIContent(i.Summary)
		if err != nil {
			return err
		}
		r.say(llm.RoleModel, llm.Thought{Text: llm.PartsText(parts)})
	case i.isCall():
		r.responsesCall(i)
	case i.isOutput():
		parts, err := openAIContent(i.Output)
		if err != nil {
			parts = []llm.Part{llm.Opaque{JSON: i.Output}}
		}
		r.result(i.CallID, false, parts)
	case strings.HasSuffix(i.Type, "_call"):
		r.say(llm.RoleModel, llm.Opaque{JSON: i.raw})
	default:
		r.instruct(llm.Opaque{JSON: i.raw})
	}
	return nil
}

func (r *reading) responsesCall(i responsesItem) {
	switch i.Type {
	case "custom_tool_call":
		r.call(i.CallID, i.Name, object{"input": i.Input})
	case "function_call":
		var text string
		if json.Unmarshal(i.Arguments, &text) != nil {
			text = string(i.Arguments)
		}
		r.call(i.CallID, i.Name, objectOf([]byte(text)))
	default: // a tool with a type of its own that the client runs
		args := i.Action
		if args == nil {
			args = i.Arguments
		}
		r.call(i.CallID, strings.TrimSuffix(i.Type, "_call"), objectOf(args))
	}
}

func (responsesAPI) failure(f Fault, _ int) any { return object{"error": openAIError(f)} }

// responsesStatus returns the status of an answer, and why it is incomplete.
func responsesStatus(a answer) (status string, why any) {
	switch a.finish {
	case "STOP":
		return "completed", nil
	case "MAX_TOKENS":
		return "incomplete", object{"reason": "max_output_tokens"}
	}
	return "incomplete", object{"reason": "content_filter"}
}

func (a answer) responsesUsage() object {
	out := a.usage.Candidates + a.usage.Thoughts
	return object{
		"input_tokens": a.usage.Prompt, "input_tokens_details": object{"cached_tokens": a.usage.Cached},
		"output_tokens": out, "output_tokens_details": object{"reasoning_tokens": a.usage.Thoughts},
		"total_tokens": a.usage.Prompt + out,
	}
}

// response returns the response object of an answer.
func (a answer) response(status string, output []any, usage any) object {
	return object{
		"id": a.x.id("resp_", 1), "object": "response", "created_at": a.x.rec.Time.Unix(), "status": status,
		"background": false, "error": nil,
		"incomplete_details": nil, "instructions": nil, "max_output_tokens": nil, "max_tool_calls": nil,
		"model": a.asked.Model, "output": output,
		"parallel_tool_calls": true, "previous_response_id": nil, "prompt_cache_key": nil, "reasoning": object{
			"effort": nil, "summary": nil},
		"service_tier": "default", "store": false, "temperature": 1.0,
		"text":        object{"format": object{"type": "text"}},
		"tool_choice": "auto", "tools": []any{}, "top_p": 1.0, "truncation": "disabled", "usage": usage, "user": nil,
		"metadata": object{},
	}
}

func (responsesAPI) whole(a answer) any {
	output := []any{}
	for _, p := range joinedParts(a.parts) {
		if item := a.outputItem(p, len(output)); item != nil {
			output = append(output, item)
		}
	}
	status, why := responsesStatus(a)
	r := a.response(status, output, a.responsesUsage())
	r["incomplete_details"] = why
	return r
}

// outputItem returns the complete n-th item of an output, or nil if the API has none for
// the part.
func (a answer) outputItem(p llm.Part, n int) object {
	switch p := p.(type) {
	case llm.Text:
		return object{"id": a.x.id("msg_", n), "type": "message", "status": "completed", "role": "assistant",
			"content": []any{outputText(p.Text)}}
	case llm.Thought:
		return object{"id": a.x.id("rs_", n), "type": "reasoning", "summary": []any{summaryText(p.Text)},
			"encrypted_content": signature(p)}
	case llm.ToolCall:
		t, _ := offered(a.asked.tools, p.Name)
		if t.custom() {
			return object{"id": a.x.id("ctc_", n), "type": "custom_tool_call", "status": "completed", "call_id": p.ID,
				"name": p.Name, "input": inputOf(p)}
		}
		item := object{"id": a.x.id("fc_", n), "type": "function_call", "status": "completed", "call_id": p.ID,
			"name": p.Name, "arguments": arguments(p)}
		if t.Namespace != "" {
			item["namespace"] = t.Namespace
		}
		return item
	}
	return nil
}

func outputText(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

func summaryText(text string) object {
	return object{"type": "summary_text", "text": text}
}

package transcript

import (
	"github.com/tidwall/gjson"

	"minigem/llm"
)

// parse returns the JSON value, without checking it: callers have.
func parse(json string) gjson.Result { return gjson.Parse(json) }

// decodeMessage reads an object that is valid JSON. Results and displays refer
// to its text instead of copying it.
func decodeMessage(json string) Message {
	var m Message
	c := cursor{text: json}
	c.peek()
	for key := range c.keys() {
		switch key {
		case "id":
			m.ID = c.str()
		case "timestamp":
			m.Timestamp = parseTime(c.str())
		case "type":
			m.Type = Type(c.str())
		case "content":
			m.Content.Plain = c.peek() == '"'
			m.Content.Parts = c.content()
		case "thoughts":
			m.Thoughts = decodeThoughts(parse(c.skip()))
		case "tokens":
			m.Tokens = decodeTokens(parse(c.skip()))
		case "model":
			m.Model = c.str()
		case "toolCalls":
			m.ToolCalls = append(m.ToolCalls, c.toolCalls()...)
		}
	}
	return m
}

// text returns a string value, copied; empty for any other value.
func text(r gjson.Result) string {
	c := cursor{text: r.Raw}
	if r.Type != gjson.String {
		return ""
	}
	return c.str()
}

// decodeThoughts reads a list of thoughts. The result is never nil, so that a message
// keeps its empty list when it is written again.
func decodeThoughts(v gjson.Result) []Thought {
	thoughts := []Thought{}
	for _, t := range v.Array() {
		thoughts = append(
			thoughts, Thought{text(t.Get("subject")), text(t.Get("description")), parseTime(t.Get("timestamp").Str)})
	}
	return thoughts
}

// decodeTokens reads the counts of a message; nil if it has none. A missing count is 0.
func decodeTokens(v gjson.Result) *Tokens {
	if !v.IsObject() {
		return nil
	}
	n := func(key string) int { return int(v.Get(key).Int()) }
	return &Tokens{n("input"), n("output"), n("cached"), n("thoughts"), n("tool"), n("total")}
}

// toolCalls reads a list of calls, or a single one.
func (c *cursor) toolCalls() (calls []ToolCall) {
	switch c.peek() {
	case '[':
		for range c.items() {
			calls = append(calls, c.toolCall())
		}
	case '{':
		calls = append(calls, c.toolCall())
	default:
		c.skip()
	}
	return calls
}

// decodeCall reads a call that is a record's own.
func decodeCall(json string) ToolCall { return (&cursor{text: json}).toolCall() }

// toolCall reads one call. Results and displays stay raw.
func (c *cursor) toolCall() (t ToolCall) {
	if c.peek() != '{' {
		c.skip()
		return t
	}
	for key := range c.keys() {
		switch key {
		case "id":
			t.ID = c.str()
		case "name":
			t.Name = c.str()
		case "args":
			t.Args, _ = c.value().(map[string]any)
		case "result":
			t.Result = Parts{raw: Raw(c.skip())}
		case "status":
			t.Status = c.str()
		case "timestamp":
			t.Timestamp = parseTime(c.str())
		case "agentId":
			t.AgentID = c.str()
		case "resultDisplay":
			t.ResultDisplay = Raw(c.skip())
		case "description":
			t.Description = c.str()
		case "displayName":
			t.DisplayName = c.str()
		case "renderOutputAsMarkdown":
			t.Markdown = c.skip() == "true"
		}
	}
	return t
}

// decodeContent reads valid JSON, or the empty string.
func decodeContent(json string) []llm.Part {
	if json == "" {
		return nil
	}
	return (&cursor{text: json}).content()
}

// content reads what Gemini CLI's files allow: a string, a part, or a list of
// both.
func (c *cursor) content() (parts []llm.Part) {
	switch c.peek() {
	case '"':
		if text := c.str(); text != "" {
			parts = append(parts, llm.Text{Text: text})
		}
	case '{':
		parts = append(parts, c.part())
	case '[':
		for first := range c.items() {
			switch first {
			case '"':
				parts = append(parts, llm.Text{Text: c.str()})
			case '{':
				parts = append(parts, c.part())
			}
		}
	default:
		c.skip()
	}
	return parts
}

// part decodes the common kinds in one pass, and leaves the rest to llm.
func (c *cursor) part() llm.Part {
	start := c.at
	if p, ok := c.commonPart(); ok {
		return p
	}
	c.at = start
	raw := []byte(c.skip())
	p, err := llm.UnmarshalPart(raw)
	if err != nil {
		return llm.Opaque{JSON: raw}
	}
	return p
}

// commonPart reads a part that is only a text, a call or a result. It returns false for
// anything else, and for a part with more fields.
func (c *cursor) commonPart() (p llm.Part, ok bool) {
	keys := 0
	for key := range c.keys() {
		keys++
		first := c.peek()
		switch {
		case keys > 1:
			return nil, false
		case key == "text" && first == '"':
			p, ok = llm.Text{Text: c.str()}, true
		case key == "functionResponse" && first == '{':
			p, ok = c.result()
		case key == "functionCall" && first == '{':
			p, ok = c.call()
		}
		if !ok {
			return nil, false
		}
	}
	return p, ok
}

// result reads a result without blobs; false if it has another form.
func (c *cursor) result() (r llm.ToolResult, ok bool) {
	ok = c.named("response", &r.ID, &r.Name, &r.Response)
	return r, ok
}

// call reads a call of the usual form. It returns false for any other form.
func (c *cursor) call() (t llm.ToolCall, ok bool) {
	ok = c.named("args", &t.ID, &t.Name, &t.Args)
	return t, ok
}

// named reads an object with an id, a name and a member called what, which is an
// object. It returns false for any other form.
func (c *cursor) named(what string, id, name *string, object *map[string]any) bool {
	for key := range c.keys() {
		first := c.peek()
		switch {
		case key == "id" && first == '"':
			*id = c.str()
		case key == "name" && first == '"':
			*name = c.str()
		case key == what && first == '{':
			*object, _ = c.value().(map[string]any)
		default:
			return false
		}
	}
	return true
}

package transcript

import (
	"strings"

	"github.com/tidwall/gjson"

	"minigem/llm"
)

func parse(json string) gjson.Result { return gjson.Parse(json) }

// text returns a string that does not keep the file in memory.
func text(r gjson.Result) string {
	if r.Type != gjson.String {
		return ""
	}
	if strings.IndexByte(r.Raw, '\\') < 0 {
		return strings.Clone(r.Str)
	}
	return r.Str
}

func decodeMessage(o gjson.Result) Message {
	var m Message
	o.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "id":
			m.ID = text(v)
		case "timestamp":
			m.Timestamp = parseTime(v.Str)
		case "type":
			m.Type = Type(text(v))
		case "content":
			m.Content = Content{Parts: decodeContent(v), Plain: v.Type == gjson.String}
		case "thoughts":
			m.Thoughts = decodeThoughts(v)
		case "tokens":
			m.Tokens = decodeTokens(v)
		case "model":
			m.Model = text(v)
		case "toolCalls":
			for _, c := range v.Array() {
				m.ToolCalls = append(m.ToolCalls, decodeCall(c))
			}
		}
		return true
	})
	return m
}

func decodeThoughts(v gjson.Result) []Thought {
	thoughts := []Thought{}
	for _, t := range v.Array() {
		thoughts = append(thoughts, Thought{text(t.Get("subject")), text(t.Get("description")), parseTime(t.Get("timestamp").Str)})
	}
	return thoughts
}

func decodeTokens(v gjson.Result) *Tokens {
	if !v.IsObject() {
		return nil
	}
	n := func(key string) int { return int(v.Get(key).Int()) }
	return &Tokens{n("input"), n("output"), n("cached"), n("thoughts"), n("tool"), n("total")}
}

func decodeCall(o gjson.Result) ToolCall {
	var c ToolCall
	o.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "id":
			c.ID = text(v)
		case "name":
			c.Name = text(v)
		case "args":
			c.Args, _ = decodeAny(v).(map[string]any)
		case "result":
			c.Result = Parts{raw: Raw(v.Raw)}
		case "status":
			c.Status = text(v)
		case "timestamp":
			c.Timestamp = parseTime(v.Str)
		case "agentId":
			c.AgentID = text(v)
		case "resultDisplay":
			c.ResultDisplay = Raw(v.Raw)
		case "description":
			c.Description = text(v)
		case "displayName":
			c.DisplayName = text(v)
		case "renderOutputAsMarkdown":
			c.Markdown = v.Bool()
		}
		return true
	})
	return c
}

// decodeContent reads what Gemini CLI's files allow: a string, a part, or a
// list of both.
func decodeContent(v gjson.Result) []llm.Part {
	switch {
	case v.Type == gjson.String:
		if v.Str == "" {
			return nil
		}
		return []llm.Part{llm.Text{Text: text(v)}}
	case v.IsObject():
		return appendPart(nil, v)
	}
	var parts []llm.Part
	v.ForEach(func(_, p gjson.Result) bool {
		switch {
		case p.Type == gjson.String:
			parts = append(parts, llm.Text{Text: text(p)})
		case p.IsObject():
			parts = appendPart(parts, p)
		}
		return true
	})
	return parts
}

// appendPart decodes the two kinds that make up most of a file without
// another pass over their bytes, and leaves the rest to llm.
func appendPart(parts []llm.Part, o gjson.Result) []llm.Part {
	var first, second gjson.Result
	keys := 0
	o.ForEach(func(key, v gjson.Result) bool {
		if keys++; keys == 1 {
			first, second = key, v
		}
		return keys < 2
	})
	if keys == 1 && first.Str == "text" && second.Type == gjson.String {
		return append(parts, llm.Text{Text: text(second)})
	}
	if keys == 1 && first.Str == "functionResponse" {
		if r, ok := decodeResult(second); ok {
			return append(parts, r)
		}
	}
	p, err := llm.UnmarshalPart([]byte(o.Raw))
	if err != nil {
		return append(parts, llm.Opaque{JSON: []byte(o.Raw)})
	}
	return append(parts, p)
}

// decodeResult reads a result that has no parts of its own; false: it has, or
// is of another form.
func decodeResult(o gjson.Result) (r llm.ToolResult, ok bool) {
	ok = true
	o.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "id":
			r.ID = text(v)
		case "name":
			r.Name = text(v)
		case "response":
			r.Response, ok = decodeAny(v).(map[string]any)
		default:
			ok = false
		}
		return ok
	})
	return r, ok
}

// decodeAny is encoding/json's idea of a value, in one pass.
func decodeAny(v gjson.Result) any {
	switch {
	case v.Type == gjson.String:
		return text(v)
	case v.IsObject():
		o := map[string]any{}
		v.ForEach(func(key, v gjson.Result) bool {
			o[text(key)] = decodeAny(v)
			return true
		})
		return o
	case v.IsArray():
		a := []any{}
		v.ForEach(func(_, v gjson.Result) bool {
			a = append(a, decodeAny(v))
			return true
		})
		return a
	}
	return v.Value()
}

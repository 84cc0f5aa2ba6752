package openai

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"minigem/llm"
)

// Tags that local models write into their text and some servers leave there.
const thinks, thought, calls, called = "<think>", "</think>", "<tool_call>", "</tool_call>"

// texts takes the text of an answer apart: a thought in <think> at its beginning,
// and calls in <tool_call> of tools that were offered.
type texts struct {
	offered func(name string) bool
	state   state
	held    string // the end of the text, which may belong to a tag
	calls   []byte // the text from the first call on
	head    string // the beginning of the answer
}

// headSize is how much of an answer is held, and looked at, to see how it begins.
const headSize = 200

// written matches the beginning of an answer that is a call in a model's own syntax,
// which its server should have read.
var written = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_call|<function=|<tool_call>|` +
		"(?:```(?:json)?\\s*)?" + `\{\s*"(?:name|function)"\s*:\s*"([^"]*)"\s*,\s*"(?:arguments|parameters)")`)
})

// callAsText reports whether the answer begins with a call that was not read.
func (t *texts) callAsText() bool {
	m := written().FindStringSubmatch(t.head)
	return m != nil && t.offered != nil && (m[1] == "" || t.offered(m[1]))
}

// state is how far the text of an answer was read.
type state int

// In the order in which an answer goes through them; a state may be skipped.
const (
	beginning state = iota // nothing but white space came
	thinking
	// after the thought; only white space so far
	behind
	answering
	calling // everything is held until the end
)

// add takes a piece of the text and returns the parts that are certain.
func (t *texts) add(piece string) (parts []llm.Part) {
	if t.state == calling {
		t.calls = append(t.calls, piece...)
		return nil
	}
	text := t.held + piece
	t.held = ""
	if t.state == beginning || t.state == behind {
		trimmed := strings.TrimLeft(text, " \t\r\n")
		rest, found := strings.CutPrefix(trimmed, thinks)
		switch {
		case t.state == beginning && found:
			t.state, text = thinking, rest
		case t.state == beginning && strings.HasPrefix(thinks, trimmed) && len(text) < headSize:
			t.held = text
			return nil
		case t.state == behind && trimmed == "":
			return nil
		case t.state == behind:
			t.state, text = answering, trimmed
		default:
			t.state = answering
		}
	}
	if t.state == thinking {
		said, rest, found := strings.Cut(text, thought)
		if !found {
			said, t.held = splitTag(text, thought)
		}
		if strings.TrimSpace(said) != "" {
			parts = append(parts, llm.Thought{Text: said})
		}
		if !found {
			return parts
		}
		t.state = behind
		return append(parts, t.add(rest)...)
	}
	said, rest, found := strings.Cut(text, calls)
	if found {
		t.state, t.calls = calling, []byte(calls+rest)
	} else {
		said, t.held = splitTag(text, calls)
	}
	return append(parts, t.said(said)...)
}

// said returns text as a part, and notes how the answer begins.
func (t *texts) said(text string) []llm.Part {
	if text == "" {
		return nil
	}
	if room := headSize - len(t.head); room > 0 {
		t.head += text[:min(room, len(text))]
	}
	return []llm.Part{llm.Text{Text: text}}
}

// splitTag splits text before what may be the beginning of tag.
func splitTag(text, tag string) (certain, held string) {
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return text[:len(text)-n], text[len(text)-n:]
		}
	}
	return text, ""
}

// end returns the text that was held back: as a thought, as calls, or as it is.
func (t *texts) end() []llm.Part {
	text := t.held + string(t.calls)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if t.state == thinking {
		return []llm.Part{llm.Thought{Text: text}}
	}
	var parts []llm.Part
	for rest := text; strings.TrimSpace(rest) != ""; {
		before, after, opened := strings.Cut(rest, calls)
		body, behind, _ := strings.Cut(after, called)
		call, ok := t.call(body)
		if !opened || !ok || strings.TrimSpace(before) != "" {
			return t.said(text)
		}
		parts, rest = append(parts, call), behind
	}
	return parts
}

// call reads the JSON inside <tool_call>. It refuses a tool that the request did not
// offer, so that a text about a call stays text.
func (t *texts) call(body string) (llm.ToolCall, bool) {
	var c struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	}
	if json.Unmarshal([]byte(body), &c) != nil || t.offered == nil || !t.offered(c.Name) {
		return llm.ToolCall{}, false
	}
	return llm.ToolCall{Name: c.Name, Args: c.Arguments}, true
}

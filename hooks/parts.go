package hooks

import (
	"minigem/hooks/protocol"
	"minigem/llm"
)

// partsByID indexes calls and results, to find those that a hook gives back.
func partsByID(list []llm.Message) map[string]llm.Part {
	out := map[string]llm.Part{}
	for _, m := range list {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.ToolCall:
				out["call "+pairKey(p.Name, p.ID)] = p
			case llm.ToolResult:
				out["result "+pairKey(p.Name, p.ID)] = p
			}
		}
	}
	return out
}

// newMessage makes a message that a hook added, or moved from elsewhere.
func newMessage(got protocol.LLMMessage, old map[string]llm.Part, a *answer) llm.Message {
	m := llm.Message{Role: llm.Role(got.Role)}
	if got.Parts == nil {
		if got.Text != "" {
			m.Parts = []llm.Part{llm.Text{Text: got.Text}}
		}
		return m
	}
	for _, p := range got.Parts {
		if np := newPart(p, old, a); np != nil {
			m.Parts = append(m.Parts, np)
		}
	}
	return m
}

// newPart returns the part that p describes, or nil if it cannot be made.
func newPart(p protocol.LLMPart, old map[string]llm.Part, a *answer) llm.Part {
	switch p.Type {
	case protocol.PartText:
		return llm.Text{Text: p.Text}
	case protocol.PartFunctionCall:
		if was, ok := old["call "+pairKey(p.Name, p.ID)].(llm.ToolCall); ok {
			if p.Args != nil {
				was.Args = p.Args
			}
			return was
		}
		return llm.ToolCall{ID: p.ID, Name: p.Name, Args: p.Args}
	case protocol.PartFunctionResponse:
		if was, ok := old["result "+pairKey(p.Name, p.ID)].(llm.ToolResult); ok {
			if p.Response != nil {
				was.Response = p.Response
			}
			return was
		}
		return llm.ToolResult{ID: p.ID, Name: p.Name, Response: orEmpty(p.Response)}
	case protocol.PartFileData:
		return llm.FileRef{MIMEType: p.MIMEType, URI: p.FileURI}
	}
	a.warn("llm_request.messages: a part of type %s cannot be added, because hooks do not hold its data", p.Type)
	return nil
}

// rewriteMessage returns was as a hook rewrote it. A string replaces the text and leaves
// the rest, which a string cannot express. An array is the list of parts, and what it
// leaves out was removed. What hooks are not shown (thoughts, parts of unknown kinds)
// stays.
func rewriteMessage(was llm.Message, got protocol.LLMMessage, old map[string]llm.Part, a *answer) llm.Message {
	if got.Parts == nil {
		return llm.Message{Role: was.Role, Parts: rewriteText(was, got.Text)}
	}
	out := llm.Message{Role: was.Role}
	hidden := 0
	keepHidden := func(until int) {
		for ; hidden < until; hidden++ {
			if _, shown := hookPart(was.Parts[hidden]); !shown {
				out.Parts = append(out.Parts, was.Parts[hidden])
			}
		}
	}
	used := make([]bool, len(was.Parts))
	for _, p := range got.Parts {
		i := findPart(was.Parts, used, p)
		if i < 0 {
			if np := newPart(p, old, a); np != nil {
				out.Parts = append(out.Parts, np)
			}
			continue
		}
		used[i] = true
		keepHidden(i)
		out.Parts = append(out.Parts, updatePart(was.Parts[i], p))
	}
	keepHidden(len(was.Parts))
	return out
}

// findPart returns the index of the unused part that p describes, or -1. Calls and
// results are found by id, other parts by order.
func findPart(parts []llm.Part, used []bool, p protocol.LLMPart) int {
	for i, was := range parts {
		hp, shown := hookPart(was)
		if !shown || used[i] || hp.Type != p.Type {
			continue
		}
		switch p.Type {
		case protocol.PartFunctionCall, protocol.PartFunctionResponse:
			if pairKey(hp.Name, hp.ID) != pairKey(p.Name, p.ID) && !(p.ID == "" && hp.Name == p.Name) {
				continue
			}
		case protocol.PartInlineData:
			if hp.MIMEType != p.MIMEType && p.MIMEType != "" || hp.Bytes != p.Bytes && p.Bytes != 0 {
				continue
			}
		case protocol.PartFileData:
			if hp.FileURI != p.FileURI {
				continue
			}
		}
		return i
	}
	return -1
}

// updatePart returns was with the changes of p.
func updatePart(was llm.Part, p protocol.LLMPart) llm.Part {
	switch was := was.(type) {
	case llm.Text:
		was.Text = p.Text
		return was
	case llm.ToolCall:
		if p.Args != nil {
			was.Args = p.Args
		}
		return was
	case llm.ToolResult:
		if p.Response != nil {
			was.Response = p.Response
		}
		return was
	}
	return was
}

// rewriteText replaces m's first text by text. If m has no text, it goes before
// the calls of the model and after the results of tools.
func rewriteText(m llm.Message, text string) []llm.Part {
	var out []llm.Part
	done := text == ""
	for _, p := range m.Parts {
		t, ok := p.(llm.Text)
		switch {
		case !ok:
			out = append(out, p)
		case !done:
			t.Text = text
			out, done = append(out, t), true
		}
	}
	switch {
	case done:
		return out
	case m.Role == llm.RoleModel:
		return append([]llm.Part{llm.Text{Text: text}}, out...)
	}
	return append(out, llm.Text{Text: text})
}

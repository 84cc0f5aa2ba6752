package hooks

import (
	"fmt"
	"maps"
	"slices"

	"minigem/hooks/protocol"
	"minigem/llm"
)

// requestChange collects the changes by hooks that read the same request. The zero
// value changes nothing.
type requestChange struct {
	model    string
	sampling llm.Sampling // only the four that hooks can set
	messages messageEdits
	changed  bool
	warn     func(format string, args ...any) // of the last answer that changed something
}

// readChange returns what an answer changes in read, the request that its hook read.
func readChange(read *ModelRequest, c *protocol.LLMRequestChange, a *answer) requestChange {
	ch := requestChange{warn: a.warn}
	if c.Model != "" && c.Model != read.Model {
		ch.model, ch.changed = c.Model, true
		a.note("asks %s instead of %s", c.Model, read.Model)
	}
	set := func(name string, to **float64, was, is *float64) {
		if is != nil && (was == nil || *was != *is) {
			*to, ch.changed = is, true
			a.note("sets %s to %v", name, *is)
		}
	}
	set("temperature", &ch.sampling.Temperature, read.Sampling.Temperature, c.Temperature)
	set("topP", &ch.sampling.TopP, read.Sampling.TopP, c.TopP)
	set("topK", &ch.sampling.TopK, read.Sampling.TopK, c.TopK)
	if is, was := c.MaxTokens, read.Sampling.MaxOutputTokens; is != nil && (was == nil || *was != *is) {
		ch.sampling.MaxOutputTokens, ch.changed = is, true
		a.note("sets maxOutputTokens to %d", *is)
	}
	warnEchoedTools(read, c.Tools, a)
	if c.Messages != nil {
		ch.messages = editMessages(read.Messages, c.Messages, a)
		ch.changed = ch.changed || !ch.messages.empty()
	}
	return ch
}

// sameToolConfig reports whether b, which may be nil, says the same as a, in the same
// order.
func sameToolConfig(a, b *protocol.ToolConfig) bool {
	return b != nil && a.Mode == b.Mode && slices.Equal(a.AllowedFunctionNames, b.AllowedFunctionNames)
}

// and returns c followed by later, key by key. later wins where both changed the same.
func (c requestChange) and(later requestChange, a *answer) requestChange {
	if !later.changed {
		return c
	}
	out := c
	out.changed, out.warn = true, later.warn
	if later.model != "" {
		out.model = later.model
	}
	pick := func(to **float64, from *float64) {
		if from != nil {
			*to = from
		}
	}
	pick(&out.sampling.Temperature, later.sampling.Temperature)
	pick(&out.sampling.TopP, later.sampling.TopP)
	pick(&out.sampling.TopK, later.sampling.TopK)
	if later.sampling.MaxOutputTokens != nil {
		out.sampling.MaxOutputTokens = later.sampling.MaxOutputTokens
	}
	out.messages = c.messages.and(later.messages, a)
	return out
}

// apply returns read with the change, or read itself if there is none.
func (c requestChange) apply(read *ModelRequest) *ModelRequest {
	if !c.changed {
		return read
	}
	r := read.Request
	if c.model != "" {
		r.Model = c.model
		if t := r.Sampling.Thinking; t != nil {
			// Budget and level were set for the old model and may be wrong for the new one.
			r.Sampling.Thinking = &llm.Thinking{IncludeThoughts: t.IncludeThoughts}
		}
	}
	pick := func(to **float64, from *float64) {
		if from != nil {
			*to = from
		}
	}
	pick(&r.Sampling.Temperature, c.sampling.Temperature)
	pick(&r.Sampling.TopP, c.sampling.TopP)
	pick(&r.Sampling.TopK, c.sampling.TopK)
	if c.sampling.MaxOutputTokens != nil {
		r.Sampling.MaxOutputTokens = c.sampling.MaxOutputTokens
	}
	if !c.messages.empty() {
		r.Messages = c.messages.apply(read.Messages, c.warn)
		for _, s := range c.messages.system {
			if r.System != "" {
				r.System += "\n\n"
			}
			r.System += s
		}
	}
	return NewModelRequest(r)
}

// messageEdits are changes of a list of messages, by index in that list.
type messageEdits struct {
	replace map[int]llm.Message
	remove  map[int]bool
	insert  map[int][]llm.Message // before the index; the list's length: at the end
	system  []string              // to be added to the system instruction
}

// empty reports whether the edits change nothing.
func (m messageEdits) empty() bool {
	return len(m.replace) == 0 && len(m.remove) == 0 && len(m.insert) == 0 && len(m.system) == 0
}

// and merges the edits of a later hook that read the same list: it wins where
// both changed a message; what both added stays.
func (m messageEdits) and(later messageEdits, a *answer) messageEdits {
	if m.empty() {
		return later
	}
	out := messageEdits{replace: maps.Clone(m.replace), remove: maps.Clone(m.remove), insert: maps.Clone(m.insert)}
	for i, msg := range later.replace {
		if _, both := out.replace[i]; both || out.remove[i] {
			a.note("changes messages[%d], which an earlier hook changed too", i)
		}
		delete(out.remove, i)
		out.replace[i] = msg
	}
	for i := range later.remove {
		delete(out.replace, i)
		out.remove[i] = true
	}
	for i, msgs := range later.insert {
		out.insert[i] = slices.Concat(out.insert[i], msgs)
	}
	out.system = slices.Concat(m.system, later.system)
	return out
}

// apply returns list with the edits. The result can be sent: calls and results stay in
// pairs, roles alternate, and it is not empty. warn is called for each repair.
func (m messageEdits) apply(list []llm.Message, warn func(string, ...any)) []llm.Message {
	var out []llm.Message
	for i, msg := range list {
		out = append(out, m.insert[i]...)
		if r, ok := m.replace[i]; ok {
			msg = r
		}
		if !m.remove[i] && len(msg.Parts) > 0 {
			out = append(out, msg)
		}
	}
	out = append(out, m.insert[len(list)]...)
	out = coalesce(repair(out, orphans(list), warn))
	if len(out) == 0 {
		warn("llm_request.messages ignored: nothing would be left to send")
		return list
	}
	return out
}

// orphans returns the keys of calls without a result and of results without a call.
func orphans(list []llm.Message) map[string]bool {
	calls, results := map[string]bool{}, map[string]bool{}
	for _, m := range list {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.ToolCall:
				calls[pairKey(p.Name, p.ID)] = true
			case llm.ToolResult:
				results[pairKey(p.Name, p.ID)] = true
			}
		}
	}
	out := map[string]bool{}
	for k := range calls {
		if !results[k] {
			out[k] = true
		}
	}
	for k := range results {
		if !calls[k] {
			out[k] = true
		}
	}
	return out
}

// pairKey identifies a call and its result. Without an id they are paired by the tool's
// name.
func pairKey(name, id string) string {
	if id == "" {
		return "name:" + name
	}
	return "id:" + llm.WireID(name, id)
}

// repair drops the calls and results that lost their counterpart, except those
// that had none before.
func repair(list []llm.Message, before map[string]bool, warn func(string, ...any)) []llm.Message {
	lost := orphans(list)
	maps.DeleteFunc(lost, func(k string, _ bool) bool { return before[k] })
	if len(lost) == 0 {
		return list
	}
	var out []llm.Message
	for _, m := range list {
		parts := slices.DeleteFunc(slices.Clone(m.Parts), func(p llm.Part) bool {
			what, key := "", ""
			switch p := p.(type) {
			case llm.ToolCall:
				what, key = fmt.Sprintf("call of %s", p.Name), pairKey(p.Name, p.ID)
			case llm.ToolResult:
				what, key = fmt.Sprintf("result of %s", p.Name), pairKey(p.Name, p.ID)
			}
			if key == "" || !lost[key] {
				return false
			}
			warn("llm_request.messages: the %s was left without its counterpart and is left out too", what)
			return true
		})
		if len(parts) > 0 {
			out = append(out, llm.Message{Role: m.Role, Parts: parts})
		}
	}
	return out
}

// coalesce joins neighbours of the same role.
func coalesce(list []llm.Message) []llm.Message {
	var out []llm.Message
	for _, m := range list {
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1] = llm.Message{Role: m.Role, Parts: slices.Concat(out[n-1].Parts, m.Parts)}
			continue
		}
		out = append(out, m)
	}
	return out
}

package agent

import (
	"fmt"
	"slices"
	"strings"

	"minigem/llm"
)

// What the API demands of a conversation, and how any history is made to meet
// it (core/core/geminiChat.ts). The history itself stays as it happened; these
// rules are applied to each request, so that a session that was cut off,
// resumed or changed by a hook is as good as a whole one:
//
//   - thoughts and empty messages are not sent;
//   - roles alternate: messages of one role in a row become one, and results
//     that were never answered are closed by a placeholder of the model's;
//   - each call is followed by its result, first thing in the next message: a
//     missing one is made up, one without a call is dropped;
//   - in the active loop, gemini-3 models want a signature on the first call of
//     each message;
//   - other models take blobs next to a result, not inside it.

// What the placeholders say: of the model after results that it never answered, and of
// a call without a result.
const (
	unanswered = "(The turn ended here without an answer.)"
	notRunLost = "not run: the session was interrupted"
)

// skipSignature is sent, as by Gemini CLI, if a signature is missing.
var skipSignature = llm.SkipSignature()

// normalize returns messages in a form that the API accepts. It does not change
// its argument.
func normalize(messages []llm.Message) []llm.Message {
	return coalesce(pair(coalesce(strip(messages))))
}

// strip leaves out thoughts, blank texts and messages that are then empty. A blank text
// that carries a signature stays, because the API wants the signature back.
func strip(messages []llm.Message) []llm.Message {
	out := make([]llm.Message, 0, len(messages))
	for _, m := range messages {
		parts := slices.DeleteFunc(slices.Clone(m.Parts), func(p llm.Part) bool {
			switch p := p.(type) {
			case llm.Thought:
				return true
			case llm.Text:
				return p.Text == "" && p.Signature == nil
			}
			return false
		})
		if len(parts) > 0 {
			out = append(out, llm.Message{Role: m.Role, Parts: parts})
		}
	}
	return out
}

// coalesce joins neighbouring messages of one role. Between results of tools and a
// prompt that follows them it puts a message of the model, so that the prompt is
// recognized as one.
func coalesce(messages []llm.Message) []llm.Message {
	out := make([]llm.Message, 0, len(messages))
	for _, m := range messages {
		n := len(out) - 1
		switch {
		case n < 0 || out[n].Role != m.Role:
			out = append(out, m)
		case hasResult(out[n]) && !hasResult(m):
			out = append(out, llm.ModelText(unanswered), m)
		default:
			out[n].Parts = slices.Concat(out[n].Parts, m.Parts)
		}
	}
	return out
}

// hasResult reports whether m has a result of a tool.
func hasResult(m llm.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p llm.Part) bool { _, ok := p.(llm.ToolResult); return ok })
}

// pair puts the result of each call at the head of the next message and drops
// all other results. It needs alternating roles.
func pair(messages []llm.Message) []llm.Message {
	out := make([]llm.Message, 0, len(messages))
	var open []llm.ToolCall
	for _, m := range messages {
		if m.Role == llm.RoleModel {
			open = m.Calls()
			out = append(out, m)
			continue
		}
		if parts := answer(open, m.Parts); len(parts) > 0 {
			out = append(out, llm.Message{Role: m.Role, Parts: parts})
		}
		open = nil
	}
	if len(open) > 0 {
		out = append(out, llm.Message{Role: llm.RoleUser, Parts: answer(open, nil)})
	}
	return out
}

// answer returns the results of calls, in their order, and then the other parts. A
// missing result is made up; one without a call is dropped. If several results have the
// same ID, the last one counts.
func answer(calls []llm.ToolCall, parts []llm.Part) []llm.Part {
	given := map[string]llm.Part{}
	var others []llm.Part
	for _, p := range parts {
		if r, ok := p.(llm.ToolResult); ok {
			given[r.ID] = r
		} else {
			others = append(others, p)
		}
	}
	var out []llm.Part
	for _, c := range calls {
		if r, ok := given[c.ID]; ok {
			out = append(out, r)
		} else {
			out = append(out, notRun(c, notRunLost))
		}
	}
	return append(out, others...)
}

// notRun is the result of a call that did not run.
func notRun(c llm.ToolCall, why string) llm.ToolResult {
	return llm.ToolResult{ID: c.ID, Name: c.Name, Response: map[string]any{"error": why}}
}

// forModel applies the rules that differ between models, to normalized messages. Models
// that check signatures get the missing ones; others get no blobs inside results.
func forModel(model string, messages []llm.Message) []llm.Message {
	if wantsSignatures(model) {
		return signed(messages)
	}
	return flattened(messages)
}

// wantsSignatures reports whether the model checks the signatures of calls.
func wantsSignatures(model string) bool { return strings.Contains(model, "gemini-3") }

// isPrompt reports whether the user wrote m, rather than tools.
func isPrompt(m llm.Message) bool { return m.Role == llm.RoleUser && !hasResult(m) }

// signed adds the missing signature to the first call of each message of the active
// loop, which begins after the user's last text. messages and their parts are not
// changed.
func signed(messages []llm.Message) []llm.Message {
	from := 0
	for i, m := range messages {
		if isPrompt(m) {
			from = i
		}
	}
	out := slices.Clone(messages)
	for i := from; i < len(out); i++ {
		at := slices.IndexFunc(out[i].Parts, func(p llm.Part) bool { _, ok := p.(llm.ToolCall); return ok })
		if at < 0 {
			continue
		}
		if c := out[i].Parts[at].(llm.ToolCall); c.Signature == nil {
			c.Signature = skipSignature
			out[i].Parts = slices.Clone(out[i].Parts)
			out[i].Parts[at] = c
		}
	}
	return out
}

// flattened moves the blobs inside results next to them.
func flattened(messages []llm.Message) []llm.Message {
	out := make([]llm.Message, len(messages))
	for i, m := range messages {
		var blobs []llm.Part
		parts := make([]llm.Part, 0, len(m.Parts))
		for _, p := range m.Parts {
			if r, ok := p.(llm.ToolResult); ok && len(r.Parts) > 0 {
				blobs = append(blobs, r.Parts...)
				r.Parts = nil
				p = r
			}
			parts = append(parts, p)
		}
		out[i] = llm.Message{Role: m.Role, Parts: append(parts, blobs...)}
	}
	return out
}

// Memory is a [History] in memory, for subagents and tests. The zero Memory is empty. It
// is not safe for concurrent use.
type Memory struct{ messages []llm.Message }

// Messages implements [History]. It returns the list itself, which must not be changed.
func (h *Memory) Messages() []llm.Message { return h.messages }

// Append implements [History]. It keeps m's parts without copying them.
func (h *Memory) Append(m llm.Message) { h.messages = append(h.messages, m) }

// Rollback implements [History]. It panics if there are fewer than n messages.
func (h *Memory) Rollback(n int) {
	if n > len(h.messages) {
		panic(fmt.Sprintf("rolling back %d messages to %d", len(h.messages), n))
	}
	h.messages = slices.Clone(h.messages[:n])
}

// Replace implements [History]. It copies ms.
func (h *Memory) Replace(ms []llm.Message) { h.messages = slices.Clone(ms) }

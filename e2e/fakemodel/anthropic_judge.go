package fakemodel

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// anthropicJudge reports what the API would refuse.
type anthropicJudge struct {
	*reading
	w       anthropicRequest
	h       http.Header
	pending []string        // ids of calls without results
	seen    map[string]bool // ids of all calls

	counting bool // the request only counts tokens
}

// cacheMarks limits the blocks of a request that may have cache_control.
const cacheMarks = 4

func (j *anthropicJudge) head(body []byte) {
	if j.h.Get("anthropic-version") == "" {
		j.problem("anthropic-version: header is required")
	}
	if j.w.Model == "" {
		j.problem("model: Field required")
	}
	switch {
	case j.counting:
	case j.w.MaxTokens == nil:
		j.problem("max_tokens: Field required")
	case *j.w.MaxTokens < 1:
		j.problem("max_tokens: must be greater than or equal to 1")
	}
	if len(j.w.Messages) == 0 {
		j.problem("messages: at least one message is required")
	}
	if t := j.w.Thinking; t != nil && t.Type == "enabled" {
		if t.Budget < 1024 {
			j.problem("thinking.budget_tokens: must be greater than or equal to 1024")
		}
		if j.w.MaxTokens != nil && t.Budget >= *j.w.MaxTokens {
			j.problem("max_tokens must be greater than thinking.budget_tokens")
		}
	}
	var all any
	_ = json.Unmarshal(body, &all) // it was decoded before
	if n := cacheControls(all); n > cacheMarks {
		j.problem("a maximum of %d blocks with cache_control may be provided: found %d", cacheMarks, n)
	}
	j.checkTools(Anthropic)
	if c := j.w.Choice; c != nil {
		if !slices.Contains([]string{"auto", "any", "tool", "none"}, c.Type) {
			j.problem("tool_choice: %q is not auto, any, tool or none", c.Type)
		}
		if _, ok := offered(j.tools, c.Name); c.Type == "tool" && !ok {
			j.problem("tool_choice: tool %q not found in provided tools", c.Name)
		}
	}
	j.seen = map[string]bool{}
}

// message checks one message. Messages must be checked in order.
func (j *anthropicJudge) message(i int, role string, bs []anthropicBlock) {
	switch {
	case role != "user" && role != "assistant" && role != "system":
		j.problem("messages[%d]: role %q is neither user nor assistant", i, role)
	case i == 0 && role != "user":
		j.problem("messages[0]: the first message must use the user role")
	case len(bs) == 0 && !(role == "assistant" && i == len(j.w.Messages)-1):
		j.problem("messages[%d]: all messages must have non-empty content except for the optional final assistant message", i)
	}
	waiting := j.pending
	j.pending = nil
	other := false // other content came first
	for k, b := range bs {
		switch b.Type {
		case "text":
			if b.Text == "" {
				j.problem("messages[%d].content[%d]: text content blocks must be non-empty", i, k)
			}
			other = true
		case "tool_use":
			j.toolUse(i, k, role, b)
		case "tool_result":
			at := slices.Index(waiting, b.ToolUseID)
			switch {
			case role != "user":
				j.problem("messages[%d].content[%d]: tool_result blocks can only be in user messages", i, k)
			case at < 0:
				j.problem("messages[%d].content[%d]: unexpected tool_use_id found in tool_result blocks: %s; each must have a "+
					"corresponding tool_use block in the previous message", i, k, b.ToolUseID)
			case other:
				j.problem("messages[%d].content[%d]: tool_result blocks must come first in a message", i, k)
			}
			if at >= 0 {
				waiting = slices.Delete(slices.Clone(waiting), at, at+1)
			}
		default:
			other = true
		}
	}
	if len(waiting) > 0 {
		j.problem("messages[%d]: tool_use ids were found without tool_result blocks immediately after: %s", i-1,
			strings.Join(waiting, ", "))
	}
}

func (j *anthropicJudge) toolUse(i, k int, role string, b anthropicBlock) {
	if role != "assistant" {
		j.problem("messages[%d].content[%d]: tool_use blocks can only be in assistant messages", i, k)
	}
	if j.seen[b.ID] {
		j.problem("messages[%d].content[%d]: tool_use ids must be unique: %s", i, k, b.ID)
	}
	if !toolNames[Anthropic]().MatchString(b.ID) || b.Name == "" {
		j.problem("messages[%d].content[%d]: a tool_use needs a name, and an id of letters, digits, _ and -", i, k)
	}
	j.seen[b.ID] = true
	j.pending = append(j.pending, b.ID)
}

func (j *anthropicJudge) end() {
	n := len(j.w.Messages)
	if len(j.pending) > 0 {
		j.problem("messages[%d]: tool_use ids were found without tool_result blocks immediately after: %s", n-1,
			strings.Join(j.pending, ", "))
	}
}

// cacheControls counts the cache_control fields in a body.
func cacheControls(v any) int {
	n := 0
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += cacheControls(e)
		}
	case object:
		if mark, ok := v["cache_control"].(object); ok && mark["type"] == "ephemeral" {
			n++
		}
		for _, e := range v {
			n += cacheControls(e)
		}
	}
	return n
}

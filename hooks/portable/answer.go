package portable

import (
	"maps"

	"minigem/hooks/agents"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// Answer expresses the hooks' answers to the agent, one answer for each payload in the
// order of [Call.Payloads]. Of several the strongest counts: a stop, then a denial, then
// a question. All their contexts are joined. Without answers, or if the agent's event is
// not Gemini CLI's, the result is empty.
func (c *Call) Answer(outs ...protocol.Output) agents.Said {
	if c.Event == "" || len(outs) == 0 {
		return agents.Said{}
	}
	at := 0
	for i, o := range outs {
		if rank(o) > rank(outs[at]) {
			at = i
		}
	}
	o := outs[at]
	for i, other := range outs {
		if i != at && other.AdditionalContext != "" {
			o.AdditionalContext += "\n" + other.AdditionalContext
		}
		if i != at && other.ToolInput != nil && rank(o) < 3 { // a change to one of several cannot be expressed
			o.ToolInput, o.Decision = other.ToolInput, ""
		}
	}
	if c.Agent.ID == "gemini" {
		return c.sayGemini(o)
	}
	return c.Agent.Say(c.point, c.meant(o, at))
}

// rank orders answers by strength; 0 says nothing about the action.
func rank(o protocol.Output) int {
	switch {
	case o.Stop:
		return 4
	case o.Decision == protocol.Deny:
		return 3
	case o.Decision == protocol.Ask:
		return 2
	case o.ToolInput != nil:
		return 1
	}
	return 0
}

// sayGemini expresses all of o, in Gemini CLI's own form. A denial also exits with 2, with
// its reason on stderr.
func (c *Call) sayGemini(o protocol.Output) agents.Said {
	var s agents.Said
	if rank(o) == 0 && o.SystemMessage == "" && o.AdditionalContext == "" && o.LLMRequest == nil && o.LLMResponse == nil &&
		o.ToolConfig == nil && !o.ClearContext && o.TailToolCall == nil {
		return s
	}
	if o.Decision == protocol.Deny && c.Event.CanBlock() {
		if o.Reason == "" {
			o.Reason = "refused by a hook"
		}
		s.Exit, s.Stderr = 2, o.Reason
	}
	data, err := protocol.Encode(o)
	if err != nil {
		return agents.Refusal("the answer of a hook cannot be written: " + err.Error())
	}
	s.Stdout = string(text.JSON(data)) + "\n"
	return s
}

// meant returns an answer independent of any agent. at is the index of its payload.
func (c *Call) meant(o protocol.Output, at int) agents.Meant {
	m := agents.Meant{
		Kind: agents.Allowed, Reason: o.Reason, Context: o.AdditionalContext, ToUser: o.SystemMessage,
		Native: c.Native, Result: c.result,
	}
	if o.SuppressOutput {
		m.ToUser = ""
	}
	if o.Stop {
		m.Kind, m.Reason = agents.RunEnded, o.StopReason
		return m
	}
	denied := o.Decision == protocol.Deny
	switch c.Event {
	case protocol.BeforeTool:
		switch {
		case denied:
			m.Kind = agents.Refused
		case o.Decision == protocol.Ask:
			m.Kind = agents.Asked
		case o.ToolInput != nil:
			m.Kind, m.Input, m.Reason = agents.Rewritten, c.rewritten(o, at),
				"a hook wants other arguments, and cannot say so here"
		case m.Context != "":
			m.Kind = agents.Context
		}
	case protocol.AfterTool:
		if denied {
			m.Kind = agents.Replaced
		} else if m.Context != "" {
			m.Kind = agents.Appended
		}
	case protocol.BeforeAgent:
		if denied {
			m.Kind = agents.PromptBlocked
		} else if m.Context != "" {
			m.Kind = agents.Context
		}
	case protocol.AfterAgent:
		if denied {
			m.Kind = agents.Retry
		}
	case protocol.SessionStart:
		if m.Context != "" {
			m.Kind = agents.Context
		}
	}
	return m
}

// rewritten returns the agent's arguments with the changes of an answer, or nil if they
// cannot be expressed.
func (c *Call) rewritten(o protocol.Output, at int) map[string]any {
	p := c.parts[at]
	if p.back == nil || len(c.parts) > 1 {
		return nil
	}
	if o.WholeToolInput {
		return p.back(o.ToolInput)
	}
	args := maps.Clone(p.args)
	if args == nil {
		args = map[string]any{}
	}
	for key, v := range o.ToolInput {
		if args[key] = v; v == nil {
			delete(args, key)
		}
	}
	return p.back(args)
}

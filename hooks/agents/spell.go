package agents

import "maps"

// spellers express what is meant, by the names in Schema.Say. ok is false if there is no
// spelling for it.
var spellers = map[string]func(a *Agent, p Point, m Meant) (said Said, ok bool){
	"claude": spellClaude, "codex": spellCodex, "qwen": spellQwen, "gemini": spellGemini, "copilot": spellCopilot,
	"exit2": spellExit2, "cline": spellCline,
}

// spell returns the ways in which m may be said, the best first.
func (a *Agent) spell(p Point, m Meant) (all []Said) {
	if m.Native == "" {
		own, _ := a.Event(p)
		m.Native = own.Native
	}
	if m.Kind == Rewritten && m.Input == nil {
		return nil
	}
	for _, name := range a.Answer.Say {
		if said, ok := spellers[name](a, p, m); ok {
			all = append(all, said)
		}
	}
	return all
}

// blocked returns exit 2 with the reason on stderr, which counts in most agents, and with
// stdout for the others.
func blocked(m Meant, stdout map[string]any) Said {
	return Said{Exit: 2, Stderr: m.Reason, Stdout: asLine(stdout)}
}

// answerOf returns an answer: fields at the top, and fields of hookSpecificOutput with the
// event's name.
func answerOf(m Meant, top, nested map[string]any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, top)
	if len(nested) > 0 {
		nested["hookEventName"] = m.Native
		out["hookSpecificOutput"] = nested
	}
	return out
}

// with adds text to fields, unless it is empty.
func with(fields map[string]any, key, text string) map[string]any {
	if fields == nil {
		fields = map[string]any{}
	}
	if text != "" {
		fields[key] = text
	}
	return fields
}

// spellClaude speaks to Claude Code. It both exits with 2 and prints JSON, so that a
// refusal holds if either is read.
func spellClaude(_ *Agent, p Point, m Meant) (Said, bool) {
	top := with(nil, "systemMessage", m.ToUser)
	nested := map[string]any{}
	if p != AgentStop { // there it would send the answer back
		nested = with(nested, "additionalContext", m.Context)
	}
	deny := func() { nested["permissionDecision"], nested["permissionDecisionReason"] = "deny", m.Reason }
	switch m.Kind {
	case Refused:
		deny()
		return blocked(m, answerOf(m, top, nested)), true
	case Asked:
		nested["permissionDecision"], nested["permissionDecisionReason"] = "ask", m.Reason
	case Rewritten:
		nested["updatedInput"] = m.Input
	case RunEnded:
		top["continue"], top["stopReason"] = false, m.Reason
		if p == BeforeTool { // else the tool runs first
			deny()
			return blocked(m, answerOf(m, top, nested)), true
		}
	case PromptBlocked, Retry:
		top["decision"], top["reason"] = "block", m.Reason
		return blocked(m, answerOf(m, top, nested)), true
	case Replaced:
		result, ok := sameShape(m.Result, m.Reason)
		if !ok {
			return Said{}, false
		}
		nested["updatedToolOutput"] = result
	case Appended:
		if m.Context == "" {
			top["decision"], top["reason"] = "block", m.Reason
		}
	}
	return Said{Stdout: asLine(answerOf(m, top, nested))}, true
}

// sameShape returns text in the shape of a command's result, the only shape that is
// known.
func sameShape(result any, text string) (map[string]any, bool) {
	before, ok := result.(map[string]any)
	if !ok || before["stdout"] == nil || before["stderr"] == nil || before["interrupted"] == nil {
		return nil, false
	}
	out := maps.Clone(before)
	out["stdout"], out["stderr"] = text, ""
	return out, true
}

// spellCodex speaks to Codex CLI, whose hooks cannot ask, and can end a run only at its
// start.
func spellCodex(_ *Agent, p Point, m Meant) (Said, bool) {
	switch m.Kind {
	case Refused, PromptBlocked, Retry, Replaced: // only stderr is read then
		m.Reason = joined(m.Reason, m.Context)
		return blocked(m, nil), true
	case Asked:
		return Said{}, false
	}
	top := with(nil, "systemMessage", m.ToUser)
	nested := map[string]any{}
	if p != AgentStop {
		nested = with(nested, "additionalContext", firstOf(m.Context, appendedReason(m)))
	}
	switch m.Kind {
	case Rewritten:
		nested["permissionDecision"], nested["updatedInput"] = "allow", m.Input
	case RunEnded:
		if p != SessionStart {
			return Said{}, false
		}
		top["continue"], top["stopReason"] = false, m.Reason
	}
	return Said{Stdout: asLine(answerOf(m, top, nested))}, true
}

// appendedReason returns the reason if it can only be appended.
func appendedReason(m Meant) string {
	if m.Kind == Appended && m.Context == "" {
		return m.Reason
	}
	return ""
}

// spellQwen speaks to Qwen Code, whose hooks cannot change arguments.
func spellQwen(_ *Agent, p Point, m Meant) (Said, bool) {
	top, nested := map[string]any{}, map[string]any{}
	if p != AgentStop {
		nested = with(nested, "additionalContext", firstOf(m.Context, appendedReason(m)))
	}
	switch m.Kind {
	case Refused, PromptBlocked, Retry:
		m.Reason = joined(m.Reason, m.Context)
		return blocked(m, nil), true
	case Asked:
		nested["permissionDecision"], nested["permissionDecisionReason"] = "ask", m.Reason
	case Replaced: // block is ignored there, and this does not end the run
		top["continue"], top["stopReason"] = false, m.Reason
	case Rewritten, RunEnded:
		return Said{}, false
	}
	return Said{Stdout: asLine(answerOf(m, top, nested))}, true
}

// spellGemini speaks to Gemini CLI, in its own names.
func spellGemini(_ *Agent, p Point, m Meant) (Said, bool) {
	top, nested := with(nil, "systemMessage", m.ToUser), map[string]any{}
	if p != AgentStop && p != BeforeTool {
		nested = with(nested, "additionalContext", firstOf(m.Context, appendedReason(m)))
	}
	switch m.Kind {
	case Refused, PromptBlocked, Retry, Replaced:
		top["decision"], top["reason"] = "deny", m.Reason
		return blocked(m, answerOf(m, top, nested)), true
	case Asked:
		top["decision"], top["reason"] = "ask", m.Reason
	case Rewritten:
		nested["tool_input"] = m.Input
	case RunEnded:
		top["continue"], top["stopReason"] = false, m.Reason
	}
	return Said{Stdout: asLine(answerOf(m, top, nested))}, true
}

// spellCopilot speaks to Copilot CLI, in both of its configurations. It cannot end a run.
func spellCopilot(a *Agent, p Point, m Meant) (Said, bool) {
	top := with(nil, "additionalContext", firstOf(m.Context, appendedReason(m)))
	switch m.Kind {
	case Refused:
		top["permissionDecision"], top["permissionDecisionReason"] = "deny", m.Reason
		return blocked(m, top), true
	case Asked:
		top["permissionDecision"], top["permissionDecisionReason"] = "ask", m.Reason
	case Rewritten:
		if a.ID == "copilotc" {
			return Said{Stdout: asLine(answerOf(m, top, map[string]any{"updatedInput": m.Input}))}, true
		}
		top["modifiedArgs"] = m.Input
	case PromptBlocked, Retry, Replaced: // exit 2 blocks before a tool only
		top["decision"], top["reason"] = "block", m.Reason
	case RunEnded:
		return Said{}, false
	}
	return Said{Stdout: asLine(top)}, true
}

// spellExit2 is for agents where only exit 2 refuses. At a prompt, a message on stdout is
// context for those agents that read it.
func spellExit2(_ *Agent, p Point, m Meant) (Said, bool) {
	switch m.Kind {
	case Refused, PromptBlocked, Retry:
		m.Reason = joined(m.Reason, m.Context)
		return blocked(m, nil), true
	case Allowed:
		return Said{}, true
	case Context:
		if p == BeforePrompt {
			return Said{Stdout: asLine(map[string]any{"message": m.Context})}, true
		}
	}
	return Said{}, false
}

// spellCline is for Cline CLI, which ignores the exit status and ends the run to refuse.
func spellCline(_ *Agent, p Point, m Meant) (Said, bool) {
	top := map[string]any{}
	if p == BeforeTool || p == AfterTool {
		top = with(top, "contextModification", firstOf(m.Context, appendedReason(m)))
	}
	switch m.Kind {
	case RunEnded:
		top["cancel"], top["errorMessage"] = true, m.Reason
		return Said{Stdout: asLine(top), Stderr: m.Reason}, true
	case Rewritten:
		top["overrideInput"] = m.Input
	case Allowed, Context, Appended:
	default:
		return Said{}, false
	}
	return Said{Stdout: asLine(top)}, true
}

package dialect

import (
	"fmt"
	"strings"
)

// readCopilot: whatever fails before a tool refuses it. Otherwise one JSON
// object is read, its decisions at the top; with events in PascalCase those of
// hookSpecificOutput come first.
func readCopilot(a *Agent, x Answer) Effect {
	if x.TimedOut {
		return allowed(lateWhy)
	}
	m, err := object(jsTrim(x.Stdout))
	if err != nil || x.Exit != 0 && x.Exit != 2 {
		m = nil // after another failure nothing that was printed is read
	}
	n := map[string]any{}
	if a.ID == "copilotc" {
		n = nestedOf(m)
	}
	if x.Point == BeforeTool {
		return copilotBefore(x, m, n)
	}
	if m == nil {
		if x.Exit != 0 {
			return allowed(fmt.Sprintf("exit %d blocks there before a tool only", x.Exit))
		}
		return allowed()
	}
	e := adds(Context, str(m, "additionalContext"))
	blocks := m["decision"] == "block" && str(m, "reason") != ""
	switch {
	case x.Point == AfterTool && blocks:
		e = Effect{Kind: Replaced, Reason: str(m, "reason")}
	case x.Point == AfterTool:
		if e.Kind == Context {
			e.Kind = Appended
		}
		if r, ok := m["modifiedResult"].(map[string]any); ok {
			e.Kind, e.Reason = Replaced, str(r, "textResultForLlm")
		}
	case x.Point == BeforePrompt && blocks:
		e = Effect{Kind: PromptBlocked}
	case x.Point == BeforePrompt && m["handled"] == true:
		e = Effect{Kind: Answered}
	case x.Point == BeforePrompt && str(m, "modifiedPrompt") != "":
		e.Kind, e.Context = Context, joined(str(m, "modifiedPrompt"), e.Context)
	case x.Point == AgentStop:
		e = allowed()
		if blocks {
			e = Effect{Kind: Retry, Reason: str(m, "reason")}
		}
	}
	if m["decision"] == "block" && !blocks && x.Point != SessionStart {
		e.Why = append(e.Why, "a block wants a reason that is not empty")
	}
	if m["decision"] == "deny" && e.Kind == Allowed {
		e.Why = append(e.Why, `"deny" is not a decision there: say "block"`)
	}
	if e.Kind == Allowed && nestedOf(m)["additionalContext"] != nil {
		e.Why = append(e.Why, "additionalContext is read at the top only")
	}
	return e
}

func copilotBefore(x Answer, m, n map[string]any) Effect {
	context := first(str(n, "additionalContext"), str(m, "additionalContext"))
	if x.Exit != 0 { // what is nested does not say why then
		reason := str(m, "permissionDecisionReason")
		if str(m, "permissionDecision") == "deny" && reason != "" {
			return Effect{Kind: Refused, Reason: reason, Context: context}
		}
		return Effect{Kind: Refused, Reason: fmt.Sprintf("hook exited with code %d", x.Exit), Context: context,
			Why: []string{"the reason must be permissionDecisionReason, at the top, at exit 2 or 0"}}
	}
	decision := first(str(n, "permissionDecision"), str(m, "permissionDecision"))
	reason := first(str(n, "permissionDecisionReason"), str(m, "permissionDecisionReason"))
	switch {
	case decision == "deny":
		return Effect{Kind: Refused, Reason: reason, Context: context}
	case decision == "ask":
		return Effect{Kind: Asked, Reason: reason}
	case m == nil:
		if holdsRefusal(x.Stdout) {
			return allowed(amongText)
		}
		return allowed()
	}
	e := adds(Context, context)
	input, ok := n["updatedInput"].(map[string]any)
	if n["updatedInput"] != nil && !ok {
		return Effect{Kind: Refused, Why: []string{"updatedInput must be an object: the call fails"}}
	}
	if !ok {
		input, ok = m["modifiedArgs"].(map[string]any)
	}
	if ok {
		e.Kind, e.Input = Rewritten, input
	}
	if m["decision"] != nil {
		e.Why = append(e.Why, "decision is not read before a tool there: say permissionDecision")
	}
	if m["continue"] == false {
		e.Why = append(e.Why, `"continue": false is not read there`)
	}
	if _, nested := nestedOf(m)["permissionDecision"]; nested && n["permissionDecision"] == nil {
		e.Why = append(e.Why, "hookSpecificOutput is not read in events that are spelled in camelCase")
	}
	return e
}

// readKimi: exit 2 blocks, and so does a nested deny at exit 0. After a tool and
// at the start of a session nothing that is said has an effect.
func readKimi(a *Agent, x Answer) Effect {
	if x.TimedOut {
		return allowed(lateWhy)
	}
	if x.Point == AfterTool || x.Point == SessionStart {
		return allowed("nothing that a hook says there has an effect")
	}
	own, _ := a.Event(x.Point)
	if x.Exit == 2 {
		return kimiBlock(x.Point, first(jsTrim(x.Stderr), "Blocked by "+own.Native+" hook"))
	}
	if x.Exit != 0 {
		return allowed(fmt.Sprintf("exit %d does not block there: say exit 2, with the reason on stderr", x.Exit))
	}
	text := jsTrim(x.Stdout)
	m, err := object(text)
	n := nestedOf(m)
	if err == nil && n["permissionDecision"] == "deny" {
		return kimiBlock(x.Point, first(strings.TrimSpace(str(n, "permissionDecisionReason")), "Blocked by "+own.Native+
			" hook"))
	}
	if x.Point == BeforePrompt {
		return kimiPrompt(text, m, n)
	}
	switch {
	case err != nil && holdsRefusal(text):
		return allowed(amongText)
	case m["decision"] != nil:
		return allowed(
			"decision is not read there: say exit 2 with the reason on stderr, or permissionDecision in hookSpecificOutput")
	case m["permissionDecision"] != nil:
		return allowed("permissionDecision is read in hookSpecificOutput only")
	case n["permissionDecision"] != nil && n["permissionDecision"] != "allow":
		return allowed("of permissionDecision only deny is read there")
	case n["updatedInput"] != nil, n["tool_input"] != nil, m["modifiedArgs"] != nil:
		return allowed("arguments cannot be rewritten there")
	}
	return allowed()
}

func kimiBlock(p Point, reason string) Effect {
	switch p {
	case BeforeTool:
		return Effect{Kind: Refused, Reason: reason}
	case AgentStop:
		return Effect{Kind: Retry, Reason: reason}
	}
	return Effect{Kind: PromptBlocked}
}

// kimiPrompt: the field message, or else all of stdout, JSON or not, is context.
func kimiPrompt(text string, m, n map[string]any) Effect {
	e := adds(Context, first(jsTrim(scalar(m["message"])), jsTrim(scalar(n["message"])), text))
	if m["decision"] == "block" || m["decision"] == "deny" || m["continue"] == false {
		e.Why = append(e.Why, "a decision is not read there: all that is printed becomes context for the model. Say exit 2")
	}
	return e
}

func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil, map[string]any, []any:
		return ""
	default:
		return fmt.Sprint(v)
	}
}

// readCline: the exit status is not looked at. One JSON object is read.
func readCline(a *Agent, x Answer) Effect {
	if x.Point != BeforeTool && x.Point != AfterTool {
		return allowed("no answer has an effect there")
	}
	if x.TimedOut {
		return Effect{Kind: Unknown}
	}
	m, err := object(jsTrim(x.Stdout))
	var why []string
	if x.Exit != 0 {
		why = append(why, `the exit status is not looked at there: say "cancel": true`)
	}
	if err != nil {
		if holdsRefusal(x.Stdout) || strings.Contains(x.Stdout, `"cancel"`) {
			why = append(why, amongText)
		}
		return allowed(why...)
	}
	if m["cancel"] == true {
		return Effect{Kind: RunEnded, Why: []string{"the run ends there, and the model does not read why"}}
	}
	if m["decision"] != nil || m["permissionDecision"] != nil || nestedOf(m)["permissionDecision"] != nil ||
		m["continue"] == false {
		why = append(why, `decisions are not read there: say "cancel": true`)
	}
	context := first(str(m, "contextModification"), str(m, "context"))
	kind := Context
	if x.Point == AfterTool {
		kind = Appended
	}
	e := adds(kind, context)
	if input, ok := m["overrideInput"].(map[string]any); ok && x.Point == BeforeTool {
		e.Kind, e.Input = Rewritten, input
	}
	e.Why = why
	return e
}

// readExit2 is the contract that documents of several agents have in common:
// exit 2 before the action blocks it, with stderr as the reason.
func readExit2(a *Agent, x Answer) Effect {
	if x.TimedOut || x.Exit != 0 && x.Exit != 2 {
		return Effect{Kind: Unknown}
	}
	if x.Exit == 2 && x.Point != AfterTool && x.Point != SessionStart && x.Point != AgentStop {
		return geminiBlock(x.Point, jsTrim(x.Stderr))
	}
	if m, err := object(jsTrim(x.Stdout)); a.Answer.NoJSON && err == nil && len(m) > 0 && x.Exit == 0 {
		return allowed("JSON is not read there: say exit 2, with the reason on stderr")
	}
	return Effect{Kind: Unknown}
}

// readCursor is what Cursor's documents say.
func readCursor(a *Agent, x Answer) Effect {
	if x.TimedOut {
		return allowed(lateWhy)
	}
	if x.Exit == 2 && (x.Point == BeforeTool || x.Point == BeforePrompt) {
		return geminiBlock(x.Point, jsTrim(x.Stderr))
	}
	m, err := object(jsTrim(x.Stdout))
	if err != nil || x.Exit != 0 {
		if x.Exit != 0 && x.Exit != 2 {
			return allowed(fmt.Sprintf("exit %d does not block there", x.Exit))
		}
		return Effect{Kind: Unknown}
	}
	switch {
	case x.Point == BeforeTool && m["permission"] == "deny":
		return Effect{Kind: Refused, Reason: str(m, "agent_message")}
	case x.Point == BeforeTool && m["permission"] == "ask":
		return Effect{Kind: Asked, Reason: str(m, "agent_message")}
	case x.Point == BeforePrompt && m["continue"] == false:
		return Effect{Kind: PromptBlocked}
	case x.Point == AgentStop && str(m, "followup_message") != "":
		return Effect{Kind: Retry, Reason: str(m, "followup_message")}
	case (x.Point == SessionStart || x.Point == AfterTool) && str(m, "additional_context") != "":
		kind := Context
		if x.Point == AfterTool {
			kind = Appended
		}
		return adds(kind, str(m, "additional_context"))
	}
	if input, ok := m["updated_input"].(map[string]any); ok && x.Point == BeforeTool {
		return Effect{Kind: Rewritten, Input: input}
	}
	return Effect{Kind: Unknown}
}

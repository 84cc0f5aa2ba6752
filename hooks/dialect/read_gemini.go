package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// parseJS reads the text that counts as Gemini CLI and Qwen Code read it: a
// string that holds JSON is opened once more. text: it is no JSON.
func parseJS(s string) (answer map[string]any, text bool) {
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return nil, true
	}
	if inner, ok := v.(string); ok && json.Unmarshal([]byte(inner), &v) != nil {
		return nil, true
	}
	m, _ := v.(map[string]any)
	return m, false
}

// readGemini: stdout, or stderr where stdout is empty, decides at every exit
// status. Text is for the user below exit 2, and blocks from there on.
func readGemini(a *Agent, x Answer) Effect {
	if x.TimedOut {
		return allowed(lateWhy)
	}
	said := first(jsTrim(x.Stdout), jsTrim(x.Stderr))
	if said == "" {
		if x.Exit > 1 {
			return allowed(fmt.Sprintf("exit %d blocks there only if something is printed", x.Exit))
		}
		return allowed()
	}
	m, text := parseJS(said)
	switch {
	case text && x.Exit > 1:
		return geminiBlock(x.Point, said)
	case text && holdsRefusal(said):
		return allowed(amongText)
	case text:
		return allowed()
	case m == nil:
		return allowed("it is JSON, and not an object")
	}
	if n, said := m["hookSpecificOutput"]; said && n != nil && nestedOf(m) == nil {
		return allowed("hookSpecificOutput is not an object, so the whole event passes")
	}
	return geminiObject(x, m)
}

func geminiBlock(p Point, reason string) Effect {
	switch p {
	case BeforeTool:
		return Effect{Kind: Refused, Reason: reason}
	case AfterTool:
		return Effect{Kind: Replaced, Reason: reason}
	case BeforePrompt:
		return Effect{Kind: PromptBlocked}
	case AgentStop:
		return Effect{Kind: Retry, Reason: reason}
	}
	return allowed("nothing can be blocked at the start of a session there")
}

func geminiObject(x Answer, m map[string]any) Effect {
	n := nestedOf(m)
	denies := m["decision"] == "deny" || m["decision"] == "block"
	reason := first(str(m, "stopReason"), str(m, "reason"), "No reason provided")
	context := str(n, "additionalContext")
	switch {
	case m["continue"] == false:
		return geminiStop(x.Point)
	case denies:
		return geminiBlock(x.Point, reason)
	case x.Point == BeforeTool && m["decision"] == "ask":
		return Effect{Kind: Asked, Reason: reason}
	case x.Point == BeforeTool:
		if input, ok := n["tool_input"].(map[string]any); ok {
			return Effect{Kind: Rewritten, Input: input}
		}
	case x.Point == AfterTool && context != "":
		return adds(Appended, context)
	case x.Point == BeforePrompt, x.Point == SessionStart:
		return adds(Context, context)
	}
	e := allowed()
	if x.Exit == 2 {
		e.Why = append(e.Why, "exit 2 does not block there where JSON is printed that does not deny")
	}
	e.Why = append(e.Why, foreignKeys(x.Point, m, n)...)
	return e
}

func geminiStop(p Point) Effect {
	switch p {
	case BeforeTool, AfterTool:
		return Effect{Kind: RunEnded}
	case BeforePrompt:
		return Effect{Kind: PromptBlocked}
	}
	return Effect{Kind: Allowed}
}

// foreignKeys says which fields of other agents were printed in vain.
func foreignKeys(p Point, m, n map[string]any) []string {
	var why []string
	for _, k := range []string{"permissionDecision", "permission", "cancel"} {
		if m[k] != nil || n[k] != nil {
			why = append(why, k+` is not read there: say "decision" and "reason" at the top`)
		}
	}
	for _, k := range []string{"updatedInput", "modifiedArgs"} {
		if (m[k] != nil || n[k] != nil) && p == BeforeTool {
			why = append(why, k+" is not read there: say tool_input in hookSpecificOutput")
		}
	}
	slices.Sort(why)
	return why
}

// readQwen: at exit 2 stderr alone is read, JSON too; at any other status
// stdout, or stderr where stdout is empty, and JSON in it counts.
func readQwen(a *Agent, x Answer) Effect {
	if x.TimedOut {
		return allowed(lateWhy)
	}
	stdout, stderr := jsTrim(x.Stdout), jsTrim(x.Stderr)
	said := first(stdout, stderr)
	if x.Exit == 2 {
		said = stderr
	}
	if said == "" {
		if x.Exit == 2 {
			return allowed("exit 2 blocks there only with a reason on stderr, and stderr is empty")
		}
		return allowed()
	}
	m, text := parseJS(said)
	switch {
	case m != nil:
		return qwenObject(x, m)
	case text && x.Exit == 2:
		return qwenObject(x, map[string]any{"decision": "deny", "reason": said})
	case text && strings.HasPrefix(said, "{"):
		return allowed("it begins like JSON and is not valid JSON, so it is ignored")
	case x.Exit == 0 && stdout != "" && (x.Point == BeforePrompt || x.Point == SessionStart):
		return adds(Context, said)
	case holdsRefusal(said):
		return allowed(amongText)
	case x.Exit != 0 && x.Exit != 2:
		return allowed(fmt.Sprintf("exit %d does not block there: say exit 2, with the reason on stderr", x.Exit))
	}
	return allowed()
}

func qwenObject(x Answer, m map[string]any) Effect {
	n := nestedOf(m)
	denies := m["decision"] == "deny" || m["decision"] == "block"
	effective := first(str(m, "stopReason"), str(m, "reason"), "No reason provided")
	context := escapeContext(str(n, "additionalContext"))
	stops := m["continue"] == false
	switch x.Point {
	case BeforeTool:
		return qwenBefore(m, n, effective)
	case AfterTool:
		if stops {
			return Effect{Kind: Replaced, Reason: effective, Context: context}
		}
		e := adds(Appended, context)
		if denies {
			e.Why = append(e.Why, "a block after a tool is ignored there")
		}
		return e
	case BeforePrompt:
		if denies || stops {
			return Effect{Kind: PromptBlocked}
		}
	case AgentStop:
		if denies || stops {
			return Effect{Kind: Retry, Reason: effective}
		}
		return allowed()
	}
	return adds(Context, context)
}

func qwenBefore(m, n map[string]any, effective string) Effect {
	decision, ok := n["permissionDecision"].(string)
	if !ok || decision != "allow" && decision != "deny" && decision != "ask" {
		decision = map[string]string{"allow": "allow", "approve": "allow", "deny": "deny", "block": "deny",
			"ask": "ask"}[str(m, "decision")]
	}
	reason := str(m, "reason")
	if r, ok := n["permissionDecisionReason"].(string); ok {
		reason = r
	}
	switch {
	case decision == "deny":
		return Effect{Kind: Refused, Reason: first(reason, effective)}
	case decision == "ask":
		return Effect{Kind: Asked, Reason: first(reason, "User confirmation required")}
	case m["continue"] == false:
		return Effect{Kind: Refused, Reason: effective,
			Why: []string{`"continue": false refuses the tool, and the run goes on`}}
	}
	e := allowed()
	if n["updatedInput"] != nil {
		e.Why = append(e.Why, "updatedInput is ignored there")
	}
	return e
}

func escapeContext(s string) string {
	return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(s)
}

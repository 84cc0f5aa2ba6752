package dialect

import (
	"encoding/json"
	"fmt"
	"strings"
)

// readCodex: at exit 0 stdout must be an object with the keys of the event and
// no others; what is known and not supported voids it as well. At exit 2 only
// stderr counts, and it must say something.
func readCodex(a *Agent, x Answer) Effect {
	switch {
	case x.TimedOut:
		return allowed(lateWhy)
	case x.Exit == 2 && x.Point == SessionStart:
		return allowed("exit 2 does not block the start of a session there")
	case x.Exit == 2:
		if reason := strings.TrimSpace(x.Stderr); reason != "" {
			return codexBlock(x.Point, reason)
		}
		return allowed("exit 2 blocks there only with a reason on stderr, and stderr is empty")
	case x.Exit != 0:
		return allowed(fmt.Sprintf("exit %d does not block there: say exit 2, with the reason on stderr", x.Exit))
	}
	text := strings.TrimSpace(x.Stdout)
	if text == "" {
		if holdsRefusal(x.Stderr) {
			return allowed("JSON on stderr is not read there")
		}
		return allowed()
	}
	m, err := object(text)
	if err == nil && loneSurrogate(text) {
		m, err = nil, errSurrogate
	}
	if err == nil {
		err = a.Answer.valid(x.Point, m)
	}
	switch {
	case err != nil && (text[0] == '{' || text[0] == '['):
		return allowed(codexVoid(err, m))
	case err != nil && (x.Point == BeforePrompt || x.Point == SessionStart):
		return adds(Context, text)
	case err != nil && holdsRefusal(text):
		return allowed(amongText)
	case err != nil:
		return allowed()
	}
	switch x.Point {
	case BeforeTool:
		return codexBefore(m)
	case AfterTool:
		return codexAfter(m)
	case AgentStop:
		return codexStop(m)
	}
	return codexPrompt(x.Point, m)
}

const errSurrogate = textError("half a character is escaped in it")

// loneSurrogate: half of a UTF-16 pair is escaped, which Rust's reader refuses.
// The text is valid JSON otherwise.
func loneSurrogate(text string) bool {
	for i := 0; i+5 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if text[i+1] != 'u' {
			i++
			continue
		}
		high := strings.EqualFold(text[i+2:i+3], "d") && strings.ContainsAny(text[i+3:i+4], "89abAB")
		low := strings.EqualFold(text[i+2:i+3], "d") && strings.ContainsAny(text[i+3:i+4], "cdefCDEF")
		paired := high && i+9 < len(text) && text[i+6] == '\\' && text[i+7] == 'u' &&
			strings.EqualFold(text[i+8:i+9], "d") && strings.ContainsAny(text[i+9:i+10], "cdefCDEF")
		if low || high && !paired {
			return true
		}
		if paired {
			i += 6
		}
		i += 5
	}
	return false
}

func codexVoid(err error, m map[string]any) string {
	if m == nil {
		return "stdout begins like JSON and is not one valid JSON object, so all of it is void"
	}
	why := err.Error() + ", so the whole answer is void"
	if m["decision"] == "deny" {
		why += `; say "block", or exit 2 with the reason on stderr`
	}
	return why
}

func codexBlock(p Point, reason string) Effect {
	switch p {
	case BeforeTool:
		return Effect{Kind: Refused, Reason: reason}
	case AfterTool:
		return Effect{Kind: Replaced, Reason: reason}
	case AgentStop:
		return Effect{Kind: Retry, Reason: reason}
	}
	return Effect{Kind: PromptBlocked}
}

// codexBefore: what is nested decides where it decides anything.
func codexBefore(m map[string]any) Effect {
	n := nestedOf(m)
	decision, reason := str(n, "permissionDecision"), strings.TrimSpace(str(n, "permissionDecisionReason"))
	input, rewrites := n["updatedInput"]
	rewrites = rewrites && input != nil
	void := func(why string) Effect { return allowed(why + ", so the whole answer is void") }
	switch {
	case m["continue"] == false:
		return void(`"continue": false is not supported before a tool`)
	case m["stopReason"] != nil:
		return void("stopReason is not supported before a tool")
	case m["suppressOutput"] == true:
		return void("suppressOutput is not supported before a tool")
	}
	if decision == "" && n["permissionDecisionReason"] == nil && !rewrites {
		return codexLegacy(m, n)
	}
	switch {
	case rewrites && decision != "allow":
		return void(`updatedInput wants "permissionDecision": "allow" beside it`)
	case decision == "allow" && !rewrites:
		return void(`"permissionDecision": "allow" without updatedInput is not supported`)
	case decision == "ask":
		return void(`"permissionDecision": "ask" is not supported`)
	case decision == "deny" && reason == "":
		return void("a deny wants a permissionDecisionReason that is not empty")
	case decision == "deny":
		return Effect{Kind: Refused, Reason: reason, Context: str(n, "additionalContext")}
	case decision == "":
		return void("there is a permissionDecisionReason without permissionDecision")
	}
	args, ok := input.(map[string]any)
	if !ok {
		return Effect{Kind: Refused, Why: []string{"updatedInput must be an object: the call fails"}}
	}
	return Effect{Kind: Rewritten, Context: str(n, "additionalContext"), Input: args}
}

func codexLegacy(m, n map[string]any) Effect {
	reason := strings.TrimSpace(str(m, "reason"))
	switch {
	case m["decision"] == "approve":
		return allowed(`"decision": "approve" is not supported, so the whole answer is void`)
	case m["decision"] == "block" && reason == "":
		return allowed("a block wants a reason that is not empty")
	case m["decision"] == "block":
		return Effect{Kind: Refused, Reason: reason, Context: str(n, "additionalContext")}
	case m["reason"] != nil:
		return allowed("there is a reason without decision, so the whole answer is void")
	}
	return adds(Context, str(n, "additionalContext"))
}

func codexAfter(m map[string]any) Effect {
	n := nestedOf(m)
	context, reason := str(n, "additionalContext"), strings.TrimSpace(str(m, "reason"))
	switch {
	case m["continue"] == false:
		return Effect{Kind: Replaced, Reason: first(reason, str(m, "stopReason"), "PostToolUse hook stopped execution"),
			Context: context,
			Why:     []string{`"continue": false takes the place of the result, and the run goes on`}}
	case m["suppressOutput"] == true:
		return allowed("suppressOutput is not supported after a tool, so the whole answer is void")
	case n["updatedMCPToolOutput"] != nil:
		return allowed("updatedMCPToolOutput is not supported, so the whole answer is void")
	case m["decision"] == "block" && reason == "":
		return allowed("a block wants a reason that is not empty")
	case m["decision"] == "block":
		return Effect{Kind: Replaced, Reason: reason, Context: context}
	case m["reason"] != nil:
		return allowed("there is a reason without decision, so the whole answer is void")
	}
	return adds(Appended, context)
}

func codexStop(m map[string]any) Effect {
	reason := strings.TrimSpace(str(m, "reason"))
	switch {
	case m["continue"] == false:
		return Effect{Kind: Allowed}
	case m["decision"] == "block" && reason == "":
		return allowed("a block wants a reason that is not empty")
	case m["decision"] == "block":
		return Effect{Kind: Retry, Reason: reason}
	}
	return allowed()
}

func codexPrompt(p Point, m map[string]any) Effect {
	context, reason := str(nestedOf(m), "additionalContext"), strings.TrimSpace(str(m, "reason"))
	switch {
	case m["continue"] == false && p == SessionStart:
		return Effect{Kind: RunEnded}
	case m["continue"] == false:
		return Effect{Kind: PromptBlocked}
	case m["decision"] == "block" && reason == "":
		e := adds(Context, context)
		e.Why = []string{"a block wants a reason that is not empty"}
		return e
	case m["decision"] == "block":
		return Effect{Kind: PromptBlocked}
	}
	return adds(Context, context)
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "" // unreachable: it came from JSON
	}
	return string(data)
}

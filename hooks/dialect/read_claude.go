package dialect

import (
	"fmt"
	"regexp"
	"strings"
)

// readClaude: stdout that begins with "{" must be one JSON object of the right
// types, whatever the exit status; if it is not, all of it is void. Exit 2
// blocks all the same, with stderr as the reason.
func readClaude(a *Agent, x Answer) Effect {
	if x.TimedOut {
		return allowed(lateWhy)
	}
	answer, plain, invalid := parseClaude(a, x)
	switch {
	case invalid != "" && x.Exit != 2:
		return allowed(invalid)
	case answer != nil && answer["async"] == true:
		return allowed(`"async": true takes every effect away, that of the exit status too`)
	case answer != nil:
		e, err := claudeObject(a, x, answer)
		if err != nil {
			if x.Exit == 2 {
				return claudeBlock(x.Point, "its output could not be processed")
			}
			return allowed(err.Error())
		}
		if x.Exit == 2 && !blocks(answer) {
			b := claudeBlock(x.Point, x.Stderr)
			if b.Kind != Allowed {
				b.Why = e.Why
				if b.Kind != PromptBlocked {
					b.Context = e.Context
				}
				return b
			}
		}
		return e
	}
	return claudePlain(x, plain)
}

var missingScript = regexp.MustCompile(`(?i)no such file|can't open`)

// claudePlain is the meaning of output that is no JSON.
func claudePlain(x Answer, plain string) Effect {
	switch {
	case x.Exit == 0 && (x.Point == BeforePrompt || x.Point == SessionStart):
		return adds(Context, jsTrim(plain))
	case x.Exit == 0 && jsTrim(plain) != "" && holdsRefusal(plain):
		return allowed(amongText)
	case x.Exit == 0:
		return allowed()
	case x.Exit == 2 && x.Point == AgentStop && jsTrim(x.Stdout) == "" && missingScript.MatchString(x.Stderr):
		return allowed("stderr reads as if the script were missing")
	case x.Exit == 2:
		return claudeBlock(x.Point, x.Stderr)
	}
	return allowed(fmt.Sprintf("exit %d does not block there: say exit 2, with the reason on stderr", x.Exit))
}

const amongText = "the decision is among other text, and only JSON alone is read there: print nothing else on stdout"

// holdsRefusal: somebody meant to decide something in this text.
func holdsRefusal(text string) bool {
	return strings.Contains(text, `"decision"`) || strings.Contains(text, `"permissionDecision"`) ||
		strings.Contains(text, `"continue"`)
}

// parseClaude is the object, or plain text, or why it is void.
func parseClaude(a *Agent, x Answer) (answer map[string]any, plain, invalid string) {
	text := jsTrim(x.Stdout)
	if !strings.HasPrefix(text, "{") {
		return nil, x.Stdout, ""
	}
	m, err := object(text)
	if err != nil {
		switch {
		case !strings.HasSuffix(text, "}"), severalVoid(a, x.Point, text):
			return nil, x.Stdout, ""
		}
		return nil, x.Stdout, "stdout begins like JSON and is not valid JSON, so all of it is void"
	}
	if m["async"] == true {
		return m, "", ""
	}
	if err := a.Answer.valid(x.Point, m); err != nil {
		return nil, x.Stdout, err.Error() + ", so the whole answer is void" + claudeAdvice(x.Point, m)
	}
	return m, "", ""
}

// severalVoid: each line is JSON that says nothing. Then it is text.
func severalVoid(a *Agent, p Point, text string) bool {
	lines := 0
	for line := range strings.SplitSeq(text, "\n") {
		if line = jsTrim(line); line == "" {
			continue
		}
		lines++
		m, err := object(line)
		if err != nil && err != errNoObject {
			return false
		}
		if err == nil && a.Answer.valid(p, m) == nil {
			for k := range m {
				if _, known := a.Answer.Top["*"][k]; known {
					return false
				}
			}
		}
	}
	return lines > 1
}

// claudeAdvice says what to say in place of an answer that is void.
func claudeAdvice(p Point, m map[string]any) string {
	switch d := m["decision"]; {
	case d == "deny":
		return `; say "block", or exit 2 with the reason on stderr`
	case d == "ask" && p == BeforeTool, d == "allow" && p == BeforeTool:
		return `; say permissionDecision in hookSpecificOutput`
	case nestedOf(m) != nil && p == BeforeTool:
		return `; say "hookEventName": "PreToolUse"`
	}
	return ""
}

// blocks: the answer itself blocks, so that exit 2 need not.
func blocks(m map[string]any) bool {
	n := nestedOf(m)
	return m["decision"] == "block" || n["permissionDecision"] == "deny"
}

// claudeBlock is a block at a point, with its reason.
func claudeBlock(p Point, reason string) Effect {
	reason = strings.TrimSpace(reason)
	switch p {
	case BeforeTool:
		return Effect{Kind: Refused, Reason: reason}
	case AfterTool:
		return Effect{Kind: Appended, Reason: reason}
	case BeforePrompt:
		return Effect{Kind: PromptBlocked}
	case AgentStop:
		return Effect{Kind: Retry, Reason: reason}
	}
	return allowed("nothing can be blocked at the start of a session there")
}

// claudeObject is the meaning of a valid object.
func claudeObject(a *Agent, x Answer, m map[string]any) (Effect, error) {
	own, _ := a.Event(x.Point)
	n := nestedOf(m)
	if name := str(n, "hookEventName"); n != nil && name != own.Native {
		if m["decision"] != "block" {
			return Effect{}, fmt.Errorf("hookEventName says %q and the event is %s, so the whole answer is void", name,
				own.Native)
		}
		n = nil // a block stands, and what is nested is ignored
	}
	e := Effect{Kind: Allowed}
	switch x.Point {
	case BeforeTool:
		e = claudeBefore(m, n)
	default:
		if m["decision"] == "block" {
			e = claudeBlock(x.Point, first(str(m, "reason"), "Blocked by hook"))
		}
	}
	if text := str(n, "additionalContext"); text != "" {
		claudeTell(x.Point, &e, text)
	}
	if out := n["updatedToolOutput"]; out != nil && x.Point == AfterTool {
		claudeResult(&e, out)
	}
	if m["continue"] == false {
		claudeStop(x.Point, &e)
	}
	if _, top := m["additionalContext"]; top {
		e.Why = append(e.Why, "additionalContext is read in hookSpecificOutput only")
	}
	if n == nil && m["permissionDecision"] != nil && x.Point == BeforeTool {
		e.Why = append(e.Why, "permissionDecision is read in hookSpecificOutput only, with hookEventName beside it")
	}
	return e, nil
}

func claudeBefore(m, n map[string]any) Effect {
	decision, reason := str(n, "permissionDecision"), str(n, "permissionDecisionReason")
	switch {
	case decision == "deny":
		return Effect{Kind: Refused, Reason: first(reason, str(m, "reason"), "Blocked by hook")}
	case m["decision"] == "block": // which no other permissionDecision takes back
		return Effect{Kind: Refused, Reason: first(str(m, "reason"), "Blocked by hook")}
	case decision == "ask":
		return Effect{Kind: Asked, Reason: reason}
	case decision == "defer":
		return Effect{Kind: RunEnded, Why: []string{`"defer" ends a run without a terminal`}}
	}
	if input, ok := n["updatedInput"].(map[string]any); ok {
		return Effect{Kind: Rewritten, Input: input}
	}
	return Effect{Kind: Allowed}
}

// claudeResult takes another result for a tool's, which must have the shape of
// that of the tool. That of Bash is known.
func claudeResult(e *Effect, out any) {
	m, ok := out.(map[string]any)
	has := func(key string) bool { _, ok := m[key]; return ok }
	switch {
	case ok && has("stdout") && has("stderr") && has("interrupted"):
		e.Kind, e.Context = Replaced, joined(e.Context, asJSON(out))
	case ok && !has("stdout"):
		*e = Effect{Kind: Unknown}
	default:
		e.Why = append(e.Why, "updatedToolOutput must have the whole shape of the tool's own result")
	}
}

// claudeTell adds context; at the end of a turn it makes the agent go on.
func claudeTell(p Point, e *Effect, text string) {
	if e.Kind == PromptBlocked {
		return // no request is sent
	}
	e.Context = joined(e.Context, text)
	if e.Kind != Allowed {
		return
	}
	switch p {
	case AfterTool:
		e.Kind = Appended
	case AgentStop:
		e.Kind = Retry
	default:
		e.Kind = Context
	}
}

// claudeStop applies continue: false.
func claudeStop(p Point, e *Effect) {
	switch p {
	case BeforeTool:
		if e.Prevents() {
			*e = Effect{Kind: RunEnded, Why: e.Why}
			return
		}
		*e = Effect{Kind: RunEnded, Ran: true,
			Why: append(e.Why, `"continue": false lets the tool run first, and ends the run afterwards`)}
	case AfterTool:
		*e = Effect{Kind: RunEnded, Why: e.Why}
	case BeforePrompt:
		*e = Effect{Kind: PromptBlocked, Why: e.Why}
	case AgentStop:
		*e = Effect{Kind: Allowed, Why: e.Why}
	}
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

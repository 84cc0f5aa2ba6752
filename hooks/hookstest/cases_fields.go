package hookstest

import "strings"

// The fields of an answer.

var decisionCases = []Case{
	{Name: "deny", Event: beforeTool, Hooks: out(denyNo), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "block is deny", Event: beforeTool, Hooks: out(`{"decision":"block","reason":"no"}`), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "allow", Event: beforeTool, Hooks: out(allowYes)},
	{Name: "approve is allow", Event: beforeTool, Hooks: out(`{"decision":"approve"}`)},
	{Name: "ask", Event: beforeTool, Hooks: out(askWhy), Want: Want{Decision: "ask", Reason: "sure?", Effect: "ask"}},
	{Name: "ask without a reason", Event: beforeTool, Hooks: out(`{"decision":"ask"}`), Want: Want{Decision: "ask"}},
	{Name: "ask shows a message", Event: beforeTool, Hooks: out(`{"decision":"ask","systemMessage":"look"}`), Want: Want{Decision: "ask", Message: "look"}},
	{Name: "ask where nothing can be asked", Event: afterTool, Hooks: out(`{"decision":"ask"}`), Want: Want{Warn: []string{`decision "ask" ignored: AfterTool cannot ask`}}},
	{Name: "null is nothing", Event: beforeTool, Hooks: out(`{"decision":null,"reason":null,"continue":null,"hookSpecificOutput":null}`)},
	{Name: "empty is nothing", Event: beforeTool, Hooks: out(`{"decision":""}`)},
	{Name: "upper case", Event: beforeTool, Hooks: out(`{"decision":"DENY"}`), Want: Want{Warn: []string{`decision "DENY" ignored: did you mean "deny"?`}}},
	{Name: "another word", Event: beforeTool, Hooks: out(`{"decision":"maybe"}`), Want: Want{Warn: []string{`decision "maybe" ignored: it is none of`}}},
	{Name: "a boolean", Event: beforeTool, Hooks: out(`{"decision":false}`), Want: Want{Warn: []string{"decision ignored: it must be a string, not false"}}},
	{Name: "a word that means it", Event: beforeTool, Hooks: out(`{"decision":"reject"}`), Want: Want{Warn: []string{`decision "reject" ignored: did you mean "deny"?`}}},
	{Name: "an object", Event: beforeTool, Hooks: out(`{"decision":{"behavior":"deny"}}`), Want: Want{Warn: []string{"decision ignored: it must be a string, not an object"}}},
	{Name: "said twice, the last counts", Event: beforeTool, Hooks: out(`{"decision":"allow","decision":"deny","reason":"no"}`), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"more than once"}}},
	{Name: "said twice, a deny is not taken back", Event: beforeTool, Hooks: out(`{"decision":"deny","reason":"no","decision":"allow"}`), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"more than once"}}},
	{Name: "key in another case", Event: beforeTool, Hooks: out(`{"Decision":"deny"}`), Want: Want{Warn: []string{`unknown field Decision: did you mean "decision"?`}}},
	{Name: "decision in the wrong place", Event: beforeTool, Hooks: out(`{"hookSpecificOutput":{"decision":"deny"}}`), Want: Want{Warn: []string{"hookSpecificOutput.decision ignored: it belongs at the top level"}}},

	// continue.
	{Name: "continue false", Event: beforeTool, Hooks: out(stopNow), Want: Want{Decision: "stop", Reason: "enough", Effect: "stop"}},
	{Name: "continue false without a reason", Event: beforeTool, Hooks: out(`{"continue":false}`), Want: Want{Decision: "stop", Reason: "No reason provided"}},
	{Name: "continue false with reason only", Event: beforeTool, Hooks: out(`{"continue":false,"reason":"r"}`), Want: Want{Decision: "stop", Reason: "r"}},
	{Name: "continue false with a message only", Event: beforeTool, Hooks: out(`{"continue":false,"systemMessage":"m"}`), Want: Want{Decision: "stop", Reason: "m", Message: "m"}},
	{Name: "continue true", Event: beforeTool, Hooks: out(`{"continue":true}`)},
	{Name: "continue \"false\"", Event: beforeTool, Hooks: out(`{"continue":"false"}`), Want: Want{Warn: []string{`continue ignored: it must be true or false, not "false"`}}},
	{Name: "continue 0", Event: beforeTool, Hooks: out(`{"continue":0}`), Want: Want{Warn: []string{"continue ignored: it must be true or false, not 0"}}},
	{Name: "continue said twice", Event: beforeTool, Hooks: out(`{"continue":false,"stopReason":"enough","continue":true}`), Want: Want{Decision: "stop", Reason: "enough", Warn: []string{"more than once"}}},
	{Name: "stop and deny", Event: beforeTool, Hooks: out(`{"continue":false,"stopReason":"s","decision":"deny","reason":"d"}`), Want: Want{Decision: "stop", Reason: "s"}},
	{Name: "stop and ask", Event: beforeTool, Hooks: out(`{"continue":false,"stopReason":"s","decision":"ask"}`), Want: Want{Decision: "stop", Reason: "s"}},
	{Name: "stopReason of a mere deny", Event: beforeTool, Hooks: out(`{"decision":"deny","reason":"r","stopReason":"s"}`), Want: Want{Decision: "deny", Reason: "r"}},
	{Name: "stopReason alone", Event: beforeTool, Hooks: out(`{"stopReason":"s"}`), Want: Want{Warn: []string{"stopReason has no effect"}}},
	{Name: "SessionStart cannot be stopped", Event: sessionStart, Hooks: out(stopNow), Want: Want{Warn: []string{"continue: false ignored: SessionStart"}}},
	{Name: "SessionStart cannot be denied", Event: sessionStart, Hooks: out(denyNo), Want: Want{Warn: []string{`decision "deny" ignored: SessionStart cannot be blocked`}}},
	{Name: "SessionEnd cannot be denied", Event: sessionEnd, Hooks: out(denyNo), Want: Want{Warn: []string{"SessionEnd cannot be blocked"}}},
	{Name: "PreCompress cannot be denied", Event: preCompress, Hooks: out(denyNo), Want: Want{Warn: []string{"PreCompress cannot be blocked"}}},
	{Name: "PostCompact cannot be denied", Event: postCompact, Hooks: out(denyNo), Want: Want{Warn: []string{"PostCompact cannot be blocked"}}},
	{Name: "StopFailure cannot be denied", Event: stopFailure, Hooks: out(denyNo), Want: Want{Warn: []string{"StopFailure cannot be blocked"}}},
	{Name: "StopFailure cannot be stopped", Event: stopFailure, Hooks: out(stopNow), Want: Want{Warn: []string{"continue: false ignored: StopFailure"}}},
	{Name: "Notification cannot be denied", Event: notification, Hooks: out(denyNo), Want: Want{Warn: []string{"Notification cannot be blocked"}}},
	{Name: "BeforeToolSelection has no decision", Event: selection, Hooks: out(denyNo), Want: Want{Warn: []string{"BeforeToolSelection cannot be blocked"}}},
	{Name: "BeforeToolSelection cannot be stopped", Event: selection, Hooks: out(stopNow), Want: Want{Warn: []string{"BeforeToolSelection cannot be stopped"}}},

	// reason and systemMessage.
	{Name: "deny without a reason", Event: beforeTool, Hooks: out(`{"decision":"deny"}`), Want: Want{Decision: "deny", Reason: "No reason provided"}},
	{Name: "deny with a message only", Event: beforeTool, Hooks: out(`{"decision":"deny","systemMessage":"m"}`), Want: Want{Decision: "deny", Reason: "m", Message: "m"}},
	{Name: "deny with both", Event: beforeTool, Hooks: out(`{"decision":"deny","reason":"r","systemMessage":"m"}`), Want: Want{Decision: "deny", Reason: "r", Message: "m"}},
	{Name: "reason of a wrong type", Event: beforeTool, Hooks: out(`{"decision":"deny","reason":["r"]}`), Want: Want{Decision: "deny", Reason: "No reason provided", Warn: []string{"reason ignored: it must be a string, not an array"}}},
	{Name: "systemMessage alone", Event: beforeTool, Hooks: out(`{"systemMessage":"m"}`), Want: Want{Message: "m"}},
	{Name: "systemMessage of a wrong type", Event: beforeTool, Hooks: out(`{"systemMessage":{}}`), Want: Want{Warn: []string{"systemMessage ignored: it must be a string, not an object"}}},
	{Name: "systemMessage of SessionEnd", Event: sessionEnd, Hooks: out(`{"systemMessage":"bye"}`), Want: Want{Message: "bye"}},
	{Name: "systemMessage of PreCompress", Event: preCompress, Hooks: out(`{"systemMessage":"m"}`), Want: Want{Message: "m"}},
	{Name: "systemMessage of PostCompact", Event: postCompact, Hooks: out(`{"systemMessage":"m"}`), Want: Want{Message: "m"}},
	{Name: "systemMessage of StopFailure", Event: stopFailure, Hooks: out(`{"systemMessage":"m"}`), Want: Want{Message: "m"}},
	{Name: "systemMessage of Notification", Event: notification, Hooks: out(`{"systemMessage":"m"}`), Want: Want{Message: "m"}},
	{Name: "suppressOutput hides the message", Event: beforeTool, Hooks: out(`{"systemMessage":"m","suppressOutput":true}`)},
	{Name: "suppressOutput hides its own message only", Event: beforeTool, Hooks: outs(`{"systemMessage":"m","suppressOutput":true}`, `{"systemMessage":"n"}`), Want: Want{Message: "n"}},
	{Name: "suppressOutput does not hide a deny", Event: beforeTool, Hooks: out(`{"decision":"deny","systemMessage":"m","suppressOutput":true}`), Want: Want{Decision: "deny", Reason: "m"}},
	{Name: "suppressOutput of a wrong type", Event: beforeTool, Hooks: out(`{"systemMessage":"m","suppressOutput":"yes"}`), Want: Want{Message: "m", Warn: []string{"suppressOutput ignored"}}},
}

var fieldCases = []Case{
	{Name: "a field nested 10,000 deep takes back no deny", Event: beforeTool, Hooks: out(`{"x":` + deep(10_000) + `,"decision":"deny","reason":"no"}`), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"unknown field x"}}},
	{Name: "tool_input nested 10,000 deep takes back no deny", Event: beforeTool, Hooks: out(`{"decision":"deny","reason":"no","hookSpecificOutput":{"tool_input":` + deep(10_000) + `}}`), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"tool_input ignored: it must be an object, not a value nested too deeply"}}},
	{Name: "nested 10,000 deep and never closed is not an object", Event: beforeTool, Hooks: out(strings.Repeat(`{"a":`, 10_000)), Want: Want{Message: strings.Repeat(`{"a":`, 10_000), Warn: []string{"not valid JSON"}}},
	{Name: "a number out of range takes back no deny", Event: beforeTool, Hooks: out(`{"x":1e999,"decision":"deny","reason":"no"}`), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"unknown field x"}}},
	{Name: "a number out of range in tool_input", Event: beforeTool, Hooks: out(toolInput(`{"content":1e999}`)), Want: Want{Warn: []string{"tool_input ignored: it must be an object, not a value with a number out of range"}}},
	{Name: "a number out of range is not a decision", Event: beforeTool, Hooks: out(`{"decision":1e999}`), Want: Want{Warn: []string{"decision ignored: it must be a string, not a value with a number out of range"}}},
	{Name: "an unknown field", Event: beforeTool, Hooks: out(`{"colour":"red"}`), Want: Want{Warn: []string{"unknown field colour"}}},
	{Name: "a slip", Event: beforeTool, Hooks: out(`{"sytemMessage":"m"}`), Want: Want{Warn: []string{`unknown field sytemMessage: did you mean "systemMessage"?`}}},
	{Name: "snake case", Event: beforeTool, Hooks: out(`{"system_message":"m"}`), Want: Want{Warn: []string{`did you mean "systemMessage"?`}}},
	{Name: "an unknown field beside a deny", Event: beforeTool, Hooks: out(`{"colour":1,"decision":"deny","reason":"no"}`), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"unknown field colour"}}},
	{Name: "hookSpecificOutput a string", Event: beforeTool, Hooks: out(`{"decision":"deny","reason":"no","hookSpecificOutput":"x"}`), Want: Want{Decision: "deny", Reason: "no", Warn: []string{"hookSpecificOutput ignored: it must be an object"}}},
	{Name: "hookSpecificOutput an array", Event: beforeTool, Hooks: out(`{"hookSpecificOutput":[]}`), Want: Want{Warn: []string{"it must be an object, not an array"}}},
	{Name: "hookEventName is not checked", Event: beforeTool, Hooks: out(`{"decision":"deny","reason":"no","hookSpecificOutput":{"hookEventName":"AfterTool"}}`), Want: Want{Decision: "deny", Reason: "no", Warn: []string{`says "AfterTool", but the event is BeforeTool`}}},
	{Name: "hookEventName", Event: beforeTool, Hooks: out(`{"hookSpecificOutput":{"hookEventName":"BeforeTool"}}`)},
	{Name: "a field in the wrong place", Event: beforeAgent, Hooks: out(`{"additionalContext":"c"}`), Want: Want{Warn: []string{"additionalContext ignored: it belongs in hookSpecificOutput"}}},
	{Name: "a field of another event", Event: beforeTool, Hooks: out(`{"hookSpecificOutput":{"clearContext":true}}`), Want: Want{Warn: []string{"clearContext ignored: it has no effect in BeforeTool"}}},
	{Name: "tool_input in AfterTool", Event: afterTool, Hooks: out(`{"hookSpecificOutput":{"tool_input":{}}}`), Want: Want{Warn: []string{"has no effect in AfterTool"}}},
	{Name: "an unknown field inside", Event: beforeTool, Hooks: out(`{"hookSpecificOutput":{"toolInput":{"content":"y"}}}`), Want: Want{Warn: []string{`unknown field hookSpecificOutput.toolInput: did you mean "tool_input"?`}}},
	{Name: "metadata", Event: afterTool, Hooks: out(`{"hookSpecificOutput":{"metadata":{"a":1}}}`), Want: Want{Warn: []string{"unknown field hookSpecificOutput.metadata"}}},
}

// deep is an object in n levels.
func deep(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }

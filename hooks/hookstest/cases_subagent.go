package hookstest

import "minigem/hooks/protocol"

const (
	subagentStart = protocol.SubagentStart
	subagentStop  = protocol.SubagentStop
)

// adds is an answer that says more to the agent.
const adds = `{"hookSpecificOutput":{"additionalContext":"use make"}}`

var subagentCases = []Case{
	{Name: "SubagentStart: nothing said", Event: subagentStart, Hooks: one(Hook{}), Want: Want{Effect: "none",
		Read: []string{`"agent_id":"a1","agent_type":"reviewer","prompt":"look at it"}`}}},
	{Name: "SubagentStart: a deny", Event: subagentStart, Hooks: out(denyNo), Want: Want{Decision: "deny", Reason: "no", Effect: "deny"}},
	{Name: "SubagentStart: exit 2", Event: subagentStart, Hooks: one(Hook{Exit: 2, Err: "no"}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "SubagentStart: a stop", Event: subagentStart, Hooks: out(stopNow), Want: Want{Decision: "stop", Reason: "enough"}},
	{Name: "SubagentStart: context", Event: subagentStart, Hooks: out(adds), Want: Want{Context: "<hook_context>use make</hook_context>", Effect: "context"}},
	{Name: "SubagentStart: it cannot ask", Event: subagentStart, Hooks: out(askWhy), Want: Want{Warn: []string{"SubagentStart cannot ask"}}},
	{Name: "SubagentStart: onError block", Event: subagentStart, Hooks: one(Hook{Exit: 1, OnError: "block"}),
		Want: Want{Decision: "deny", Reason: `hook "a" failed, and its onError is block: exit status 1`, Failed: []string{"exit status 1"}}},
	{Name: "SubagentStart: the agent's name", Event: subagentStart, Hooks: []Hook{{Out: "m", Matcher: "view"}, {Out: "n", Matcher: "^re.*r$"}, {Matcher: "^view"}, {Matcher: "writer"}},
		Want: Want{Message: "m\nn", Skipped: []string{`c: matcher "^view" does not match "reviewer"`, "d: matcher"}}},
	{Name: "SubagentStart: a matcher that is none", Event: subagentStart, Hooks: one(Hook{Matcher: "["}), Want: Want{Skipped: []string{"a: matcher"}, Warn: []string{"not a valid regular expression"}}},
	{Name: "claude: SubagentStart: whole names", Event: subagentStart, Hooks: []Hook{{Out: "m", Dialect: "claude", Matcher: "writer|reviewer"}, {Dialect: "claude", Matcher: "view"}},
		Want: Want{Message: "m", Skipped: []string{"b: matcher"}}},
	{Name: "claude: SubagentStart: a deny", Event: subagentStart, Hooks: one(Hook{Dialect: "claude", Exit: 2, Err: "no"}), Want: Want{Decision: "deny", Reason: "no"}},
	{Name: "SubagentStop: a deny sends it on", Event: subagentStop, Hooks: out(denyNo), Want: Want{Decision: "deny", Reason: "no", Effect: "retry",
		Read: []string{`"prompt":"look at it","prompt_response":"the answer","ending":"GOAL","stop_hook_active":false,"agent_transcript_path":""}`}}},
	{Name: "SubagentStop: exit 2", Event: subagentStop, Hooks: one(Hook{Exit: 2, Err: "again"}), Want: Want{Decision: "deny", Reason: "again", Effect: "retry"}},
	{Name: "SubagentStop: context goes on", Event: subagentStop, Hooks: out(adds), Want: Want{Context: "<hook_context>use make</hook_context>", Effect: "retry"}},
	{Name: "SubagentStop: a stop", Event: subagentStop, Hooks: outs(stopNow, adds), Want: Want{Decision: "stop", Reason: "enough", Effect: "stop"}},
	{Name: "SubagentStop: time-out after a deny", Event: subagentStop, Hooks: one(Hook{Hangs: true, Out: denyNo}), Want: Want{Decision: "deny", Reason: "no", Failed: []string{"timed out"}}},
	{Name: "SubagentStop: another agent", Event: subagentStop, Trigger: "writer", Hooks: one(Hook{Matcher: "^reviewer$"}), Want: Want{Skipped: []string{"a: matcher"}}},
	{Name: "claude: SubagentStop reads the last message", Event: subagentStop, Hooks: one(Hook{Dialect: "claude", Out: `{"decision":"block","reason":"more"}`}),
		Want: Want{Decision: "deny", Reason: "more", Read: []string{`"last_assistant_message":"the answer"`}}},
}
